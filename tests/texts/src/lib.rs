//! Texts for tests: files below a folder, their tokens, and changes of tokens that a seed repeats. Also archives.
//!
//! The tokens are those of Python as far as tests need them, found without the parser that they test: for changed programs the
//! ends of tokens matter, not what the tokens are.
//!
//! ```
//! use tvmscript_test_texts::{Random, change_token, tokens};
//!
//! let text = "for i in range(10):\n    pass\n";
//! assert_eq!(tokens(text).len(), 9);
//! let changed = change_token(text, &mut Random::new(7)).expect("there are tokens");
//! assert_eq!(changed.text, change_token(text, &mut Random::new(7)).unwrap().text);
//! ```

mod archive;
pub mod attack;
mod change;
mod files;
mod host;
mod program;
mod random;
mod tokens;

pub use archive::{unzip, zip};
pub use change::{Changed, change_token};
pub use files::{corpus, files_below, files_of};
pub use host::{Scale, host_program};
pub use program::{block_names, whole_program};
pub use random::{Random, number};
pub use tokens::{Token, tokens};

//! Comparison of two texts of a program: hunks, the lines that lines come from, and the place where two runs part.
//!
//! [`hunks`] and [`matched_lines`] compare two [`Text`]s of one function. If both have IR, the matching of `tvmscript-diff`
//! says which lines correspond; other lines, and texts without IR, are compared by their words. The time is about linear in
//! the texts.
//!
//! Layout is white space: lines that differ in it alone are equal, and blank lines are ignored.

mod derived;
mod hunks;
mod lines;
mod matched;
mod order;
mod parting;
mod pieces;
mod positions;
mod text;

pub use hunks::hunks;
pub use matched::matched_lines;
pub use parting::{Fingerprint, parting};
pub use pieces::{Piece, paired, version_hunks};
pub use text::{Ir, Text};

pub(crate) use hunks::of_matched;
pub(crate) use lines::{key, lines_of};
pub(crate) use matched::Matched;
pub(crate) use pieces::version_hunks_by;
pub(crate) use text::Words;

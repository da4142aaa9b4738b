//! How to read scripts.

use tvmscript_python_syntax::PythonOptions;
use tvmscript_script_eval::Limits;

use crate::header::Header;

/// How to read scripts.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ParseOptions {
    /// How to read the Python syntax.
    pub python: PythonOptions,
    /// The limits of evaluation and of what is built.
    pub limits: Limits,
    /// The text is a fragment of this dialect: statements in no function, as one prints that is no function or module.
    pub fragment_of: Option<&'static str>,
    /// Id of the text profile, such as `family-1.0`; the registry's first one without.
    pub profile: Option<String>,
    /// What a text is read with as if a header in front of it said so; its own headers come after it.
    pub header: Header,
}

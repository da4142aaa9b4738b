//! Options of parsing.

use tvmscript_python_syntax::PythonOptions;
use tvmscript_script_eval::Limits;

use crate::header::Header;

/// Options of [`parse_script`](crate::parse_script).
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ParseOptions {
    /// Options of the Python parser.
    pub python: PythonOptions,
    /// Limits of evaluation and of the built nodes.
    pub limits: Limits,
    /// Dialect of which the text is a fragment: statements outside any function.
    pub fragment_of: Option<&'static str>,
    /// Id of the text profile, such as `family-1.0`; the first registered one if `None`.
    pub profile: Option<String>,
    /// Leaves the spans of all nodes unknown.
    pub omit_spans: bool,
    /// Header that applies before the headers of the text.
    pub header: Header,
}

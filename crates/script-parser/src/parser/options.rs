//! Options of parsing.

use std::sync::Arc;

use tvmscript_ir_core::{Release, Session, Syntax};
use tvmscript_python_syntax::ast::{Stmt, StmtId};
use tvmscript_python_syntax::prescan::Comment;
use tvmscript_python_syntax::{ParsedPython, PythonOptions};
use tvmscript_script_eval::{HostCode, Limits};

use super::{CaptureRule, Globals};
use crate::header::{Header, is_comment};

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
    /// The release of the text. By default the text tells ([`detect_release`](crate::detect_release)).
    pub release: Option<&'static Release>,
    /// Leaves the spans of all nodes unknown.
    pub omit_spans: bool,
    /// Records what the scripts tell their builders: [`Parsed::steps`](crate::Parsed::steps).
    pub record_steps: bool,
    /// Header that applies before the headers of the text.
    pub header: Header,
    /// Module-level variables and expressions for their values, which assignments of the text leave unchanged.
    pub set: Vec<(String, String)>,
    /// Expressions evaluated after the text. The scripts that they return are the result, and not those of the text.
    pub calls: Vec<String>,
    /// Functions and values of the program that the text may use.
    pub globals: Globals,
    /// The variables around a script that its body may use.
    pub capture: CaptureRule,
    /// Code of the text, and of Python, that scripts need.
    pub host_code: HostCode,
    /// Calls of functions that no dialect declares.
    pub unknown_functions: UnknownFunctions,
    /// Finds modules that the text imports. Without it, they are unknown.
    pub modules: Option<ModuleLoader>,
}

impl ParseOptions {
    /// The options of a session: its release and limits.
    pub fn of(session: &Session<'_>) -> ParseOptions {
        let mut python = PythonOptions::default();
        python.max_text_bytes = session.limits.max_text_bytes;
        let limits = Limits::from(&session.limits);
        ParseOptions { python, limits, release: session.release, ..ParseOptions::default() }
    }
}

/// Calls of functions, and nodes in metadata of types, that no dialect declares, such as those of another release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UnknownFunctions {
    /// Kept in text that a printer wrote, refused in Python: a text is Python if it imports anything, and printed if its
    /// header says how to read it.
    #[default]
    KeptInPrinted,
    /// Kept as they are written.
    Kept,
    /// Errors.
    Refused,
}

impl UnknownFunctions {
    pub(super) fn are_kept(self, text: &str, parsed: &ParsedPython, syntax: &Syntax) -> bool {
        match self {
            UnknownFunctions::Kept => true,
            UnknownFunctions::Refused => false,
            UnknownFunctions::KeptInPrinted => {
                let imports =
                    |id: &StmtId| matches!(parsed.ast.stmt(*id), Stmt::Import(_) | Stmt::ImportFrom(_));
                let is_header = |comment: &Comment| {
                    let body =
                        text.get(comment.range.to_usize()).and_then(|comment| comment.strip_prefix("# "));
                    body.is_some_and(|body| !is_comment(body, syntax))
                };
                parsed.comments.iter().any(is_header) && !parsed.ast.module_body().iter().any(imports)
            }
        }
    }
}

/// Finds the text of modules by their dotted paths, such as `package.helpers`.
#[derive(Clone)]
pub struct ModuleLoader {
    /// Dotted path of the package that the text itself is in, for relative imports; empty at the root.
    pub package: String,
    load: Arc<LoadModule>,
}

type LoadModule = dyn Fn(&str) -> Option<ModuleText> + Send + Sync;

/// The text of a module.
#[derive(Debug, Clone)]
pub struct ModuleText {
    /// Name of the file, for messages. That of a package ends with `__init__.py`.
    pub name: String,
    /// Text of the module.
    pub text: String,
}

impl ModuleLoader {
    /// A loader for a text in a package. `load` gets an absolute dotted path, each part of which is an identifier, and
    /// returns `None` if there is no such module.
    pub fn new(
        package: impl Into<String>,
        load: impl Fn(&str) -> Option<ModuleText> + Send + Sync + 'static,
    ) -> ModuleLoader {
        ModuleLoader { package: package.into(), load: Arc::new(load) }
    }

    /// The text of a module.
    pub fn load(&self, path: &str) -> Option<ModuleText> {
        (self.load)(path)
    }
}

impl std::fmt::Debug for ModuleLoader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ModuleLoader").field("package", &self.package).finish_non_exhaustive()
    }
}

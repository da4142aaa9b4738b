//! Well-formedness of functions.
//!
//! [`well_formed`] reports undefined variables, variables defined twice, and loop variables that a block uses without
//! binding them to an axis. It reports all errors, each with the access path and the span of the node. A well-formed
//! function costs one walk without paths; a second walk computes them if there are errors.
//!
//! Upstream counterpart: `VerifyWellFormed`, `src/tir/analysis/verify_well_formed.cc`. Unlike upstream, the checks
//! continue after the first error, and cover the step of a loop and the masks of loads and stores.

mod rules;
mod scope;
mod walk;

use tvmscript_ir::{IRModule, path_of_function};
use tvmscript_ir_core::diagnostic::{Anchor, Diagnostic, DiagnosticKind as _, Label, Message};
use tvmscript_ir_core::{AccessPath, Object, Span, Str, error_codes};

use crate::node::PrimFunc;
use walk::Checker;

/// Maximum number of errors per variable; the last one has the number of further ones.
pub const ERRORS_PER_VARIABLE: usize = 16;

/// Maximum number of errors; the last one notes that the check stopped.
pub const MAX_ERRORS: usize = 100;

/// The cause of an error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WellFormedErrorKind {
    /// A variable is used without a definition.
    #[error("{} {}", use_text(.used, .var), end_text(*.was_defined))]
    UndefinedVar {
        /// The variable's name.
        var: Str,
        /// The kind of use.
        used: VarUse,
        /// Another definition has ended, or belongs to another function.
        was_defined: bool,
    },
    /// A variable is defined again in its own scope.
    #[error("variable `{var}` is defined again in its own scope")]
    NestedDefinition {
        /// The variable's name.
        var: Str,
    },
    /// A variable is defined again after its first scope has ended.
    #[error("variable `{var}` is defined twice")]
    RepeatedDefinition {
        /// The variable's name.
        var: Str,
    },
    /// A block with axes uses the variable of an enclosing loop.
    #[error("loop variable `{var}` is used in block \"{block}\", which does not bind it to an axis")]
    LoopVarInBlock {
        /// The loop variable's name.
        var: Str,
        /// The innermost enclosing block with axes.
        block: Str,
        /// The innermost block with axes around the loop, if any.
        defined_in: Option<Str>,
    },
    /// Shared nodes unfold to too many visits.
    #[error(
        "the function is too large to check: shared nodes of one statement are visited more than {limit} times"
    )]
    TooLarge {
        /// The maximum number of visits of shared nodes.
        limit: u64,
    },
}

error_codes! {
    WellFormedErrorKind {
        WellFormedErrorKind::UndefinedVar { .. } => "E0610" "ill-formed"
            "A PrimFunc uses a variable, or a buffer whose variables, nothing defines: it is not a parameter, and no loop, \
             axis, allocation or binding around the use defines it.";
        WellFormedErrorKind::NestedDefinition { .. } => "E0611" "ill-formed"
            "A statement of a PrimFunc defines a variable that a statement around it defines already.";
        WellFormedErrorKind::RepeatedDefinition { .. } => "E0612" "ill-formed"
            "Two statements of a PrimFunc, or two functions of a module, define the same variable. Each definition needs \
             a variable of its own, even with the same name.";
        WellFormedErrorKind::LoopVarInBlock { .. } => "E0613" "ill-formed"
            "The body of a block with axes uses the variable of a loop around the block. Only axes are visible in the \
             block; bind the loop variable to one.";
        WellFormedErrorKind::TooLarge { .. } => "E0614" "ill-formed"
            "The nodes of a statement share parts so many times over that checking every occurrence would take too long.";
    }
}

/// The kind of use of a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VarUse {
    /// In an expression.
    Value,
    /// As the data pointer of a buffer.
    Data {
        /// The buffer's name.
        buffer: Str,
    },
    /// In the shape, strides or offset of a buffer.
    Layout {
        /// The buffer's name.
        buffer: Str,
    },
}

fn use_text(used: &VarUse, var: &str) -> String {
    match used {
        VarUse::Value => format!("variable `{var}`"),
        VarUse::Data { buffer } => format!("the data pointer `{var}` of buffer `{buffer}`"),
        VarUse::Layout { buffer } => {
            format!("variable `{var}` in the shape, strides or offset of buffer `{buffer}`")
        }
    }
}

fn end_text(was_defined: bool) -> &'static str {
    if was_defined { "is used outside of its scope" } else { "is not defined" }
}

/// An error in a function.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{kind}")]
pub struct WellFormedError {
    /// The cause.
    pub kind: WellFormedErrorKind,
    /// The function's name in its module; `None` for a function by itself.
    pub function: Option<Str>,
    /// Access path from the function to the node.
    pub path: AccessPath,
    /// Span of the innermost enclosing node that has one; unknown if there is none.
    pub span: Span,
    /// Related places, such as earlier definitions; their spans may be unknown.
    pub notes: Vec<Label>,
}

/// [`well_formed`] as a check of the dialect.
pub(crate) fn diagnostics(object: &Object) -> Vec<Diagnostic> {
    well_formed(object).iter().map(|error| diagnostic(error, object)).collect()
}

/// Labels an error at its access path from `root`.
fn diagnostic(error: &WellFormedError, root: &Object) -> Diagnostic {
    let path = path_of_function(root, error.function.as_ref()).join(&error.path);
    let message = Message::new(error.kind.error_code(), error.kind.to_string());
    let mut out = Diagnostic::new(message, Anchor::path(path, error.span));
    out.help = error.help();
    for note in &error.notes {
        match note.at {
            Anchor::Span(span) if !span.is_known() => out.notes.push(note.text.clone()),
            _ => out.labels.push(note.clone()),
        }
    }
    out
}

impl WellFormedError {
    /// Suggests a fix.
    pub fn help(&self) -> Option<String> {
        match &self.kind {
            WellFormedErrorKind::UndefinedVar { var, used: VarUse::Value, was_defined } => {
                match was_defined {
                    true => None,
                    false => Some(format!("make `{var}` a parameter, or bind it with `{var} = ..` first")),
                }
            }
            WellFormedErrorKind::UndefinedVar { used: VarUse::Data { buffer }, .. } => Some(format!(
                "make `{buffer}` a parameter, or allocate it with `T.alloc_buffer` or `T.allocate`"
            )),
            WellFormedErrorKind::UndefinedVar { var, used: VarUse::Layout { .. }, .. } => Some(format!(
                "make `{var}` a parameter, or use it in the shape of a buffer that is one: `T.match_buffer`"
            )),
            WellFormedErrorKind::NestedDefinition { .. } | WellFormedErrorKind::RepeatedDefinition { .. } => {
                Some("give each definition a variable of its own".to_owned())
            }
            WellFormedErrorKind::LoopVarInBlock { var, block, .. } => Some(format!(
                "bind it at the top of block \"{block}\", as in `v = T.axis.spatial(extent, {var})`, and use `v`"
            )),
            WellFormedErrorKind::TooLarge { .. } => None,
        }
    }
}

/// Checks a function, or all functions of a module, and returns at most [`MAX_ERRORS`] errors in the order of the
/// nodes. Other objects and functions of other dialects have no errors here.
pub fn well_formed(object: &Object) -> Vec<WellFormedError> {
    let functions: Vec<(Option<Str>, &PrimFunc)> = if let Some(function) = object.as_node::<PrimFunc>() {
        vec![(None, function)]
    } else if let Some(module) = object.as_node::<IRModule>() {
        let members = module.functions.iter();
        let of_scalars = |(name, function)| Some((Some(name_of(name)), function_of(function)?));
        members.filter_map(of_scalars).collect()
    } else {
        Vec::new()
    };
    if Checker::new(&functions, false).run().is_empty() {
        return Vec::new();
    }
    Checker::new(&functions, true).run()
}

fn name_of(name: &tvmscript_ir_core::Ref<tvmscript_ir::GlobalVar>) -> Str {
    name.name_hint.clone()
}

fn function_of(function: &tvmscript_ir_core::Ref<tvmscript_ir::BaseFunc>) -> Option<&PrimFunc> {
    function.as_node::<PrimFunc>()
}

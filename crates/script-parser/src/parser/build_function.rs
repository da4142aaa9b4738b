//! Texts whose only script is what a function `build` returns, as a program of builder calls has it.
//!
//! The exploration of host code runs such a function once and finds that it opens a builder. The text is then read again
//! with the call as the expression of the caller, so that errors of the function are errors of the text.

use std::collections::HashSet;

use tvmscript_ir_core::{NodeId, Registry, pre_order_visit};
use tvmscript_python_syntax::ast::{HasRange as _, Stmt, StmtId, TextRange};
use tvmscript_script_eval::errors::EvalError;

use super::{ParseOptions, Parsed, Parser, Script, parse_text};
use crate::errors::{ParseErrorKind, parse_errors};

/// Name of the function.
const NAME: &str = "build";

/// The function of a text.
pub(super) struct BuildFunction {
    /// The begin of its definition.
    shown: TextRange,
}

impl Parser<'_> {
    /// The function of the module that needs no arguments and opened a builder when it was explored.
    pub(super) fn build_function(&self) -> Option<BuildFunction> {
        let ast = &self.state.ast;
        let is_wanted = |id: &&StmtId| match *ast.stmt(**id) {
            Stmt::FunctionDef(def) => ast.name(def.name) == NAME && ast.list(def.params).is_empty(),
            _ => false,
        };
        let id = *self.state.program.main_body().iter().rfind(is_wanted)?;
        let range = ast.range(id);
        let built = &self.script.scripts.built;
        let is_inside = |inner: TextRange| range.start <= inner.start && inner.end <= range.end;
        built
            .iter()
            .any(|built| is_inside(built.range))
            .then(|| BuildFunction { shown: id.shown_in(ast, self.state.program.text()) })
    }
}

impl BuildFunction {
    /// Reads the text again, and takes what the function returns.
    pub(super) fn call(self, name: &str, text: &str, registry: &Registry, options: &ParseOptions) -> Parsed {
        let mut options = options.clone();
        options.calls = vec![format!("{NAME}()")];
        let mut parsed = match parse_text(name, text, registry, &options) {
            Ok(parsed) => parsed,
            Err(_) => unreachable!("a text with calls is read once"),
        };
        // As the script of a text with one script has no other name than its own.
        if let [only] = parsed.scripts.as_mut_slice() {
            only.name = None;
        }
        let note = EvalError::note_at(ParseErrorKind::BuildCalled { name: NAME }, self.shown);
        parsed.warnings.append(&mut parse_errors(vec![note]));
        parsed
    }
}

/// The nodes of all scripts.
pub(super) fn parts(scripts: &[Script]) -> HashSet<NodeId> {
    let mut parts = HashSet::new();
    for script in scripts {
        pre_order_visit(&script.node, |node| parts.insert(node.id()));
    }
    parts
}

//! The project as its tools see it: the few calls of the facade that they make.
//!
//! The tools touch the library here alone, so that a change of its interface changes one file.

use tvmscript::script_parser::{ParseError, ParseOptions, parse_script};
use tvmscript::{Object, PrinterConfig};

/// What a text or a JSON file holds: its script objects, in order.
pub struct Program(Vec<Object>);

/// An error of the parser, with the place of its first label.
pub struct Diagnostic {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The message with its notes.
    pub message: String,
}

/// Whether a field of a node holds a number itself: TVM's JSON then writes it in place, and not the index of a node.
pub fn is_plain_number(type_key: &str, field: &str) -> bool {
    use tvmscript::ir_core::type_table::{FieldKind, type_by_key};
    let info = type_by_key(type_key);
    let field = info.and_then(|info| info.fields().iter().find(|known| known.name == field));
    field.is_some_and(|field| matches!(field.kind, FieldKind::Int | FieldKind::Float))
}

/// Parses a text; all errors if there is one.
pub fn parse(name: &str, text: &str) -> Result<Program, Vec<Diagnostic>> {
    let parsed = parse_script(name, text, tvmscript::registry(), &ParseOptions::default());
    if parsed.errors.is_empty() {
        return Ok(Program(parsed.scripts.into_iter().map(|s| s.node).collect()));
    }
    Err(parsed.errors.iter().map(|e| diagnostic(text, e)).collect())
}

/// Places an error in the text.
fn diagnostic(text: &str, error: &ParseError) -> Diagnostic {
    let offset = usize::min(error.range().start as usize, text.len());
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let mut message = error.kind.to_string();
    for note in error.notes.iter().chain(&error.help) {
        message.push_str("; ");
        message.push_str(note);
    }
    Diagnostic {
        line: before.matches('\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
        message,
    }
}

impl Program {
    /// The canonical text, with its metadata section.
    ///
    /// # Errors
    /// What the printer says.
    pub fn print(&self) -> Result<String, String> {
        let config = PrinterConfig { show_meta: true, ..PrinterConfig::default() };
        let print = |node| tvmscript::print(node, tvmscript::registry(), &config).map_err(|e| e.to_string());
        Ok(self.0.iter().map(print).collect::<Result<Vec<_>, _>>()?.join("\n\n"))
    }

    /// Structural equality, object by object. A variable that nothing defines comes back as another node, so such
    /// variables may be matched.
    pub fn equal(&self, other: &Program) -> bool {
        let equal = tvmscript::ir_core::equal::StructuralEqual { map_free_vars: true, ..Default::default() };
        self.0.len() == other.0.len() && self.0.iter().zip(&other.0).all(|(a, b)| equal.compare(a, b))
    }

    /// TVM's JSON of the only object.
    ///
    /// # Errors
    /// When there is not exactly one.
    pub fn to_tvm_json(&self) -> Result<String, String> {
        match self.0.as_slice() {
            [one] => tvmscript::to_tvm_json(one).map_err(|error| error.to_string()),
            many => Err(format!("{} objects in one text", many.len())),
        }
    }

    /// Reads TVM's JSON.
    ///
    /// # Errors
    /// What the reader says.
    pub fn from_tvm_json(json: &str) -> Result<Program, String> {
        let loaded = tvmscript::from_tvm_json(json, tvmscript::registry());
        loaded.map(|node| Program(vec![node])).map_err(|e| e.to_string())
    }
}

//! JSON: TVM's graph form, read and written ([`tvm`]), and our own ([`native`]).
//!
//! Both are flat lists of nodes in which a shared node stands once, so neither depth nor sharing troubles them: loading takes
//! time in proportion to the text. Each node must be of its field's class and hold its own invariants
//! ([`crate::invariants`]); else loading ends with the path and the place of the first one that does not. A byte order mark
//! at the beginning is passed over.
//!
//! ```
//! use tvmscript_ir_core::json::{self, JsonErrorKind};
//! use tvmscript_ir_core::{Dialect, Node, Ref, Registry, Value};
//!
//! /// A number and what comes after it.
//! #[derive(Debug, Clone, Node)]
//! #[node(key = "doc.Cell")]
//! struct Cell {
//!     number: i64,
//!     next: Option<Ref<Cell>>,
//! }
//!
//! let registry = RegistryBuilder::new().with(Dialect::new("doc").node::<Cell>()).build()?;
//! let list = Ref::new(Cell { number: 1, next: Some(Ref::new(Cell { number: 2, next: None })) });
//!
//! let text = json::native::save(&list.into());
//! let read = json::load(&text, &registry)?;
//! let cell = read.as_object().and_then(|node| node.as_node::<Cell>()).expect("a cell was saved");
//! assert_eq!((cell.number, cell.next.as_ref().map(|next| next.number)), (1, Some(2)));
//!
//! let error = json::load(&text.replace("\"number\":2", "\"number\":true"), &registry).unwrap_err();
//! assert_eq!(error.path, "$.nodes[0].fields.number");
//! assert_eq!(error.kind.to_string(), "field `number` of `doc.Cell` takes an int, not bool");
//!
//! let in_tvms_form = json::tvm::save(&read)?;
//! assert!(json::load(&in_tvms_form, &registry).is_ok());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod base64;
mod emit;
mod error;
mod limits;
pub mod native;
mod scan;
pub mod tvm;

pub use error::{JsonError, JsonErrorKind};
pub(crate) use limits::may_check;
pub use limits::{MAX_ELEMENTS, MAX_SPAN_PARTS};

use crate::registry::Registry;
use crate::value::Value;

/// The forms of JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Ours, see [`native`].
    Native,
    /// TVM's graph, see [`tvm`].
    Tvm,
}

/// Which form a text is in, by the first key of its object; nothing when it is neither.
pub fn detect(text: &str) -> Option<Form> {
    let mut scan = scan::Scanner::new(text);
    scan.expect(b'{').ok()?;
    match &*scan.string().ok()? {
        "format" => Some(Form::Native),
        "root_index" | "nodes" | "metadata" => Some(Form::Tvm),
        _ => None,
    }
}

/// Reads either form.
///
/// # Errors
/// As the reader of the form; [`JsonErrorKind::UnknownForm`] when it is neither.
pub fn load(text: &str, registry: &Registry) -> Result<Value, JsonError> {
    match detect(text) {
        Some(Form::Native) => native::load(text, registry),
        Some(Form::Tvm) => tvm::load(text, registry),
        None => Err(JsonError::new(JsonErrorKind::UnknownForm)),
    }
}

//! Structural differences of IR graphs.
//!
//! [`diff`] matches two graphs of any dialect by structure and returns an [`EditScript`]: parts that are changed,
//! inserted, removed, renamed or moved. [`apply`] applies a script to the first graph, which gives the second one.
//!
//! ```
//! use tvmscript_diff::{EditOp, apply, diff};
//! use tvmscript_ir_core::{Array, Node, Object, Ref, structural_equal};
//!
//! /// A tree of numbers.
//! #[derive(Debug, Clone, Node)]
//! #[node(key = "doc.Tree")]
//! struct Tree {
//!     number: i64,
//!     below: Array<Ref<Tree>>,
//! }
//!
//! let tree = |number, below: Vec<Ref<Tree>>| Ref::new(Tree { number, below: Array::new(below) });
//! let leaf = |number| tree(number, vec![]);
//! let a: Object = tree(1, vec![leaf(2), leaf(3), leaf(4)]).into();
//! let b: Object = tree(7, vec![leaf(2), leaf(4)]).into();
//!
//! let script = diff(&a, &b);
//! let edits: Vec<String> = script.edits.iter().map(ToString::to_string).collect();
//! assert_eq!(edits, ["change <root>.number", "remove <root>.below[1]"]);
//! assert!(structural_equal(&apply(&a, &script)?, &b));
//! # Ok::<(), tvmscript_diff::ApplyError>(())
//! ```
//!
//! Fields that equality ignores (spans, derived fields) are ignored, except names: a variable with another name hint is
//! one [`EditOp::Rename`] at its definition, marked [`Edit::is_ignored`]. The graphs are equal
//! ([`EditScript::is_equal`]) exactly if structural equality says so.
//!
//! With the feature `print`, [`render`] shows a script over the printed text of both graphs.
//!
//! The algorithm follows Falleri et al., "Fine-grained and accurate source code differencing" (GumTree, 2014): equal
//! subtrees anchor the matching, and arrays between anchors are aligned by similarity. It takes about linear time.
#![warn(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod apply;
mod edit;
mod entities;
mod facts;
mod matching;
#[cfg(feature = "print")]
pub mod render;
mod script;

pub use apply::ApplyError;
pub use edit::{Edit, EditOp, EditScript};
pub use facts::name_of;

use tvmscript_ir_core::{Object, StructuralEqual};

/// Compares two graphs with the default options of structural equality.
pub fn diff(a: &Object, b: &Object) -> EditScript {
    diff_with(a, b, StructuralEqual::default())
}

/// Compares two graphs.
pub fn diff_with(a: &Object, b: &Object, options: StructuralEqual) -> EditScript {
    script::diff(a, b, options, None)
}

/// Compares two graphs, and returns the nodes that correspond as well: a node of A and one of B each, in the order of a walk.
/// Equal parts correspond node by node, those of a changed node as far as they are alike.
pub fn diff_matched(a: &Object, b: &Object) -> (EditScript, Vec<(Object, Object)>) {
    let mut pairs = Vec::new();
    let script = script::diff(a, b, StructuralEqual::default(), Some(&mut pairs));
    (script, pairs)
}

/// Describes the differences of two graphs, one line per edit; `None` if they are structurally equal.
///
/// [`render::explain`], with the feature `print`, shows them in the text of both graphs.
pub fn explain(a: &Object, b: &Object) -> Option<String> {
    let script = diff(a, b);
    let lines: Vec<String> = script.edits.iter().map(ToString::to_string).collect();
    (!script.is_equal).then(|| lines.join("\n"))
}

/// Applies an edit script to the graph that it was made for. The result is structurally equal to the other graph.
///
/// # Errors
/// Fails if the script was made for another graph.
pub fn apply(a: &Object, script: &EditScript) -> Result<Object, ApplyError> {
    apply::apply(a, script)
}

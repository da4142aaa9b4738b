//! Programs of one release as programs of another.
//!
//! [`upgrade`] rewrites a node by the [`Step`] between two releases, a table of [`Rule`]s. The result uses the
//! conventions of the target; printed in the target it is text of that release. Rules rewrite nodes, never text: names that
//! only the text has are those of the [release](tvmscript_ir_core::release), and rules only describe them. The module `file`
//! (feature `files`) edits the scripts of Python files by the same names.
//!
//! A release registers its steps ([`UpgradeDialect::upgrade`]), and [`find`] looks one up. A [`Finding`] says which choice a
//! rule took, or what has no equivalent in the target.
//!
//! ```
//! use tvmscript_ir_core::ObjectLike;
//! use tvmscript_ir_core::release::{PLAIN, Release, Renames, Syntax};
//! use tvmscript_prim::{IntImm, Var};
//! use tvmscript_tir::{Evaluate, LetStmt, SeqStmt};
//! use tvmscript_upgrade::{Level, Step, rewrite_levels, tvm_0_27, upgrade};
//!
//! // `with T.LetStmt(1) as v: T.evaluate(v)` becomes two statements.
//! static NEW: Release = Release { name: "new", version: "1", syntax: Syntax::PLAIN, renames: Renames::NONE };
//! let (rules, rewrite) = (tvm_0_27::RULES, rewrite_levels);
//! let levels = (Level::Nested, Level::Declared);
//! let step = Step { from: &PLAIN, to: &NEW, rules, levels, printed_comments: &[], sign: None, edits_scripts: false, rewrite };
//! let v = Var::new("v", tvmscript_ir_core::DataType::INT32);
//! let old = LetStmt::try_new(v.clone(), IntImm::int32(1), Evaluate::new(v.upcast()))?;
//! let new = upgrade(old.as_object(), &step)?;
//! assert!(new.node.is::<SeqStmt>());
//! assert!(new.findings.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![warn(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod devices;
#[cfg(feature = "files")]
pub mod file;
mod finding;
mod keys;
mod level;
mod listing;
mod rule;
mod step;
pub mod tvm_0_23;
pub mod tvm_0_27;

pub use finding::{Finding, codes};
pub use level::Level;
pub use listing::{Difference, differences};
pub use rule::{Kind, Rule};
pub use step::{Step, UpgradeDialect, find, steps};

use tvmscript_ir_core::{Object, RewriteError, post_order_mutate};

/// A rewritten program.
#[derive(Debug)]
pub struct Upgraded {
    /// The program in the conventions of the target.
    pub node: Object,
    /// Choices and losses, in the order in which they were found.
    pub findings: Vec<Finding>,
}

/// Rewrites a program of the first level of a step to the other one.
///
/// # Errors
/// See [`upgrade`](crate::upgrade()).
pub fn rewrite_levels(node: &Object, step: &Step) -> Result<Upgraded, RewriteError> {
    let (from, to) = step.levels;
    match from.cmp(&to) {
        std::cmp::Ordering::Less => tvm_0_27::raise(node, step, from, to),
        std::cmp::Ordering::Greater => tvm_0_23::lower(node, step, from, to),
        std::cmp::Ordering::Equal => rename_keys(node, step),
    }
}

/// Rewrites a program by a step.
///
/// # Errors
/// If a rewritten node does not satisfy its invariants, which is a bug of a rule.
pub fn upgrade(node: &Object, step: &Step) -> Result<Upgraded, RewriteError> {
    (step.rewrite)(node, step)
}

/// The rewrite of a step whose releases differ in names only: keys of attributes change.
///
/// # Errors
/// See [`upgrade`].
pub fn rename_keys(node: &Object, step: &Step) -> Result<Upgraded, RewriteError> {
    let node = match step.key_prefix() {
        Some(prefix) => post_order_mutate(node.clone(), |node| prefix.rename(node))?,
        None => node.clone(),
    };
    Ok(Upgraded { node, findings: Vec::new() })
}

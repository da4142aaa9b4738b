//! Programs of one release as programs of another.
//!
//! [`upgrade`] rewrites a node by the [`Step`] between two releases, a table of [`Rule`]s. The result uses the
//! conventions of the target; printed in the target's text profile it is text of that release. Nothing here reads or
//! writes text: names that only the text has belong to the profiles, and their rules only describe them.
//!
//! A [`Finding`] says which choice a rule took, or what has no equivalent in the target.
//!
//! ```
//! use tvmscript_ir_core::ObjectLike;
//! use tvmscript_prim::{IntImm, Var};
//! use tvmscript_tir::{Evaluate, LetStmt, SeqStmt};
//! use tvmscript_upgrade::{find, upgrade};
//!
//! // `with T.LetStmt(1) as v: T.evaluate(v)` becomes two statements.
//! let v = Var::new("v", tvmscript_ir_core::DataType::INT32);
//! let old = LetStmt::try_new(v.clone(), IntImm::int32(1), Evaluate::new(v.upcast()))?;
//! let step = find("tvm-0.23", "tvm-0.27").ok_or("unknown releases")?;
//! let new = upgrade(old.as_object(), step)?;
//! assert!(new.node.is::<SeqStmt>());
//! assert!(new.findings.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![warn(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod devices;
mod finding;
mod keys;
mod rule;
mod tvm_0_23;
mod tvm_0_27;
mod words;

pub use finding::{Finding, codes};
pub use rule::{Kind, Rule, Step};
pub use words::{Fate, Words};

use tvmscript_ir_core::{Object, RewriteError};

/// All steps.
pub static STEPS: [&Step; 2] = [&tvm_0_27::STEP, &tvm_0_23::STEP];

/// The step from one release to another, by the ids of their text profiles.
pub fn find(from: &str, to: &str) -> Option<&'static Step> {
    STEPS.into_iter().find(|step| step.from == from && step.to == to)
}

impl Step {
    /// Returns `true` for the text of a comment that the printer of the older text writes itself.
    pub fn prints_comment(&self, text: &str) -> bool {
        let text = text.trim();
        self.printed_comments.iter().any(|(start, end)| text.starts_with(start) && text.ends_with(end))
    }
}

/// A rewritten program.
#[derive(Debug)]
pub struct Upgraded {
    /// The program in the conventions of the target.
    pub node: Object,
    /// Choices and losses, in the order in which they were found.
    pub findings: Vec<Finding>,
}

/// Rewrites a program by a step.
///
/// # Errors
/// If a rewritten node does not satisfy its invariants, which is a bug of a rule.
pub fn upgrade(node: &Object, step: &Step) -> Result<Upgraded, RewriteError> {
    (step.rewrite)(node)
}

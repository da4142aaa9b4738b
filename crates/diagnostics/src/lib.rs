//! Diagnostics of scripts and IR for people and programs.
//!
//! The type is [`Diagnostic`] of `ir-core`, so that every layer can make one; this crate formats it: [`render()`] for
//! terminals, [`reports`] for JSON, [`sarif`] for SARIF 2.1.0. [`edit`] applies fixes to a text.
//!
//! ```
//! use tvmscript_diagnostics::{Applicability, Diagnostic, ErrorCode, Fix, Message, apply, render};
//!
//! static TYPO: ErrorCode = ErrorCode { code: "X0001", name: "typo", meaning: "A word is misspelt." };
//!
//! let text = "boil watre\n";
//! let fix = Fix::replace(5..10, "water", Applicability::Certain);
//! let diagnostic = Diagnostic::<Message>::new(Message::new(&TYPO, "unknown word `watre`"), 5..10).with_fix(fix);
//!
//! let shown = render(&[diagnostic.clone()], "tea.recipe", text, false);
//! assert!(shown.starts_with("[X0001] Error: unknown word `watre`"), "{shown}");
//! assert!(shown.contains("tea.recipe:1:6"), "{shown}");
//! assert_eq!(apply(text, &diagnostic.fixes[0].edits)?, "boil water\n");
//! # Ok::<(), tvmscript_diagnostics::EditError>(())
//! ```
//!
//! `tvmscript-docsifier` renders diagnostics about nodes in the printed text of their root.

#![warn(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing))]

pub mod edit;
pub mod escape;
mod json;
mod position;
mod render;
pub mod sarif;

pub use edit::{EditError, apply};
pub use json::{Report, ReportEdit, ReportFix, ReportLabel, reports};
pub use position::{LineIndex, Position};
pub use render::{Located, Place, Renderer, render};
pub use tvmscript_ir_core::diagnostic::{
    Anchor, Applicability, Diagnostic, DiagnosticKind, ErrorCode, Fix, IntoAnchor, Label, Message, Severity,
    TextEdit,
};

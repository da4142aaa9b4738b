//! Refused primitives.

use tvmscript_ir_core::Object;

/// A primitive that does not apply. The schedule is as it was before.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{}{message}", class.map(|class| format!("{class}: ")).unwrap_or_default())]
#[non_exhaustive]
pub struct ScheduleError {
    /// The name of TVM's class of the refusal; `None` where TVM fails by an assertion.
    pub class: Option<&'static str>,
    /// The cause.
    pub message: String,
    /// The nodes that are at fault: loops, blocks or buffers of the module as it is.
    pub nodes: Vec<Object>,
}

/// A result of a primitive.
pub type Result<T> = std::result::Result<T, ScheduleError>;

impl ScheduleError {
    /// A refusal of a class, without nodes.
    pub fn new(class: &'static str, message: impl Into<String>) -> ScheduleError {
        ScheduleError { class: Some(class), message: message.into(), nodes: Vec::new() }
    }

    /// A refusal without a class.
    pub fn plain(message: impl Into<String>) -> ScheduleError {
        ScheduleError { class: None, message: message.into(), nodes: Vec::new() }
    }

    /// Adds a node at fault.
    #[must_use]
    pub fn at(mut self, node: impl Into<Object>) -> ScheduleError {
        self.nodes.push(node.into());
        self
    }
}

impl From<tvmscript_ir_core::RewriteError> for ScheduleError {
    fn from(error: tvmscript_ir_core::RewriteError) -> Self {
        ScheduleError::plain(error.to_string())
    }
}

impl From<tvmscript_tir::TirError> for ScheduleError {
    fn from(error: tvmscript_tir::TirError) -> Self {
        ScheduleError::plain(error.to_string())
    }
}

impl From<tvmscript_prim::PrimError> for ScheduleError {
    fn from(error: tvmscript_prim::PrimError) -> Self {
        ScheduleError::plain(error.to_string())
    }
}

impl From<tvmscript_arith::ArithError> for ScheduleError {
    fn from(error: tvmscript_arith::ArithError) -> Self {
        ScheduleError::plain(error.to_string())
    }
}

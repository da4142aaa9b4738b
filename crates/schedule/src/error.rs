//! Refused primitives.

use tvmscript_ir::IRModule;
use tvmscript_ir_core::diagnostic::{Anchor, Diagnostic, DiagnosticKind as _, Label, Message};
use tvmscript_ir_core::{Object, Ref, Span, error_codes, post_order_visit};
use tvmscript_tir::{Block, BlockRealize, Buffer, For};

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

/// A refused primitive of a trace, with its place.
#[derive(Debug, Clone)]
pub struct Refusal {
    /// The name of the primitive.
    pub primitive: &'static str,
    /// The cause.
    pub error: ScheduleError,
    /// The module that the primitive refused.
    pub module: Ref<IRModule>,
    /// The call in the text of the trace, if it has one.
    pub span: Span,
}

/// The kind of the diagnostic of a refusal.
#[derive(Debug, Clone, thiserror::Error)]
pub enum RefusalKind {
    /// A primitive does not apply.
    #[error("`{primitive}` does not apply: {error}")]
    Refused {
        /// The name of the primitive.
        primitive: &'static str,
        /// The cause.
        error: ScheduleError,
    },
}

error_codes! {
    RefusalKind {
        RefusalKind::Refused { .. } => "E1401" "schedule-refused"
            "A primitive of a schedule does not apply to the module as it is at that point. The message begins with TVM's class of the \
             refusal; the loops, blocks and buffers at fault are underlined in the printed module, and the call in the trace.";
    }
}

impl Refusal {
    /// The refusal as a diagnostic on nodes of the module.
    pub fn diagnostic(&self) -> Diagnostic {
        let kind = RefusalKind::Refused { primitive: self.primitive, error: self.error.clone() };
        let message = Message::new(kind.error_code(), kind.to_string());
        let mut realizes = Vec::new();
        post_order_visit(self.module.object(), |node| {
            if let Some(realize) = node.as_node::<BlockRealize>() {
                realizes.push((realize.block.object().clone(), node.clone()));
            }
        });
        // The statement of a block is where it is realized.
        let shown = |node: &Object| {
            let realize = realizes.iter().find(|(block, _)| block.ptr_eq(node));
            realize.map_or(node, |(_, realize)| realize).clone()
        };
        let labels = self.error.nodes.iter().map(|node| Label::new(Anchor::Node(shown(node)), role(node)));
        let call = self.span.is_known().then(|| Label::new(Anchor::Span(self.span), "the call in the trace"));
        let mut diagnostic = Diagnostic::new(message, Anchor::Span(self.span));
        diagnostic.labels = labels.chain(call).collect();
        diagnostic
    }
}

/// The part that a node has in a refusal.
fn role(node: &Object) -> String {
    if let Some(block) = node.as_node::<Block>() {
        return format!("the block `{}`", block.name_hint.as_str());
    }
    if let Some(buffer) = node.as_node::<Buffer>() {
        return format!("the buffer `{}`", buffer.name);
    }
    match node.as_node::<For>() {
        Some(found) => format!("the loop `{}`", found.loop_var.name),
        None => String::new(),
    }
}

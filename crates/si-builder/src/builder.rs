//! Spans of the nodes that a pass makes.

use tvmscript_ir_core::{
    Descend, EqKind, Mutator, Object, ObjectLike, PtrSet, RewriteError, Span, Visitor, Walk, mutate,
};

/// The reason of the sequences that [`SIBuilder::create_span`] makes.
const REASON: &str = "subgraph";

/// Fills the span of one source into new nodes, or collects the spans of a subgraph.
///
/// The builder can be moved but not copied:
///
/// ```compile_fail,E0599
/// # use tvmscript_si_builder::SIBuilder;
/// let builder = SIBuilder::new(tvmscript_ir_core::Span::UNKNOWN);
/// let copy = builder.clone();
/// ```
///
/// A run without spans ([`Session::fills_spans`](tvmscript_ir_core::Session::fills_spans)) uses [`SIBuilder::off`].
#[derive(Debug)]
pub struct SIBuilder {
    /// Distinct known spans, in the order in which they were found.
    spans: Vec<Span>,
}

impl SIBuilder {
    /// Creates a builder with the span of the node that is being replaced.
    pub fn new(span: Span) -> SIBuilder {
        SIBuilder::from_spans([span])
    }

    /// Creates a builder with several spans. Unknown and repeated ones are left out.
    pub fn from_spans(spans: impl IntoIterator<Item = Span>) -> SIBuilder {
        let mut builder = SIBuilder { spans: Vec::new() };
        spans.into_iter().for_each(|span| builder.add(span));
        builder
    }

    /// Creates a builder that has no spans, fills none and allocates nothing.
    pub fn off() -> SIBuilder {
        SIBuilder { spans: Vec::new() }
    }

    /// Collects the spans of a subgraph, from `entry` down to `inputs`, parents first. The spans of the inputs are not
    /// part of it.
    ///
    /// Entry and inputs may be of any class. The span of a variable is that of its definition; it counts only where the
    /// subgraph defines the variable, and if the entry is a variable.
    pub fn from_subgraph<'a, I: ObjectLike + 'a>(
        entry: &impl ObjectLike,
        inputs: impl IntoIterator<Item = &'a I>,
    ) -> SIBuilder {
        let mut builder = SIBuilder { spans: Vec::new() };
        let inputs: PtrSet = inputs.into_iter().map(|input| input.as_object().clone()).collect();
        let root = entry.as_object();
        let _ = Visitor::new().pre_order(root, |node| {
            if inputs.contains(node) {
                return Walk::Skip;
            }
            if node.ptr_eq(root) || !has_identity(node) {
                builder.add(node.span());
            }
            Walk::Advance
        });
        builder
    }

    fn add(&mut self, span: Span) {
        if span.is_known() && !self.spans.contains(&span) {
            self.spans.push(span);
        }
    }

    /// Returns the collected span: unknown without any, the span itself if there is one, otherwise a sequence.
    pub fn create_span(&self) -> Span {
        match self.spans.as_slice() {
            [] => Span::UNKNOWN,
            [span] => *span,
            spans => Span::sequence(spans.iter().copied(), REASON),
        }
    }

    /// Fills the nodes from `entry` down to `inputs` that have no span, and returns the new entry.
    ///
    /// Nodes with a span keep it, as do the inputs and everything below them. Sharing is preserved. Nodes with
    /// identity, such as variables, are filled only if nothing else refers to them: a copy would be another variable.
    ///
    /// # Errors
    /// Fails if a node of the graph breaks its invariants.
    pub fn recursively_fill_span<'a, T: ObjectLike, I: ObjectLike + 'a>(
        &self,
        entry: T,
        inputs: impl IntoIterator<Item = &'a I>,
    ) -> Result<T, RewriteError> {
        let span = self.create_span();
        if !span.is_known() {
            return Ok(entry);
        }
        let inputs: PtrSet = inputs.into_iter().map(|input| input.as_object().clone()).collect();
        mutate(entry, &mut Fill { span, inputs, stops_at_spans: false })
    }
}

/// Returns `true` if a copy of the node is another node for equality.
fn has_identity(node: &Object) -> bool {
    !matches!(node.info().eq_kind(), EqKind::Tree | EqKind::ConstTree)
}

/// Sets the span of nodes without one.
pub(crate) struct Fill {
    pub(crate) span: Span,
    pub(crate) inputs: PtrSet,
    /// Stop at nodes with a span, instead of continuing below them.
    pub(crate) stops_at_spans: bool,
}

impl Mutator for Fill {
    fn enter(&mut self, node: &Object) -> Descend {
        let stops = self.inputs.contains(node) || (self.stops_at_spans && node.span().is_known());
        if stops { Descend::Keep } else { Descend::Into }
    }

    fn leave(&mut self, mut node: Object) -> Object {
        let can_fill = node.info().has_span() && !node.span().is_known();
        if can_fill && (node.is_unique() || !has_identity(&node)) {
            node.set_span(self.span);
        }
        node
    }
}

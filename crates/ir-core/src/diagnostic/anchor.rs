//! Places that labels refer to.

use std::ops::Range;

use crate::access_path::{AccessPath, PathStep};
use crate::raw::{Object, ObjectLike, Ref};
use crate::span::Span;
use crate::type_table::EqKind;
use crate::value::Value;

/// A place in a text or in IR.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Anchor {
    /// A byte range of the text that is diagnosed.
    Text(Range<u32>),
    /// A position in any source.
    Span(Span),
    /// A node, at its first place in the root.
    Node(Object),
    /// A part of the root.
    Path {
        /// The path from the root.
        path: AccessPath,
        /// Position of this use of the part; if unknown, that of the innermost node around it.
        span: Span,
    },
}

impl PartialEq for Anchor {
    fn eq(&self, other: &Anchor) -> bool {
        match (self, other) {
            (Anchor::Text(a), Anchor::Text(b)) => a == b,
            (Anchor::Span(a), Anchor::Span(b)) => a == b,
            (Anchor::Node(a), Anchor::Node(b)) => a.ptr_eq(b),
            (Anchor::Path { path: a, span: s }, Anchor::Path { path: b, span: t }) => a == b && s == t,
            _ => false,
        }
    }
}

impl Anchor {
    /// A part of the root, with the position of this use of it.
    pub fn path(path: AccessPath, span: Span) -> Anchor {
        Anchor::Path { path, span }
    }

    /// The span of the innermost node at the place or around it that has one. `root` resolves access paths.
    ///
    /// A variable has the span of its definition, so a use of it counts only with the nodes around it.
    pub fn span(&self, root: &Object) -> Span {
        match self {
            Anchor::Text(_) => Span::UNKNOWN,
            Anchor::Span(span) => *span,
            Anchor::Node(node) => node.span(),
            Anchor::Path { span, .. } if span.is_known() => *span,
            Anchor::Path { path, .. } => {
                let mut node = root.clone();
                let mut span = node.span();
                let mut is_definition = false;
                for step in &path.steps {
                    if let PathStep::Field(name) = step {
                        let field = node.info().field_index(name).and_then(|at| node.info().fields().get(at));
                        is_definition = field.is_some_and(|field| field.def);
                    }
                    let Some(Value::Node(next)) = step.follow(&node) else { break };
                    node = next;
                    let is_use = node.info().eq_kind() == EqKind::FreeVar && !is_definition;
                    if node.span().is_known() && !is_use {
                        span = node.span();
                    }
                }
                span
            }
        }
    }
}

/// Conversion to an [`Anchor`]: ranges of the text, spans, nodes and access paths.
pub trait IntoAnchor {
    /// Converts.
    fn into_anchor(self) -> Anchor;
}

impl<T: Into<Range<u32>>> IntoAnchor for T {
    fn into_anchor(self) -> Anchor {
        Anchor::Text(self.into())
    }
}

impl IntoAnchor for Anchor {
    fn into_anchor(self) -> Anchor {
        self
    }
}

impl IntoAnchor for Span {
    fn into_anchor(self) -> Anchor {
        Anchor::Span(self)
    }
}

impl IntoAnchor for AccessPath {
    fn into_anchor(self) -> Anchor {
        Anchor::Path { path: self, span: Span::UNKNOWN }
    }
}

impl IntoAnchor for Object {
    fn into_anchor(self) -> Anchor {
        Anchor::Node(self)
    }
}

impl IntoAnchor for &Object {
    fn into_anchor(self) -> Anchor {
        Anchor::Node(self.clone())
    }
}

impl<T> IntoAnchor for &Ref<T>
where
    Ref<T>: ObjectLike,
{
    fn into_anchor(self) -> Anchor {
        Anchor::Node(self.clone().into_object())
    }
}

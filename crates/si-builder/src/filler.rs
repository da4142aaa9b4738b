//! Spans of the nodes that a frontend makes.

use tvmscript_ir_core::{
    AccessPath, Array, Class, FieldError, Object, ObjectLike, PtrSet, Ref, RewriteError, SourceId, Span, Str,
    mutate,
};

use crate::builder::Fill;

/// A class of expressions; a dialect implements it for its abstract class and for the nodes that frontends make.
pub trait Expression: Class {}

/// An expression that selects an item of a tuple.
pub trait TupleItem: Expression {}

/// An expression with a tuple as its value, and the size of the tuple.
#[derive(Debug, Clone)]
pub struct TupleWrapper<E> {
    /// The expression.
    pub tuple_value: Ref<E>,
    /// Number of items.
    pub size: usize,
}

/// The source of new nodes: a span, or the name of a layer or file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpanSource(Span);

impl From<Span> for SpanSource {
    fn from(span: Span) -> SpanSource {
        SpanSource(span)
    }
}

impl From<&str> for SpanSource {
    fn from(name: &str) -> SpanSource {
        SpanSource(Span::source(SourceId::new(name)))
    }
}

impl From<String> for SpanSource {
    fn from(name: String) -> SpanSource {
        SpanSource::from(name.as_str())
    }
}

/// The results of a frontend conversion that can be filled: an expression, a tuple of expressions, a list of tuple items
/// and a [`TupleWrapper`].
///
/// Anything else does not compile:
///
/// ```compile_fail,E0277
/// tvmscript_si_builder::set_span("no expression", "layer1");
/// ```
pub trait Fillable: Sized {
    /// Fills each expression.
    ///
    /// # Errors
    /// Fails if a node of the graph breaks its invariants.
    fn fill(self, filler: &SpanFiller) -> Result<Self, RewriteError>;
}

impl<E: Expression> Fillable for Ref<E> {
    fn fill(self, filler: &SpanFiller) -> Result<Self, RewriteError> {
        filler.fill_graph(self)
    }
}

impl<E: TupleItem> Fillable for Vec<Ref<E>> {
    fn fill(self, filler: &SpanFiller) -> Result<Self, RewriteError> {
        Ok(filler.fill_graph(Array::new(self))?.iter().cloned().collect())
    }
}

impl<E: Expression> Fillable for TupleWrapper<E> {
    fn fill(self, filler: &SpanFiller) -> Result<Self, RewriteError> {
        Ok(TupleWrapper { tuple_value: filler.fill_graph(self.tuple_value)?, size: self.size })
    }
}

/// Tuples are filled as one graph, so that nodes which the items share stay shared.
macro_rules! tuples {
    ($(($($E:ident $x:ident),*))*) => {$(
        impl<$($E: Expression),*> Fillable for ($(Ref<$E>,)*) {
            fn fill(self, filler: &SpanFiller) -> Result<Self, RewriteError> {
                let ($($x,)*) = self;
                let items: Array<Object> = filler.fill_graph(Array::new([$($x.into_object()),*]))?;
                let mut items = items.iter().cloned();
                $(let $x = cast::<$E>(items.next())?;)*
                Ok(($($x,)*))
            }
        }
    )*};
}

tuples! {
    (A a)
    (A a, B b)
    (A a, B b, C c)
    (A a, B b, C c, D d)
    (A a, B b, C c, D d, E e)
    (A a, B b, C c, D d, E e, F f)
}

/// Casts a filled expression. Filling does not change the class of a node.
fn cast<E: Class>(filled: Option<Object>) -> Result<Ref<E>, RewriteError> {
    let object = filled.unwrap_or_else(|| Str::new("").into_object());
    let expected = E::type_info().display_key().to_owned();
    Ref::try_from_object(object).map_err(|found: Object| RewriteError {
        path: AccessPath::root(),
        error: FieldError::Root { expected, found: found.info().display_key() },
    })
}

/// Fills the nodes that a frontend makes with the span of their source.
///
/// Nodes with a span stop the walk, so each node belongs to the conversion that made it. Nothing is duplicated: shared
/// nodes stay shared, and variables and other nodes with identity are never copied.
///
/// Fill after each conversion. A node without a span that the caller still holds would otherwise be copied by the
/// conversions that use it.
#[derive(Debug, Clone, Copy)]
pub struct SpanFiller {
    span: Span,
}

impl SpanFiller {
    /// Creates a filler from a span, or from the name of a layer or file.
    pub fn new(source: impl Into<SpanSource>) -> SpanFiller {
        SpanFiller { span: source.into().0 }
    }

    /// Fills the expressions of `target`.
    ///
    /// # Errors
    /// Fails if a node of the graph breaks its invariants.
    pub fn fill<F: Fillable>(&self, target: F) -> Result<F, RewriteError> {
        target.fill(self)
    }

    fn fill_graph<T: ObjectLike>(&self, root: T) -> Result<T, RewriteError> {
        if !self.span.is_known() {
            return Ok(root);
        }
        mutate(root, &mut Fill { span: self.span, inputs: PtrSet::default(), stops_at_spans: true })
    }
}

/// Fills the nodes that a frontend made for one operator or layer; see [`SpanFiller`].
///
/// # Errors
/// Fails if a node of the graph breaks its invariants.
pub fn set_span<F: Fillable>(target: F, source: impl Into<SpanSource>) -> Result<F, RewriteError> {
    SpanFiller::new(source).fill(target)
}

//! Passes, and how to declare one.

use tvmscript_ir_core::{Class, Descend, Mutator, Object, ObjectLike, Ref, mutate};

use crate::{PassContext, PassError};

/// The description of a pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassInfo {
    /// The name, such as `circuit.Simplify`.
    pub name: String,
    /// The lowest optimisation level at which a sequence runs the pass.
    pub opt_level: u8,
    /// Names of passes that a sequence runs before this one.
    pub required: Vec<String>,
    /// Description for users.
    pub doc: &'static str,
    /// `true` for a sequence. Instruments see its passes, and its start and end.
    pub is_sequence: bool,
}

impl PassInfo {
    /// Describes a pass of optimisation level 0 without requirements. The lines of `doc` are joined.
    pub fn new(name: impl Into<String>, doc: &'static str) -> PassInfo {
        PassInfo { name: name.into(), opt_level: 0, required: Vec::new(), doc, is_sequence: false }
    }
}

/// A transformation of graphs whose root is of class `R`, such as a module.
pub trait Pass<R>: Send + Sync {
    /// Returns the description.
    fn info(&self) -> PassInfo;

    /// Transforms a graph. Returns the same node if nothing changes. Use [`PassContext::run`] to run a pass with its
    /// instruments.
    ///
    /// # Errors
    /// Fails if the pass cannot transform the graph.
    fn transform(&self, root: Ref<R>, context: &PassContext<'_, R>) -> Result<Ref<R>, PassError>;
}

/// Applies `f` to the parts of class `P`: nodes that a field of the root holds, itself or in a list or map, such as the
/// functions of a module. Returns the same root if no part changes. An error without a place is about the part.
///
/// # Errors
/// Fails with the first error of `f`.
pub fn map_parts<P: Class, R: Class>(
    root: Ref<R>,
    f: impl FnMut(Ref<P>) -> Result<Ref<P>, PassError>,
) -> Result<Ref<R>, PassError> {
    struct Parts<F> {
        f: F,
        is_in_root: bool,
        failed: Option<PassError>,
    }
    impl<F: FnMut(&Object) -> Option<Result<Object, PassError>>> Mutator for Parts<F> {
        fn enter(&mut self, node: &Object) -> Descend {
            if !std::mem::replace(&mut self.is_in_root, true) {
                return Descend::Into;
            }
            if self.failed.is_some() {
                return Descend::Keep;
            }
            match (self.f)(node) {
                Some(Ok(new)) => Descend::Replace(new),
                Some(Err(error)) => {
                    self.failed = Some(error.at(node));
                    Descend::Keep
                }
                None => Descend::Keep,
            }
        }
    }
    let mut f = f;
    let f = |node: &Object| {
        let part = node.downcast_ref::<P>()?;
        Some(f(part.clone()).map(ObjectLike::into_object))
    };
    let mut parts = Parts { f, is_in_root: false, failed: None };
    let new = mutate(root, &mut parts);
    match parts.failed {
        Some(error) => Err(error),
        None => Ok(new?),
    }
}

/// Declares a pass: a unit struct that implements [`Pass`](crate::Pass).
///
/// `for R |root, context| { .. }` declares a pass over roots of class `R`, and `for P in R |part, context| { .. }` one
/// that [`map_parts`](crate::map_parts) applies to each part of class `P`. The body is a function that returns
/// `Result<_, PassError>`. Optional parts, in this order: `opt_level = 2` and `requires = ["circuit.Simplify"]`.
///
/// ```
/// use tvmscript_ir_core::{Array, Node, Ref};
/// use tvmscript_pass::{PassContext, PassError, pass};
///
/// #[derive(Debug, Clone, Node)]
/// #[node(key = "doc.Leaf")]
/// struct Leaf {
///     value: i64,
/// }
///
/// #[derive(Debug, Clone, Node)]
/// #[node(key = "doc.Tree")]
/// struct Tree {
///     leaves: Array<Ref<Leaf>>,
/// }
///
/// pass! {
///     /// Halves the values of leaves.
///     pub Halve = "doc.Halve", opt_level = 1 for Leaf in Tree |leaf, _context| {
///         if leaf.value % 2 != 0 {
///             return Err(PassError::unsupported(format!("{} is odd", leaf.value)));
///         }
///         let mut leaf = leaf;
///         leaf.make_mut().value /= 2;
///         Ok(leaf)
///     }
/// }
///
/// let tree = |values: [i64; 2]| Ref::new(Tree { leaves: values.map(|value| Ref::new(Leaf { value })).into_iter().collect() });
/// let context = PassContext::new();
/// assert_eq!(context.run(&Halve, tree([4, 6]))?.leaves[1].value, 3);
///
/// let error = context.run(&Halve, tree([4, 5])).unwrap_err();
/// assert_eq!(error.to_string(), "in the pass `doc.Halve`: 5 is odd");
/// assert_eq!(error.diagnostic().path().map(ToString::to_string).as_deref(), Some("<root>.leaves[1]"));
/// # Ok::<(), PassError>(())
/// ```
#[macro_export]
macro_rules! pass {
    (
        $(#[doc = $doc:literal])+
        $vis:vis $name:ident = $key:literal
        $(, opt_level = $level:literal)? $(, requires = [$($required:literal),* $(,)?])?
        for $part:ident in $root:ty |$value:ident, $context:ident| $body:block
    ) => {
        $crate::pass! {
            $(#[doc = $doc])+
            $vis $name = $key $(, opt_level = $level)? $(, requires = [$($required),*])?
            for $root |root, context| {
                fn part(
                    $value: $crate::__private::Ref<$part>,
                    $context: &$crate::PassContext<'_, $root>,
                ) -> ::core::result::Result<$crate::__private::Ref<$part>, $crate::PassError> $body
                $crate::map_parts::<$part, $root>(root, |value| part(value, context))
            }
        }
    };
    (
        $(#[doc = $doc:literal])+
        $vis:vis $name:ident = $key:literal
        $(, opt_level = $level:literal)? $(, requires = [$($required:literal),* $(,)?])?
        for $root:ty |$value:ident, $context:ident| $body:block
    ) => {
        $(#[doc = $doc])+
        #[derive(Debug, Clone, Copy, Default)]
        $vis struct $name;

        impl $crate::Pass<$root> for $name {
            fn info(&self) -> $crate::PassInfo {
                #[allow(unused_mut)]
                let mut info = $crate::PassInfo::new($key, concat!($($doc, "\n"),+));
                $(info.opt_level = $level;)?
                $(info.required = vec![$($required.to_owned()),*];)?
                info
            }

            fn transform(
                &self,
                $value: $crate::__private::Ref<$root>,
                $context: &$crate::PassContext<'_, $root>,
            ) -> ::core::result::Result<$crate::__private::Ref<$root>, $crate::PassError> {
                $body
            }
        }
    };
}

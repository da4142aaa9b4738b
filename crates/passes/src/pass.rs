//! Passes, and how to declare one.

use tvmscript_ir::{BaseFunc, IRModule};
use tvmscript_ir_core::{Class, Map, Object, ObjectLike, Ref};

use crate::{PassContext, PassError};

/// The description of a pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassInfo {
    /// The name, such as `tir.UnrollLoop`.
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

/// A transformation of modules.
pub trait Pass: Send + Sync {
    /// Returns the description.
    fn info(&self) -> PassInfo;

    /// Transforms a module. Returns the same node if nothing changes. Use [`PassContext::run`] to run a pass with its
    /// instruments.
    ///
    /// # Errors
    /// Fails if the pass cannot transform the module.
    fn transform(&self, module: Ref<IRModule>, context: &PassContext) -> Result<Ref<IRModule>, PassError>;
}

/// Applies `f` to the functions of class `F`; returns the same module if no function changes.
///
/// # Errors
/// Fails with the first error of `f`.
pub fn map_functions<F: Class>(
    module: Ref<IRModule>,
    mut f: impl FnMut(Ref<F>) -> Result<Ref<F>, PassError>,
) -> Result<Ref<IRModule>, PassError> {
    let mut changed = false;
    let mut functions = Vec::with_capacity(module.functions.len());
    for (var, function) in module.functions.iter() {
        let new = match function.downcast_ref::<F>() {
            Some(typed) => base(f(typed.clone())?)?,
            None => function.clone(),
        };
        changed |= !new.ptr_eq(function);
        functions.push((var.clone(), new));
    }
    if !changed {
        return Ok(module);
    }
    let mut module = module;
    module.make_mut().functions = Map::new(functions);
    Ok(module)
}

fn base<F: Class>(function: Ref<F>) -> Result<Ref<BaseFunc>, PassError> {
    Ref::try_from_object(function.into_object()).map_err(|object: Object| {
        PassError::unsupported(format!("a `{}` is not a function", object.info().display_key()))
    })
}

/// Declares a pass: a unit struct that implements [`Pass`](crate::Pass).
///
/// `for F |function, context| { .. }` declares a pass over the functions of class `F`, and `|module, context| { .. }` one
/// over modules. The body is a function that returns `Result<_, PassError>`. Optional parts, in this order:
/// `opt_level = 2` and `requires = ["tir.Simplify"]`.
///
/// ```
/// use tvmscript_passes::pass;
///
/// pass! {
///     /// Removes all attributes of the module.
///     pub DropAttributes = "doc.DropAttributes", opt_level = 1 |module, _context| {
///         let mut module = module;
///         module.make_mut().attrs = tvmscript_ir::DictAttrs::new([]);
///         Ok(module)
///     }
/// }
///
/// assert_eq!(tvmscript_passes::Pass::info(&DropAttributes).doc.trim(), "Removes all attributes of the module.");
/// ```
#[macro_export]
macro_rules! pass {
    (
        $(#[doc = $doc:literal])+
        $vis:vis $name:ident = $key:literal
        $(, opt_level = $level:literal)? $(, requires = [$($required:literal),* $(,)?])?
        for $class:ty |$function:ident, $context:ident| $body:block
    ) => {
        $crate::pass! {
            $(#[doc = $doc])+
            $vis $name = $key $(, opt_level = $level)? $(, requires = [$($required),*])?
            |module, context| {
                fn function(
                    $function: $crate::__private::Ref<$class>,
                    $context: &$crate::PassContext,
                ) -> ::core::result::Result<$crate::__private::Ref<$class>, $crate::PassError> $body
                $crate::map_functions::<$class>(module, |f| function(f, context))
            }
        }
    };
    (
        $(#[doc = $doc:literal])+
        $vis:vis $name:ident = $key:literal
        $(, opt_level = $level:literal)? $(, requires = [$($required:literal),* $(,)?])?
        |$module:ident, $context:ident| $body:block
    ) => {
        $(#[doc = $doc])+
        #[derive(Debug, Clone, Copy, Default)]
        $vis struct $name;

        impl $crate::Pass for $name {
            fn info(&self) -> $crate::PassInfo {
                #[allow(unused_mut)]
                let mut info = $crate::PassInfo::new($key, concat!($($doc, "\n"),+));
                $(info.opt_level = $level;)?
                $(info.required = vec![$($required.to_owned()),*];)?
                info
            }

            fn transform(
                &self,
                $module: $crate::__private::Ref<$crate::__private::IRModule>,
                $context: &$crate::PassContext,
            ) -> ::core::result::Result<$crate::__private::Ref<$crate::__private::IRModule>, $crate::PassError> {
                $body
            }
        }
    };
}

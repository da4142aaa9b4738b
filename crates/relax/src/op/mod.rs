//! The operators of Relax, each declared once: one entry of `operators!` in the file of its family.
//!
//! From an entry follow the [`Operator`] with its inference and effect, and with the feature `build` the script function
//! (`R.nn.conv2d`) and its Rust counterpart in the family's module `script`. An entry whose call is nothing but its operands
//! and attributes also gives a typed function (`op::elementwise::add`); one with a body converts what scripts give first, so it
//! needs `build`. Inference needs no feature.

// What only bodies of entries use is idle without `build`.
#![cfg_attr(not(feature = "build"), allow(unused_imports, dead_code))]

pub mod call;
pub mod ccl;
pub mod create;
pub mod datatype;
pub mod device;
pub mod distributed;
pub mod einsum;
pub mod elementwise;
pub mod grad;
pub mod image;
pub mod in_place;
pub mod index;
mod infer;
pub mod inspect;
mod join;
mod layout;
pub mod linear_algebra;
pub mod memory;
pub mod nn;
pub mod print;
pub mod quantize;
pub mod reduce;
mod scatter;
pub mod search;
mod shape;
pub mod ternary;
pub mod vm;

pub use infer::{
    Infer, InferError, InferErrorKind, MAX_NDIM, product, shared_device, tensor_of, tensor_of_operand,
    tensor_of_rank, tensor_of_scalars,
};
pub use layout::LayoutError;

use std::collections::HashMap;
use std::sync::LazyLock;

use tvmscript_ir::Attrs;
#[cfg(feature = "build")]
use tvmscript_ir::DictAttrs;
use tvmscript_ir_core::Ref;
#[cfg(feature = "build")]
use tvmscript_ir_core::type_table::type_by_key;
#[cfg(feature = "build")]
use tvmscript_ir_core::{Class, Str};
#[cfg(feature = "build")]
use tvmscript_irbuilder::{BuildError, Result as BuildResult, ScriptFn, ScriptValue};

use crate::node::{Call, Expr, StructInfo};

/// Types of parameters, as typed functions take them. Some stand for forms that scripts may give besides, which
/// [`crate::build::operator`] converts.
pub mod kind {
    use tvmscript_ir_core::{Array, Object, Ref, Str};
    use tvmscript_prim::IntImm;

    use crate::node::Expr;

    /// Any expression; scripts may give what becomes one, such as a number.
    pub type AnyExpr = Expr;
    /// A scalar; scripts may give a number.
    pub type Prim = Expr;
    /// A shape; scripts may give a tuple of dimensions.
    pub type Shape = Expr;
    /// A tuple of tensors; scripts may give a list of them.
    pub type TensorTuple = Expr;
    /// An integer; scripts may give a number.
    pub type IntValue = Expr;
    /// A scalar that is written out.
    pub type Scalar = Expr;
    /// Text.
    pub type Text = Expr;
    /// A type as an operand.
    pub type Dtype = Expr;
    /// A tuple that is written out.
    pub type InlineTuple = Expr;

    /// An integer attribute.
    pub type Int = i64;
    /// A truth value.
    pub type Flag = bool;
    /// A list of integers, such as axes; scripts may give one.
    pub type Ints = Array<Ref<IntImm>>;
    /// A list of integers.
    pub type IntList = Array<Ref<IntImm>>;
    /// An integer literal.
    pub type Literal = Ref<IntImm>;
    /// The name of a way to combine tensors.
    pub type Combine = Str;
    /// A number of elements.
    pub type Count = i64;
    /// How many parts, or where each but the first begins.
    pub type Sections = Object;
}

/// What an operator gives for its operands.
pub type InferFn = fn(&mut Infer<'_>) -> Result<Ref<StructInfo>, InferError>;

/// The effect of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// None: the result depends on the operands alone.
    Pure,
    /// Anything.
    Opaque,
}

/// An operator, declared by an entry of `operators!`.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Operator {
    /// The full name: `relax.nn.conv2d`.
    pub name: &'static str,
    /// The name after `R.` in text: `nn.conv2d`.
    pub text: &'static str,
    /// The function of scripts.
    #[cfg(feature = "build")]
    pub function: Option<&'static ScriptFn>,
    /// The struct info of a call.
    pub infer: InferFn,
    /// What a call may do.
    pub effect: Effect,
}

impl Operator {
    /// A pure operator.
    pub const fn new(name: &'static str, text: &'static str, infer: InferFn) -> Operator {
        Operator {
            name,
            text,
            #[cfg(feature = "build")]
            function: None,
            infer,
            effect: Effect::Pure,
        }
    }

    /// The operator, with an effect.
    #[must_use]
    pub const fn with_effect(self, effect: Effect) -> Operator {
        Operator { effect, ..self }
    }

    /// The operator, with its function of scripts.
    #[cfg(feature = "build")]
    #[must_use]
    pub const fn with_function(self, function: &'static ScriptFn) -> Operator {
        Operator { function: Some(function), ..self }
    }

    /// Whether calls change nothing outside.
    pub fn is_pure(&self) -> bool {
        self.effect == Effect::Pure
    }

    /// A call.
    pub fn call(&self, attrs: Option<Ref<Attrs>>, operands: impl IntoIterator<Item = Expr>) -> Ref<Call> {
        Call::of_op(self.name, operands, attrs)
    }

    /// The struct info of a call, whose operands may be spread over a mesh.
    ///
    /// # Errors
    /// When the operands do not fit.
    pub fn result(&self, mut cx: Infer<'_>) -> Result<Ref<StructInfo>, InferError> {
        if distributed::is_spread(cx.call) { distributed::result(self, cx) } else { (self.infer)(&mut cx) }
    }
}

/// Lists the families: for each its operators, and its functions of scripts.
macro_rules! families {
    ($($($family:ident)::+),* $(,)?) => {
        static FAMILIES: &[&[&Operator]] = &[$($($family)::+::OPERATORS),*];

        /// The functions of scripts of all families, those that make calls of no operator of their own among them.
        #[cfg(feature = "build")]
        pub fn functions() -> impl Iterator<Item = &'static ScriptFn> {
            [$($($family)::+::FUNCTIONS),*].into_iter().flatten().copied()
        }
    };
}
families! {
    call,
    ccl,
    create,
    datatype,
    device,
    distributed,
    einsum,
    elementwise,
    grad,
    image,
    index,
    inspect,
    join,
    linear_algebra,
    memory,
    nn::activation,
    nn::attention,
    nn::conv,
    nn::loss,
    nn::norm,
    nn::pool,
    nn::resample,
    print,
    quantize,
    reduce,
    scatter,
    search,
    shape,
    ternary,
    vm,
}

static BY_NAME: LazyLock<HashMap<&'static str, &'static Operator>> =
    LazyLock::new(|| operators().map(|operator| (operator.name, operator)).collect());

/// The operator of this full name.
pub fn operator(name: &str) -> Option<&'static Operator> {
    BY_NAME.get(name).copied()
}

/// All operators.
pub fn operators() -> impl Iterator<Item = &'static Operator> {
    FAMILIES.iter().flat_map(|family| family.iter()).copied()
}

/// The attributes of a call of an external function: a dictionary, or fields of the class that `attrs_type_key` names.
#[cfg(feature = "build")]
fn packed_attrs(attrs: Vec<(Str, ScriptValue)>) -> BuildResult<Option<Ref<Attrs>>> {
    let mut key = None;
    let mut entries = Vec::with_capacity(attrs.len());
    for (name, value) in attrs {
        if name.as_str() == "attrs_type_key" {
            key = Some(value);
            continue;
        }
        let Some(value) = value.to_field() else {
            return Err(BuildError::expected("a value that IR can hold", value.type_name()));
        };
        entries.push((name, value));
    }
    let key = match &key {
        None if entries.is_empty() => return Ok(None),
        None => return Ok(Some(DictAttrs::new(entries).upcast())),
        Some(ScriptValue::Str(key)) => key.clone(),
        Some(other) => return Err(BuildError::expected("the type key of attributes", other.type_name())),
    };
    if key.as_str() == "ir.DictAttrs" {
        return Ok(Some(DictAttrs::new(entries).upcast()));
    }
    let unknown = || BuildError::expected("a class of attributes", format!("`{key}`"));
    let info = type_by_key(&key).filter(|info| info.is_a(Attrs::type_info())).ok_or_else(unknown)?;
    let field = |name: &str| entries.iter().position(|(known, _)| known.as_str() == name);
    let mut values = Vec::with_capacity(entries.len());
    for known in info.fields() {
        let Some(at) = field(known.name) else {
            return Err(BuildError::message(format!(
                "`{key}` has the field `{}`, which is not given",
                known.name
            )));
        };
        values.push(entries[at].1.clone());
    }
    if values.len() != entries.len() {
        return Err(BuildError::message(format!(
            "`{key}` has {} fields, not {}",
            values.len(),
            entries.len()
        )));
    }
    let object = info.construct(values)?;
    object.downcast().map(Some).map_err(|_| unknown())
}

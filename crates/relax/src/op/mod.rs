//! The operators of Relax, each declared once: one entry of `operators!` in the file of its family.
//!
//! From an entry follow the [`Operator`] with its type inference, effect and other properties; a typed function
//! (`op::elementwise::add`); and with the feature `build` the script function (`R.add`) with its Rust counterpart in the
//! family's module `script`. An entry with a body has no typed function and needs `build`. Inference needs no feature.

// Conversions for bodies of entries are unused without `build`.
#![cfg_attr(not(feature = "build"), allow(unused_imports, dead_code))]

/// Declares the operators of a family; see [`tvmscript_ir_macros::operators!`].
macro_rules! operators {
    ($($entries:tt)*) => {
        tvmscript_ir_macros::operators! {
            prefix = "relax.";
            result = tvmscript_ir_core::Ref<crate::node::Call>;
            script = crate::build::operator;
            $($entries)*
        }
    };
}

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
pub mod index;
mod infer;
pub mod inspect;
pub mod join;
mod layout;
pub mod linear_algebra;
pub mod memory;
pub mod nn;
pub mod print;
pub mod quantize;
pub mod reduce;
pub mod scatter;
pub mod search;
pub mod shape;
pub mod tvm_0_27;
pub mod vm;

pub use distributed::Sharding;
pub use infer::{Infer, InferError, InferErrorKind, MAX_NDIM};
pub(crate) use infer::{
    product, shared_device, tensor_of, tensor_of_operand, tensor_of_rank, tensor_of_scalars, tensor_with,
};
pub use layout::LayoutError;

use std::sync::LazyLock;

use hashbrown::HashMap;
use tvmscript_ir::Attrs;
#[cfg(feature = "build")]
use tvmscript_ir::DictAttrs;
use tvmscript_ir_core::Ref;
#[cfg(feature = "build")]
use tvmscript_ir_core::type_table::type_by_key;
#[cfg(feature = "build")]
use tvmscript_ir_core::{Class, Str};
#[cfg(feature = "build")]
use tvmscript_irbuilder::{BuildError, BuildResult, ScriptFn, ScriptValue};

use crate::node::{Call, Expr, StructInfo};

/// Names that all families use.
mod prelude {
    pub(super) use tvmscript_ir_core::{Array, DataType, Ref, Span, Str};
    pub(super) use tvmscript_prim::{self as prim, IntImm, ops};

    pub(super) use super::kind::*;
    pub(super) use super::{
        Infer, InferError, InferErrorKind, Operator, Sharding, or_void, plain_int, shared_device, tensor_of,
        tensor_of_operand, tensor_of_rank, tensor_of_scalars, tensor_with, wide,
    };
    pub(super) use crate::node::*;

    /// The result of a check.
    pub(super) type Checked<T> = Result<T, InferError>;
    /// The struct info of a call.
    pub(super) type Inferred = Checked<Ref<StructInfo>>;
}

/// Parameter types of typed functions. [`crate::build::operator`] has types of the same names for script functions, which
/// accept further forms.
pub mod kind {
    use tvmscript_ir_core::{Array, DataType, Object, Ref, Str, Value};
    use tvmscript_prim::{FloatImm, IntImm};

    use crate::node::{DeviceMesh, Expr, Placement, StructInfo};

    /// Any expression. Scripts may pass numbers, text and tuples.
    pub type AnyExpr = Expr;
    /// A data type. Scripts may pass an expression that holds one.
    pub type AnyDtype = Expr;
    /// The arguments of a call. Scripts may pass a tuple, or one argument alone.
    pub type CallArgs = Expr;
    /// A function outside Relax. Scripts may pass the name of an external one.
    pub type Callee = Expr;
    /// A data type literal.
    pub type Dtype = Expr;
    /// An external function. Scripts may pass its name.
    pub type External = Expr;
    /// A flag held as a number.
    pub type FlagValue = Expr;
    /// A function of the module.
    pub type ModuleFunction = Expr;
    /// The size of an image with `N` sides: scripts may pass one length for all.
    pub type ImageSize<const N: usize> = Expr;
    /// The size of a plane: scripts may pass one length for both sides, or a list of dimensions.
    pub type PlaneSize = Expr;
    /// A tuple literal.
    pub type InlineTuple = Expr;
    /// An integer.
    pub type IntValue = Expr;
    /// A number literal; integers are `int64`, floating-point numbers `float64`.
    pub type Number = Expr;
    /// A scalar expression.
    pub type Prim = Expr;
    /// `R.prim_value(..)`.
    pub type PrimLiteral = Expr;
    /// A scalar literal.
    pub type Scalar = Expr;
    /// A shape. Scripts may pass a list of dimensions.
    pub type Shape = Expr;
    /// A tuple of tensors. Scripts may pass a list of them.
    pub type TensorTuple = Expr;
    /// Text.
    pub type Text = Expr;

    /// The struct info of the results that a call states.
    pub type Infos = Vec<Ref<StructInfo>>;
    /// The struct info of the result, a tensor with a shape or a tuple of them.
    pub type OutInfo = Vec<Ref<StructInfo>>;
    /// Struct info of the result.
    pub type ResultInfo = Vec<Ref<StructInfo>>;

    /// A reduction over workers.
    pub type Combine = Str;
    /// A number of elements.
    pub type Count = i64;
    /// An element type, not void.
    pub type ElementType = DataType;
    /// A flag.
    pub type Flag = bool;
    /// A floating-point literal.
    pub type Float = Ref<FloatImm>;
    /// A list of Python floats.
    pub type Floats = Array<Value>;
    /// An integer.
    pub type Int = i64;
    /// A list of integers.
    pub type IntList = Array<Ref<IntImm>>;
    /// A list of integers. Scripts may pass one integer.
    pub type Ints = Array<Ref<IntImm>>;
    /// An integer literal.
    pub type Literal = Ref<IntImm>;
    /// A mesh of devices.
    pub type Mesh = Ref<DeviceMesh>;
    /// A placement on a mesh.
    pub type MeshPlacement = Ref<Placement>;
    /// The padding of `N` spatial axes: all before, then all after. Scripts may pass one number for all or one per axis.
    pub type Padding<const N: usize> = Array<Ref<IntImm>>;
    /// `N` integers of `int64`. Scripts may pass one for all axes.
    pub type PerAxis<const N: usize> = Array<Ref<IntImm>>;
    /// A positive integer.
    pub type Positive = i64;
    /// The reduction of a loss: `none`, `sum` or `mean`.
    pub type Reduction = Str;
    /// The region of an image: `N` bounds. Scripts may pass one for all.
    pub type Region<const N: usize> = Array<Ref<FloatImm>>;
    /// `N` integers, of the type they have. Scripts may pass one for all axes.
    pub type Repeated<const N: usize> = Array<Ref<IntImm>>;
    /// A number of parts, or the start of each part but the first.
    pub type Sections = Object;
    /// A device of the module.
    pub type ModuleDevice = Ref<tvmscript_ir::VDevice>;
}

/// An integer literal as narrow as it fits: `int32` or `int64`, as TVM converts Python integers.
pub fn plain_int(value: i64) -> Ref<tvmscript_prim::IntImm> {
    let dtype = match i32::try_from(value) {
        Ok(_) => tvmscript_ir_core::DataType::INT32,
        Err(_) => tvmscript_ir_core::DataType::INT64,
    };
    Ref::new(tvmscript_prim::IntImm { span: tvmscript_ir_core::Span::current(), dtype, value })
}

/// The integers as `int64`.
pub(crate) fn wide(ints: &kind::Ints) -> kind::Ints {
    use tvmscript_ir_core::DataType;
    let wide = |int: &kind::Literal| match int.dtype == DataType::INT64 {
        true => int.clone(),
        false => {
            Ref::new(tvmscript_prim::IntImm { span: int.span, dtype: DataType::INT64, value: int.value })
        }
    };
    ints.iter().map(wide).collect()
}

fn or_void(dtype: Option<tvmscript_ir_core::DataType>) -> tvmscript_ir_core::DataType {
    dtype.unwrap_or(tvmscript_ir_core::DataType::VOID)
}

/// Type inference of an operator: the struct info of a call.
pub type InferFn = fn(&mut Infer<'_>) -> Result<Ref<StructInfo>, InferError>;

/// The effect of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// None: the result depends on the operands alone.
    Pure,
    /// Any.
    Opaque,
}

/// The form of a call in text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallForm {
    /// Operands, attributes by keyword, stated results as `sinfo_args`.
    Plain,
    /// Like `Plain`; the first operand is a callee, and an external one prints as its name.
    Callee,
    /// `op(f, (x, y), out_sinfo=..)`: a callee, the tuple of arguments, the results that the call allocates.
    DestinationPassing(DestinationForm),
    /// `op("f", x, y, out_sinfo=..)`: the arguments are the fields of the tuple that is the second operand.
    SpreadArguments,
    /// The operand at this position is the keyword argument `format`.
    Format(usize),
    /// The attributes are positional: a device, then a memory scope.
    DeviceHint,
    /// The operands in another order.
    Reordered(&'static [usize]),
}

/// The variants of [`CallForm::DestinationPassing`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct DestinationForm {
    /// `true` if an external callee prints as its name.
    pub names_callee: bool,
    /// `true` if a third operand prints as `tir_vars`.
    pub has_scalars: bool,
    /// `true` if `out_sinfo` makes the annotation of the bound variable redundant.
    pub implies_annotation: bool,
    /// The name in text if a result is distributed over a mesh.
    pub distributed_text: Option<&'static str>,
}

impl DestinationForm {
    const CALL_TIR: Self = DestinationForm {
        names_callee: false,
        has_scalars: true,
        implies_annotation: true,
        distributed_text: Some("dist.call_tir"),
    };
    const CALL_TIR_INPLACE: Self = DestinationForm { implies_annotation: false, ..Self::CALL_TIR };
    const CALL_TIR_WITH_GRAD: Self = DestinationForm { has_scalars: false, ..Self::LOCAL_VIEW };
    const CALL_DPS_PACKED: Self = DestinationForm {
        names_callee: true,
        has_scalars: false,
        implies_annotation: true,
        distributed_text: None,
    };
    const LOCAL_VIEW: Self = DestinationForm { distributed_text: None, ..Self::CALL_TIR_INPLACE };
}

/// An operator, declared by an entry of `operators!`.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Operator {
    /// The full name: `relax.nn.conv2d`.
    pub name: &'static str,
    /// The name after `R.` in text: `nn.conv2d`.
    pub text: &'static str,
    /// The script function.
    #[cfg(feature = "build")]
    pub function: Option<&'static ScriptFn>,
    /// Type inference.
    pub infer: InferFn,
    /// The effect of a call.
    pub effect: Effect,
    /// The form of a call in text.
    pub form: CallForm,
    /// The sharding of the result of distributed operands; `None` if the operator does not take them.
    pub sharding: Option<Sharding>,
    /// An attribute whose integers keep the type that the text states, although other operators convert it.
    pub typed_attribute: Option<&'static str>,
}

impl Operator {
    /// Creates a pure operator.
    pub const fn new(name: &'static str, text: &'static str, infer: InferFn) -> Operator {
        Operator {
            name,
            text,
            #[cfg(feature = "build")]
            function: None,
            infer,
            effect: Effect::Pure,
            form: CallForm::Plain,
            sharding: None,
            typed_attribute: None,
        }
    }

    /// Sets the effect.
    #[must_use]
    pub const fn with_effect(self, effect: Effect) -> Operator {
        Operator { effect, ..self }
    }

    /// Sets the form of a call in text.
    #[must_use]
    pub const fn with_form(self, form: CallForm) -> Operator {
        Operator { form, ..self }
    }

    /// Sets the sharding of the result.
    #[must_use]
    pub const fn with_sharding(self, sharding: Sharding) -> Operator {
        Operator { sharding: Some(sharding), ..self }
    }

    /// Sets the attribute whose integers keep their stated type.
    #[must_use]
    pub const fn with_typed_attribute(self, name: &'static str) -> Operator {
        Operator { typed_attribute: Some(name), ..self }
    }

    /// Sets the script function.
    #[cfg(feature = "build")]
    #[must_use]
    pub const fn with_function(self, function: &'static ScriptFn) -> Operator {
        Operator { function: Some(function), ..self }
    }

    /// Returns `true` if calls have no effect.
    pub fn is_pure(&self) -> bool {
        self.effect == Effect::Pure
    }

    /// Makes a call.
    pub fn call(&self, attrs: Option<Ref<Attrs>>, operands: impl IntoIterator<Item = Expr>) -> Ref<Call> {
        Call::of_op(self.name, operands, attrs)
    }

    /// Makes a call that states the struct info of its results.
    pub fn call_stated(
        &self,
        attrs: Option<Ref<Attrs>>,
        operands: impl IntoIterator<Item = Expr>,
        results: impl IntoIterator<Item = Ref<StructInfo>>,
    ) -> Ref<Call> {
        Call::new(tvmscript_prim::Op::get(self.name).upcast(), operands, attrs, results)
    }

    /// Infers the struct info of a call, whose operands may be distributed over a mesh.
    ///
    /// # Errors
    /// Fails if the operands do not fit.
    pub fn result(&self, mut cx: Infer<'_>) -> Result<Ref<StructInfo>, InferError> {
        let result = match distributed::is_distributed_call(cx.call) {
            true => distributed::result(self, cx),
            false => (self.infer)(&mut cx),
        };
        result.map_err(|error| InferError { operator: Some(self.text), ..error })
    }
}

/// Operators by family, and the script functions of the families.
#[derive(Debug, Clone, Copy)]
pub struct Families {
    operators: &'static [&'static [&'static Operator]],
    #[cfg(feature = "build")]
    functions: &'static [&'static [&'static ScriptFn]],
}

impl Families {
    /// No operators.
    pub const NONE: Families = Families {
        operators: &[],
        #[cfg(feature = "build")]
        functions: &[],
    };

    /// Returns the operators.
    pub fn operators(&self) -> impl Iterator<Item = &'static Operator> + use<> {
        self.operators.iter().flat_map(|family| family.iter()).copied()
    }

    /// Returns the script functions, including those without an operator of their own.
    #[cfg(feature = "build")]
    pub fn functions(&self) -> impl Iterator<Item = &'static ScriptFn> + use<> {
        self.functions.iter().flat_map(|family| family.iter()).copied()
    }
}

/// Lists the operators and the script functions of families.
macro_rules! families {
    ($($($family:ident)::+),* $(,)?) => {
        crate::op::Families {
            operators: &[$($($family)::+::OPERATORS),*],
            #[cfg(feature = "build")]
            functions: &[$($($family)::+::FUNCTIONS),*],
        }
    };
}

/// The operators of all releases.
pub const SHARED: Families = families! {
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
    vm,
};

/// Those of [`TVM_0_27`] that TVM 0.25 has already.
pub const TVM_0_27_EARLY: Families = families! {
    tvm_0_27::image,
    tvm_0_27::nn,
    tvm_0_27::tensor,
    tvm_0_27::vision,
};

/// The operators that TVM 0.26 and 0.27 have in addition to those of all releases.
pub const TVM_0_27: Families = families! {
    tvm_0_27::image,
    tvm_0_27::nn,
    tvm_0_27::sequence,
    tvm_0_27::tensor,
    tvm_0_27::vision,
};

/// The operators of all releases and of single ones.
pub(crate) static ALL: [Families; 2] = [SHARED, TVM_0_27];

static BY_NAME: LazyLock<HashMap<&'static str, &'static Operator>> =
    LazyLock::new(|| operators().map(|operator| (operator.name, operator)).collect());

/// Returns the operator with this full name, e.g. `relax.add`, in any release.
pub fn operator(name: &str) -> Option<&'static Operator> {
    BY_NAME.get(name).copied()
}

/// Returns the operators of all releases and of single ones.
pub fn operators() -> impl Iterator<Item = &'static Operator> {
    ALL.into_iter().flat_map(|families| families.operators())
}

/// The attributes of a call of an external function: a dictionary, or the fields of the class named by `attrs_type_key`.
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
            return Err(BuildError::expected("an attribute value", value.type_name()));
        };
        entries.push((name, value));
    }
    let key = match &key {
        None if entries.is_empty() => return Ok(None),
        None => return Ok(Some(DictAttrs::new(entries).upcast())),
        Some(ScriptValue::Str(key)) => key.clone(),
        Some(other) => return Err(BuildError::expected("a type key of attributes", other.type_name())),
    };
    if key.as_str() == "ir.DictAttrs" {
        return Ok(Some(DictAttrs::new(entries).upcast()));
    }
    let unknown = || BuildError::expected("a class of attributes", format!("`{key}`"));
    let info = type_by_key(&key).filter(|info| info.is_a(Attrs::type_info())).ok_or_else(unknown)?;
    let field = |name: &str| entries.iter().find(|(known, _)| known.as_str() == name);
    let mut values = Vec::with_capacity(entries.len());
    for known in info.fields() {
        let Some((_, value)) = field(known.name) else {
            return Err(BuildError::message(format!("missing field `{}` of `{key}`", known.name)));
        };
        values.push(value.clone());
    }
    if values.len() != entries.len() {
        return Err(BuildError::message(format!(
            "expected {} fields for `{key}`, found {}",
            values.len(),
            entries.len()
        )));
    }
    let object = info.construct(values)?;
    object.downcast().map(Some).map_err(|_| unknown())
}

//! Operators, each declared once: its name, the script function that makes calls of it, what it gives, whether it has effects.
//!
//! A family is a file: the functions with their attributes, the rules of inference, and one table of both. From the tables come
//! the names of the dialect (`R.nn.conv2d`), the binding of arguments, and struct info.

mod call;
pub mod ccl;
mod create;
pub(crate) mod datatype;
pub mod device;
pub mod distributed;
mod einsum;
mod elementwise;
mod grad;
mod image;
pub mod in_place;
mod index;
mod infer;
pub mod inspect;
mod layout;
mod linear_algebra;
mod manipulate;
pub mod memory;
mod nn;
pub mod print;
pub mod quantize;
pub mod reduce;
pub mod search;
mod ternary;
pub mod vm;

pub use infer::{
    Infer, InferError, InferErrorKind, MAX_NDIM, product, shared_device, tensor_of, tensor_of_operand,
    tensor_of_rank, tensor_of_scalars,
};
pub use layout::LayoutError;

use std::collections::HashMap;
use std::sync::LazyLock;

use tvmscript_ir::{Attrs, DictAttrs};
use tvmscript_ir_core::type_table::type_by_key;
use tvmscript_ir_core::{Class, Ref, Str};
use tvmscript_irbuilder::{BuildError, Result as BuildResult, ScriptFn, ScriptValue};

use crate::node::StructInfo;

/// Declares operators without attributes, all of whose operands are expressions: documentation, the Rust function and its
/// static, the name, the operands, the rule of inference. The table gets the first name.
macro_rules! plain_operators {
    ($table:ident; $($(#[$doc:meta])* $function:ident $CONST:ident $name:literal ($($param:ident),*) $infer:ident;)*) => {
        $(
            $(#[$doc])*
            #[tvmscript_irbuilder::script_fn(name = $name)]
            pub fn $function($($param: crate::build::args::ExprArg),*) -> tvmscript_irbuilder::Result<Ref<Call>> {
                Ok(Call::of_op(concat!("relax.", $name), [$($param.0),*], None))
            }
        )*
        /// The operators of this form.
        pub static $table: &[Operator] = &[$(Operator::new(concat!("relax.", $name), &$CONST, $infer)),*];
    };
}
pub(crate) use plain_operators;

/// What an operator gives for its operands.
pub type InferFn = fn(&mut Infer<'_>) -> Result<Ref<StructInfo>, InferError>;

/// An operator.
#[derive(Debug, Clone, Copy)]
pub struct Operator {
    /// The full name (`relax.nn.conv2d`).
    pub name: &'static str,
    /// The function of scripts that makes calls of it; operators that only passes make have none.
    pub function: Option<&'static ScriptFn>,
    /// What it gives.
    pub infer: InferFn,
    /// Calls change nothing outside.
    pub is_pure: bool,
}

impl Operator {
    /// An operator without effects that a function of scripts makes.
    pub const fn new(name: &'static str, function: &'static ScriptFn, infer: InferFn) -> Operator {
        Operator { name, function: Some(function), infer, is_pure: true }
    }

    /// An operator without effects that only passes make.
    pub const fn internal(name: &'static str, infer: InferFn) -> Operator {
        Operator { name, function: None, infer, is_pure: true }
    }

    /// The struct info of a call, whose operands may be spread over a mesh.
    ///
    /// # Errors
    /// When the operands do not fit.
    pub fn result(&self, mut cx: Infer<'_>) -> Result<Ref<StructInfo>, InferError> {
        if distributed::is_spread(cx.call) { distributed::result(self, cx) } else { (self.infer)(&mut cx) }
    }

    /// The operator, with effects.
    #[must_use]
    pub const fn impure(self) -> Operator {
        Operator { is_pure: false, ..self }
    }
}

/// All operators, one table a family.
pub static FAMILIES: &[&[Operator]] = &[
    call::OPERATORS,
    ccl::OPERATORS,
    ccl::PLAIN,
    create::OPERATORS,
    datatype::OPERATORS,
    device::OPERATORS,
    distributed::OPERATORS,
    einsum::OPERATORS,
    elementwise::BINARY,
    elementwise::OTHERS,
    elementwise::UNARY,
    grad::OPERATORS,
    grad::PLAIN,
    image::OPERATORS,
    index::gather::OPERATORS,
    index::put::OPERATORS,
    index::slice::OPERATORS,
    index::take::OPERATORS,
    inspect::OPERATORS,
    inspect::PLAIN,
    linear_algebra::OPERATORS,
    manipulate::axes::OPERATORS,
    manipulate::broadcast::OPERATORS,
    manipulate::join::OPERATORS,
    manipulate::layout_transform::OPERATORS,
    manipulate::one_hot::OPERATORS,
    manipulate::permute_dims::OPERATORS,
    manipulate::repeat::OPERATORS,
    manipulate::reshape::OPERATORS,
    manipulate::scatter::OPERATORS,
    manipulate::shape_of::OPERATORS,
    manipulate::slice_scatter::OPERATORS,
    manipulate::split::OPERATORS,
    memory::OPERATORS,
    memory::PLAIN,
    nn::activation::OPERATORS,
    nn::activation::PLAIN,
    nn::attention::OPERATORS,
    nn::conv::OPERATORS,
    nn::loss::OPERATORS,
    nn::loss::PLAIN,
    nn::norm::OPERATORS,
    nn::pool::OPERATORS,
    nn::resample::OPERATORS,
    print::OPERATORS,
    quantize::OPERATORS,
    reduce::OTHERS,
    reduce::STATISTICS,
    search::OPERATORS,
    ternary::OPERATORS,
    vm::OPERATORS,
    vm::PLAIN,
];

/// Functions of scripts that make calls, but not of one operator by itself.
pub static OTHER_FUNCTIONS: &[&[&ScriptFn]] =
    &[call::FUNCTIONS, distributed::FUNCTIONS, linear_algebra::FUNCTIONS, nn::activation::FUNCTIONS];

static BY_NAME: LazyLock<HashMap<&'static str, &'static Operator>> =
    LazyLock::new(|| FAMILIES.iter().flat_map(|family| family.iter()).map(|op| (op.name, op)).collect());

/// The operator of this full name.
pub fn operator(name: &str) -> Option<&'static Operator> {
    BY_NAME.get(name).copied()
}

/// All operators.
pub fn operators() -> impl Iterator<Item = &'static Operator> {
    FAMILIES.iter().flat_map(|family| family.iter())
}

/// The attributes of a call of an external function: a dictionary, or fields of the class that `attrs_type_key` names.
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

//! Names of scripts: functions, layouts, short names of types, and the modules to import.

use tvmscript_ir_core::{Array, Dialect, Map, Ref};
use tvmscript_irbuilder::{
    BuildDialect as _, BuildError, CallArgs, HostFunction, HostObject, Result, ScriptValue, Signature,
};
use tvmscript_prim::{Expr, PrimExprExt};
use tvmscript_script_parser::{Member, ParseDialect as _, PythonModule};
use tvmscript_tir::build::args::ExprArg;
use tvmscript_tir::op::Operator;
use tvmscript_tir::op::bits::STRICT;

use super::build::{
    ALLOC_BUFFER, ALLOC_LOCAL, ALLOC_SCALAR, ALLOC_SHARED, ATTR, BUFFER, DECL_BUFFER, LOCAL_SCALAR, Let,
    MATCH_BUFFER, PARALLEL, SBLOCK_ALLOC_BUFFER, SERIAL, SHARED_SCALAR, UNROLL, VECTORIZED,
};
use super::layout::{Axis, Iter, MEMORY, TileLayout};

/// Registers the functions, and the namespace for imports.
pub(super) fn register(dialect: Dialect) -> Dialect {
    static MODULES: &[PythonModule] =
        &[PythonModule::new(&["tvm.script", "tvm.script.parser", "tvm.script.ir_builder"])
            .members(&[("tirx", Member::Namespace)])];
    let functions = &[
        &crate::build::BIND,
        &BUFFER,
        &MATCH_BUFFER,
        &ALLOC_BUFFER,
        &ALLOC_SHARED,
        &ALLOC_LOCAL,
        &SBLOCK_ALLOC_BUFFER,
        &DECL_BUFFER,
        &ALLOC_SCALAR,
        &LOCAL_SCALAR,
        &SHARED_SCALAR,
        &ATTR,
        &SERIAL,
        &PARALLEL,
        &VECTORIZED,
        &UNROLL,
    ];
    dialect
        .namespace(&["tirx"])
        .functions(functions)
        .name_fallback(find, names)
        .python_modules(MODULES)
        .predefined_names(&[("TypeVar", "typing")])
}

/// The value of a name that is no function of the table.
fn find(name: &str) -> Option<ScriptValue> {
    Some(match name {
        "let" => ScriptValue::host(Let(None)),
        "S" => ScriptValue::host(Spec { is_replica: false }),
        "R" => ScriptValue::host(Spec { is_replica: true }),
        "TileLayout" => HostFunction::value("TileLayout", tile_layout),
        _ => {
            let (name, operator) = STRICT.iter().find(|(strict, _)| *strict == name)?;
            HostFunction::value(*name, |args| strict(operator, args))
        }
    })
}

fn names() -> Vec<&'static str> {
    let strict = STRICT.iter().map(|(name, _)| *name);
    strict.chain(["let", "S", "R", "TileLayout"]).collect()
}

/// A call of a bit operation, without folding.
fn strict(operator: &'static Operator, args: CallArgs) -> Result<ScriptValue> {
    let operands = args.positional.into_iter().enumerate();
    let operands =
        operands.map(|(i, operand)| ExprArg::convert(operand).map_err(|error| error.at_position(i)));
    let operands: Vec<Expr> = operands.collect::<Result<_>>()?;
    let expected = operator.min_operands;
    let Some(first) = operands.first().filter(|_| operands.len() == expected) else {
        let found = format!("{} of them", operands.len());
        return Err(BuildError::expected(format!("{expected} operands"), found));
    };
    let dtype = first.dtype();
    if let Some((i, other)) = operands.iter().enumerate().find(|(_, operand)| operand.dtype() != dtype) {
        let found = format!("`{}`", other.dtype());
        return Err(BuildError::expected(format!("an operand of type `{dtype}`"), found).at_position(i));
    }
    Ok(operator.call(dtype, operands).into())
}

/// `T.S` and `T.R`: dimensions and copies of a layout, `T.S[(8, 8):(1, 8)]`.
struct Spec {
    is_replica: bool,
}

impl HostObject for Spec {
    fn type_name(&self) -> &str {
        "the dimensions of a layout"
    }

    fn subscript(&self, index: &ScriptValue) -> Option<Result<ScriptValue>> {
        Some(self.iters(index).map(|iters| {
            let (shard, replica) = if self.is_replica { (Vec::new(), iters) } else { (iters, Vec::new()) };
            ScriptValue::host(Dims { shard, replica })
        }))
    }
}

impl Spec {
    fn iters(&self, index: &ScriptValue) -> Result<Vec<Ref<Iter>>> {
        let exprs = |value: &ScriptValue| -> Result<Vec<Expr>> {
            match value.items() {
                Some(items) => items.into_iter().map(ExprArg::convert).collect(),
                None => Ok(vec![ExprArg::convert(value.clone())?]),
            }
        };
        let memory = Axis::new(MEMORY);
        let ScriptValue::Slice(slice) = index else {
            let layout = TileLayout::of_shape(&Array::new(exprs(index)?))?;
            return Ok(layout.shard.iter().cloned().collect());
        };
        let (extents, strides) = (exprs(&slice.start)?, exprs(&slice.stop)?);
        if extents.len() != strides.len() {
            let found = format!("{} for {} extents", strides.len(), extents.len());
            return Err(BuildError::expected("a stride for each extent", found));
        }
        let iter = |(extent, stride): (Expr, Expr)| Ref::new(Iter { extent, stride, axis: memory.clone() });
        Ok(extents.into_iter().zip(strides).map(iter).collect())
    }
}

/// Dimensions and copies of a layout.
struct Dims {
    shard: Vec<Ref<Iter>>,
    replica: Vec<Ref<Iter>>,
}

impl HostObject for Dims {
    fn type_name(&self) -> &str {
        "the dimensions of a layout"
    }
}

/// `T.TileLayout(T.S[(8, 8):(1, 8)])`
fn tile_layout(args: CallArgs) -> Result<ScriptValue> {
    let spec = Signature::new("TileLayout", &["spec"]).bind(args)?.required(0, Ok)?;
    let Some(dims) = spec.as_host::<Dims>() else {
        let error = BuildError::expected("the dimensions of a layout, such as `T.S[8, 4]`", spec.type_name());
        return Err(error.at_position(0));
    };
    let layout = TileLayout {
        shard: Array::new(dims.shard.iter().cloned()),
        replica: Array::new(dims.replica.iter().cloned()),
        offset: Map::default(),
    };
    Ok(Ref::new(layout).into())
}

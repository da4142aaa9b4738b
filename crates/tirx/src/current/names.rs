//! Names of scripts: functions, layouts, short names of types, and the modules to import.

use tvmscript_ir_core::{Array, DataType, Dialect, Map, Ref, Span, Str, Value};
use tvmscript_irbuilder::{
    BuildDialect as _, BuildError, CallArgs, FromScript, HostFunction, HostObject, PendingFrame, Result,
    ScriptValue, Signature,
};
use tvmscript_prim::{Expr, IntImm, PrimExpr, PrimExprExt, Var, ops};
use tvmscript_script_parser::{Member, ParseDialect as _, PythonModule};
use tvmscript_tir::build::TirFrame;
use tvmscript_tir::build::args::{ExprArg, Shape};
use tvmscript_tir::build::frame::FrameKind;
use tvmscript_tir::op::Operator;
use tvmscript_tir::op::bits::STRICT;
use tvmscript_tir::parse::python;

use super::build::{
    ALLOC_BUFFER, ALLOC_LOCAL, ALLOC_SCALAR, ALLOC_SHARED, ATTR, BUFFER, DECL_BUFFER, LOCAL_SCALAR, Let,
    MATCH_BUFFER, PARALLEL, REINTERPRET, SBLOCK_ALLOC_BUFFER, SERIAL, SHARED_SCALAR, TVM_STORAGE_SYNC,
    TVM_STRUCT_GET, UNROLL, VECTORIZED,
};
use crate::node::{AnnotatedCall, ScopeIdDefStmt};
use crate::op::CURRENT;

use super::layout::{Axis, Iter, MEMORY, TileLayout};
use super::{mask, operators};

/// Registers the functions, and the namespace for imports.
pub(super) fn register(dialect: Dialect) -> Dialect {
    static MODULES: &[PythonModule] = &[
        PythonModule::new(&["tvm.script", "tvm.script.parser", "tvm.script.ir_builder"])
            .members(&[("tirx", Member::Namespace)]),
        PythonModule::new(&[
            "tvm.tirx",
            "tvm.tirx.buffer",
            "tvm.tirx.expr",
            "tvm.tirx.function",
            "tvm.tirx.op",
        ])
        .names(python::SAME)
        .members(python::MEMBERS),
    ];
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
        &REINTERPRET,
        &TVM_STORAGE_SYNC,
        &TVM_STRUCT_GET,
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
        .region_functions(&[&MATCH_BUFFER])
        .predefined_names(&[("TypeVar", "typing")])
}

/// The value of a name that is no function of the table.
fn find(name: &str) -> Option<ScriptValue> {
    Some(match name {
        "let" => ScriptValue::host(Let(None)),
        "S" => ScriptValue::host(Spec { is_replica: false }),
        "R" => ScriptValue::host(Spec { is_replica: true }),
        "TileLayout" => HostFunction::value("TileLayout", tile_layout),
        "device_entry" => HostFunction::value("device_entry", device_entry),
        "call_intrin" => HostFunction::value("call_intrin", operators::call_intrin),
        "masked_load" => HostFunction::value("masked_load", mask::load),
        "masked_store" => HostFunction::value("masked_store", mask::store),
        _ => {
            if let Some(scope) = SCOPES.iter().copied().find(|scope| *scope == name) {
                return Some(HostFunction::value(scope, move |args| scope_ids(scope, args)));
            }
            if let Some(function) = operators::untyped(name) {
                return Some(function);
            }
            if let Some(operator) = CURRENT.iter().find(|operator| operator.text == name) {
                return Some(HostFunction::value(operator.text, |args| annotated(operator, args)));
            }
            let (name, operator) = STRICT.iter().find(|(strict, _)| *strict == name)?;
            HostFunction::value(*name, |args| strict(operator, args))
        }
    })
}

fn names() -> Vec<&'static str> {
    let strict = STRICT.iter().map(|(name, _)| *name);
    let operators = CURRENT.iter().map(|operator| operator.text);
    let own = ["let", "S", "R", "TileLayout", "device_entry", "call_intrin", "masked_load", "masked_store"];
    strict.chain(operators).chain(SCOPES.iter().copied()).chain(own).collect()
}

/// Functions that name the indices of scopes of threads.
const SCOPES: [&str; 9] = [
    "cluster_id",
    "cta_id",
    "cta_id_in_cluster",
    "warpgroup_id",
    "warp_id",
    "warp_id_in_wg",
    "lane_id",
    "thread_id",
    "thread_id_in_wg",
];

/// `bx, by = T.cta_id([4, 4])`
fn scope_ids(scope: &'static str, args: CallArgs) -> Result<ScriptValue> {
    let mut args = Signature::new(scope, &["extents", "dtype"]).with_required(0).bind(args)?;
    let extents = args.optional(0, <Option<Shape>>::from_script)?.flatten().map(|shape| shape.0);
    let dtype = args.optional(1, DataType::from_script)?.unwrap_or(DataType::INT32);
    let count = extents.as_ref().map_or(1, |extents| extents.len());
    let ids: Vec<Ref<Var>> = (0..count).map(|_| Var::new("", dtype)).collect();
    let def_ids = Array::new(ids.iter().cloned());
    let stmt = ScopeIdDefStmt { span: Span::current(), extents, scope: scope.into(), def_ids };
    TirFrame::add(Ref::new(stmt).upcast())?;
    Ok(match <[Ref<Var>; 1]>::try_from(ids) {
        Ok([id]) => id.into(),
        Err(ids) => ScriptValue::list(ids.into_iter().map(ScriptValue::from).collect()),
    })
}

/// `T.device_entry()`: what follows runs on the device.
fn device_entry(args: CallArgs) -> Result<ScriptValue> {
    Signature::new("device_entry", &[]).bind(args)?;
    let nothing = ops::make_const(DataType::INT32, 0)?;
    let entry = (nothing.into(), Str::new("tirx.device_entry"), IntImm::bool(true));
    Ok(PendingFrame::value(TirFrame::new(FrameKind::Attrs(vec![entry]))))
}

/// `T.call_ffi_kernel("kernel", A.data, 1, launch_params=["blockIdx.x"], ret_ty="int32")`
fn annotated(operator: &'static Operator, mut args: CallArgs) -> Result<ScriptValue> {
    let dtype =
        args.take_keyword("ret_ty").map(DataType::from_script).transpose()?.unwrap_or(DataType::INT32);
    let operands = args.positional.into_iter().enumerate();
    let operands =
        operands.map(|(i, operand)| ExprArg::convert(operand).map_err(|error| error.at_position(i)));
    let operands: Array<Expr> = operands.collect::<Result<_>>()?;
    let entries = args.keywords.into_iter().map(|(key, value)| Ok((key, Value::from_script(value)?)));
    let annotations = Map::new(entries.collect::<Result<Vec<_>>>()?);
    let op = operator.op.get().clone().upcast();
    let call = AnnotatedCall { span: Span::current(), dtype, op, args: operands, annotations };
    Ok(Ref::new(call).upcast::<PrimExpr>().into())
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

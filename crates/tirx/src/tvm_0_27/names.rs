//! Names of scripts: functions, layouts, short names of types, and the modules to import.

use tvmscript_ir_core::{Array, DataType, Dialect, Map, Ref, Span, Str};
use tvmscript_irbuilder::{
    BuildDialect as _, BuildError, BuildResult, HostObject, PendingFrame, ScriptFn, ScriptValue, script_fn,
};
use tvmscript_prim::{Expr, IntImm, PrimExprExt, Var, ops};
use tvmscript_script_parser::{Member, ParseDialect as _, PythonModule};
use tvmscript_tir::build::TirFrame;
use tvmscript_tir::build::args::{ExprArg, Shape};
use tvmscript_tir::build::frame::FrameKind;
use tvmscript_tir::op::{Operator, bits};
use tvmscript_tir::parse::python;

use super::OPERATORS;
use super::build::{
    ALLOC_BUFFER, ALLOC_LOCAL, ALLOC_SCALAR, ALLOC_SHARED, ATTR, BUFFER, DECL_BUFFER, LOCAL_SCALAR, Let,
    MATCH_BUFFER, PARALLEL, REINTERPRET, SBLOCK_ALLOC_BUFFER, SERIAL, SHARED_SCALAR, TVM_STORAGE_SYNC,
    TVM_STRUCT_GET, UNROLL, VECTORIZED,
};
use crate::node::ScopeIdDefStmt;

use super::layout::{Axis, Iter, MEMORY, TileLayout};
use super::tile::build::Scoped;
use super::{mask, operators, ptx};

/// Values of names that are no functions, and these names.
#[derive(Clone, Copy)]
pub(crate) struct Fallback {
    pub(crate) find: fn(&str) -> Option<ScriptValue>,
    pub(crate) names: fn() -> Vec<&'static str>,
}

/// The names of the release.
pub(super) const FALLBACK: Fallback = Fallback {
    find: |name| find_scoped(name).or_else(|| ptx::find(name)),
    names: || scoped_names().into_iter().chain(ptx::names()).collect(),
};

/// Registers the functions, and the namespace for imports.
pub(super) fn register(dialect: Dialect, fallback: Fallback) -> Dialect {
    static MODULES: &[PythonModule] = &[
        PythonModule::new(&["tvm.script", "tvm.script.parser", "tvm.script.ir_builder"])
            .members(&[("tirx", Member::Namespace)]),
        PythonModule::new(&["tvm.script.tirx"])
            .members(&[("tile", Member::Value(|| Scoped::find("tile").unwrap_or_default()))]),
        PythonModule::new(&["tvm.tirx.script"]).members(&[
            ("parser", Member::Namespace),
            ("builder", Member::Namespace),
            ("tile", Member::Value(|| Scoped::find("tile").unwrap_or_default())),
        ]),
        PythonModule::new(&["tvm.tirx"]).members(&[("script", Member::Namespace)]),
        PythonModule::new(&["tvm.tirx.layout"]),
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
        &crate::build::ASSERT,
        &crate::build::BIND,
        &META_CLASS,
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
        &DEVICE_ENTRY,
        &TILE_LAYOUT,
        &operators::CALL_INTRIN,
        &mask::MASKED_LOAD,
        &mask::MASKED_STORE,
    ];
    dialect
        .namespace(&["tirx"])
        .functions(functions)
        .function_aliases(&[("Bind", "bind")])
        .functions(SCOPES)
        .functions(STRICT)
        .functions(&operators::typed_by_keyword_functions())
        .functions(&OPERATORS.functions())
        .name_fallback(fallback.find, fallback.names)
        .python_modules(MODULES)
        .region_functions(&[&MATCH_BUFFER])
        .predefined_names(&[("TypeVar", "typing")])
}

/// Marks a class whose instances scripts use.
#[script_fn]
pub fn meta_class(cls: ScriptValue) -> BuildResult<ScriptValue> {
    Ok(cls)
}

/// The value of a name that is not a function.
pub(crate) fn find_scoped(name: &str) -> Option<ScriptValue> {
    match name {
        "let" => Some(ScriptValue::host(Let(None))),
        "S" => Some(ScriptValue::host(Spec { is_replica: false })),
        "R" => Some(ScriptValue::host(Spec { is_replica: true })),
        _ => Scoped::find(name),
    }
}

pub(crate) fn scoped_names() -> Vec<&'static str> {
    ["let", "S", "R"].into_iter().chain(Scoped::names()).collect()
}

/// Functions that name the indices of scopes of threads: `bx, by = T.cta_id([4, 4])`.
macro_rules! scopes {
    ($($(#[$meta:meta])* $scope:ident $constant:ident)*) => {
        $(
            $(#[$meta])*
            #[script_fn]
            pub fn $scope(
                #[default = None] extents: Option<Shape>,
                #[default = DataType::INT32] dtype: DataType,
            ) -> BuildResult<ScriptValue> {
                scope_ids(stringify!($scope), extents, dtype)
            }
        )*
        static SCOPES: &[&ScriptFn] = &[$(&$constant),*];
    };
}
scopes! {
    /// The indices of the cluster in the grid.
    cluster_id CLUSTER_ID
    /// The indices of the block in the grid.
    cta_id CTA_ID
    /// The indices of the block in its cluster.
    cta_id_in_cluster CTA_ID_IN_CLUSTER
    /// The index of the warp group in its block.
    warpgroup_id WARPGROUP_ID
    /// The index of the warp in its block.
    warp_id WARP_ID
    /// The index of the warp in its warp group.
    warp_id_in_wg WARP_ID_IN_WG
    /// The index of the thread in its warp.
    lane_id LANE_ID
    /// The indices of the thread in its block.
    thread_id THREAD_ID
    /// The index of the thread in its warp group.
    thread_id_in_wg THREAD_ID_IN_WG
}

fn scope_ids(scope: &'static str, extents: Option<Shape>, dtype: DataType) -> BuildResult<ScriptValue> {
    let extents = extents.map(|shape| shape.0);
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

/// Starts the part of a function that runs on the device.
#[script_fn]
pub fn device_entry() -> BuildResult<ScriptValue> {
    let nothing = ops::make_const(DataType::INT32, 0)?;
    let entry = (nothing.into(), Str::new("tirx.device_entry"), IntImm::bool(true));
    Ok(PendingFrame::value(TirFrame::new(FrameKind::Attrs(vec![entry]))))
}

/// Functions that make calls of bit operations, without folding.
macro_rules! strict {
    ($($(#[$meta:meta])* $name:ident $constant:ident $operator:ident($($param:ident),+);)*) => {
        $(
            $(#[$meta])*
            #[script_fn]
            #[allow(non_snake_case)]
            pub fn $name($($param: ExprArg),+) -> BuildResult<Expr> {
                of_one_type(&bits::$operator, [$($param.0),+])
            }
        )*
        pub(crate) static STRICT: &[&ScriptFn] = &[$(&$constant),*];
    };
}
strict! {
    /// Bits set in both operands. Never folds.
    BitwiseAnd BITWISEAND BITWISE_AND(a, b);
    /// Bits set in either operand. Never folds.
    BitwiseOr BITWISEOR BITWISE_OR(a, b);
    /// Bits that differ. Never folds.
    BitwiseXor BITWISEXOR BITWISE_XOR(a, b);
    /// Shift to the left. Never folds.
    LShift LSHIFT SHIFT_LEFT(a, b);
    /// Arithmetic shift to the right. Never folds.
    RShift RSHIFT SHIFT_RIGHT(a, b);
    /// All bits inverted. Never folds.
    BitwiseNot BITWISENOT BITWISE_NOT(a);
}

/// A call whose operands have one type.
fn of_one_type<const N: usize>(operator: &Operator, operands: [Expr; N]) -> BuildResult<Expr> {
    let dtype = operands.first().map_or(DataType::VOID, |operand| operand.dtype());
    if let Some((i, other)) = operands.iter().enumerate().find(|(_, operand)| operand.dtype() != dtype) {
        let found = format!("`{}`", other.dtype());
        return Err(BuildError::expected(format!("an operand of type `{dtype}`"), found).at_position(i));
    }
    Ok(operator.call(dtype, operands))
}

/// `T.S` and `T.R`: dimensions and copies of a layout, `T.S[(8, 8):(1, 8)]`.
struct Spec {
    is_replica: bool,
}

impl HostObject for Spec {
    fn type_name(&self) -> &str {
        "the dimensions of a layout"
    }

    fn subscript(&self, index: &ScriptValue) -> Option<BuildResult<ScriptValue>> {
        Some(self.iters(index).map(|iters| {
            let (shard, replica) = if self.is_replica { (Vec::new(), iters) } else { (iters, Vec::new()) };
            ScriptValue::host(Dims { shard, replica })
        }))
    }
}

impl Spec {
    fn iters(&self, index: &ScriptValue) -> BuildResult<Vec<Ref<Iter>>> {
        let exprs = |value: &ScriptValue| -> BuildResult<Vec<Expr>> {
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

/// The layout of a tile: `T.TileLayout(T.S[(8, 8):(1, 8)])`.
#[script_fn(name = "TileLayout")]
pub fn tile_layout(spec: ScriptValue) -> BuildResult<Ref<TileLayout>> {
    let Some(dims) = spec.as_host::<Dims>() else {
        let error = BuildError::expected("the dimensions of a layout, such as `T.S[8, 4]`", spec.type_name());
        return Err(error.at_position(0));
    };
    Ok(Ref::new(TileLayout {
        shard: Array::new(dims.shard.iter().cloned()),
        replica: Array::new(dims.replica.iter().cloned()),
        offset: Map::default(),
    }))
}

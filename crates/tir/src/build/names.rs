//! Names of the dialect in scripts: the table of functions, and lookup of the other names.

use tvmscript_irbuilder::{HostObject, ScriptFn, ScriptValue};

use super::{block, buffer, compute, expr, function, loops, operator, stmt, thread, types};

/// Functions whose arguments are buffer regions.
#[cfg(feature = "parse")]
pub(crate) static REGION_FUNCTIONS: &[&ScriptFn] =
    &[&block::READS, &block::WRITES, &buffer::MATCH_BUFFER, &stmt::REALIZE];

/// The script functions of the dialect, except operators.
pub static FUNCTIONS: &[&ScriptFn] = &[
    // functions
    &function::FUNC_NAME,
    &function::FUNC_RET,
    &function::FUNC_ATTR,
    &function::ARG,
    // buffers
    &buffer::BUFFER,
    &buffer::MATCH_BUFFER,
    &buffer::ALLOC_BUFFER,
    &buffer::DECL_BUFFER,
    &compute::BUFFER_FROM,
    // computations
    &compute::COMPUTE,
    &compute::SUM,
    &compute::MAX,
    &compute::MIN,
    &compute::REDUCE_AXIS,
    // loops
    &loops::SERIAL,
    &loops::PARALLEL,
    &loops::VECTORIZED,
    &loops::UNROLL,
    &loops::RANGE,
    &loops::THREAD_BINDING,
    &loops::GRID,
    &loops::BROADCAST_GRID,
    &loops::STATIC_RANGE,
    &loops::WHILE,
    // blocks
    &block::BLOCK,
    &block::BLOCK_NAME_SUFFIX_CONTEXT,
    &block::INIT,
    &block::WHERE,
    &block::READS,
    &block::WRITES,
    &block::BLOCK_ATTR,
    &block::AXIS_SPATIAL,
    &block::AXIS_REDUCE,
    &block::AXIS_SCAN,
    &block::AXIS_OPAQUE,
    &block::AXIS_REMAP,
    &block::AXIS_ITER_VAR,
    // statements
    &stmt::EVALUATE,
    &stmt::ATTR,
    &stmt::ASSERT,
    &stmt::LET_STMT,
    &stmt::IF,
    &stmt::THEN,
    &stmt::ELSE,
    &stmt::ALLOCATE,
    &stmt::ALLOCATE_CONST,
    &stmt::ELIDED_CONST,
    &stmt::REALIZE,
    &stmt::BUFFER_STORE,
    // threads
    &thread::ENV_THREAD,
    &thread::LAUNCH_THREAD,
    // types
    &types::HANDLE,
    &types::PTR,
    // expressions
    &expr::ADD,
    &expr::SUB,
    &expr::MUL,
    &expr::DIV,
    &expr::MOD,
    &expr::FLOOR_DIV,
    &expr::FLOOR_MOD,
    &expr::MIN,
    &expr::MAX,
    &expr::EQ,
    &expr::NE,
    &expr::LT,
    &expr::LE,
    &expr::GT,
    &expr::GE,
    &expr::AND,
    &expr::OR,
    &expr::NOT,
    &expr::SELECT,
    &expr::CAST_NODE,
    &expr::CAST,
    &expr::RAMP,
    &expr::BROADCAST,
    &expr::SHUFFLE,
    &expr::INT_IMM,
    &expr::FLOAT_IMM,
    &expr::STRING_IMM,
    &expr::VAR,
    &expr::SIZE_VAR,
    &expr::VAR_OF_DTYPE,
    &expr::BUFFER_LOAD,
    &expr::BUFFER_REGION,
    &expr::CALL,
    &expr::RANGE_NODE,
    &expr::LET_EXPR,
    &expr::LET,
    &expr::ITER_VAR,
    &expr::ITER_VAR_NODE,
    &expr::COMM_REDUCER,
    &expr::COMM_REDUCER_NODE,
    &expr::REDUCE,
    &expr::REDUCE_PRINTED,
    &expr::INDEX_MAP,
    &expr::TARGET,
    // operators by name
    &operator::CALL_INTRIN,
];

/// Aliases of functions.
pub static ALIASES: &[(&str, &str)] = &[
    ("ramp", "Ramp"),
    ("broadcast", "Broadcast"),
    ("buffer", "Buffer"),
    ("buffer_decl", "Buffer"),
    ("buffer_var", "ptr"),
    ("Ptr", "ptr"),
];

/// `T.axis`.
struct Axis;

static AXES: &[(&str, &ScriptFn)] = &[
    ("spatial", &block::AXIS_SPATIAL),
    ("S", &block::AXIS_SPATIAL),
    ("reduce", &block::AXIS_REDUCE),
    ("R", &block::AXIS_REDUCE),
    ("scan", &block::AXIS_SCAN),
    ("opaque", &block::AXIS_OPAQUE),
    ("remap", &block::AXIS_REMAP),
    ("iter_var", &block::AXIS_ITER_VAR),
];

impl HostObject for Axis {
    fn type_name(&self) -> &str {
        "the namespace `T.axis`"
    }
    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        AXES.iter().find(|(n, _)| *n == name).map(|(_, f)| ScriptValue::Function(f))
    }
    fn attribute_names(&self) -> Vec<String> {
        AXES.iter().map(|(n, _)| (*n).to_owned()).collect()
    }
}

/// `T.constexpr`: the annotation of a parameter that is fixed while the script is read.
pub(crate) struct ConstExpr;

impl HostObject for ConstExpr {
    fn type_name(&self) -> &str {
        "the annotation `T.constexpr`"
    }
}

/// Operators under their full names: `T.tir.cuda.__shfl_sync`.
struct FullName(String);

impl HostObject for FullName {
    fn type_name(&self) -> &str {
        "a namespace of operators"
    }
    fn is_namespace(&self) -> bool {
        true
    }
    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        let full = format!("{}.{name}", self.0);
        if let Some(function) = operator::find(&full) {
            return Some(function);
        }
        matches!(full.as_str(), "tir.cuda" | "tir.metal").then(|| ScriptValue::host(FullName(full)))
    }
}

/// The value of a name that is not in the table: an operator, a data type, or a namespace.
pub fn find(name: &str) -> Option<ScriptValue> {
    match name {
        "axis" => Some(ScriptValue::host(Axis)),
        "constexpr" => Some(ScriptValue::host(ConstExpr)),
        "tir" => Some(ScriptValue::host(FullName("tir".to_owned()))),
        _ => types::find(name).or_else(|| operator::find(name)),
    }
}

/// The names that [`find`] knows, for suggestions.
pub fn names() -> Vec<&'static str> {
    let mut names = operator::names();
    names.extend(types::names());
    names.extend(["axis", "constexpr"]);
    names
}

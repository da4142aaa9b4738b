//! Script functions of the operations.

use tvmscript_ir::build::{call_with_vars, parameter_names};
use tvmscript_ir_core::containers::ArrayNode;
use tvmscript_ir_core::{Array, DataType, Map, ObjectLike as _, Ref, Span, Str, Value};
use tvmscript_irbuilder::{
    Binding, BuildError, BuildResult, CallArgs, Declaration, FromScript, HostObject, Param, ParamKind,
    PyType, ScriptFn, ScriptValue,
};
use tvmscript_prim::{FloatImm, Op, Var};
use tvmscript_tir::build::TirFrame;
use tvmscript_tir::build::args::ExprArg;
use tvmscript_tir::op::Operator;
use tvmscript_tir::{Buffer, BufferRegion};

use super::{
    ExecScope, GEMM_ASYNC, LambdaExpr, OPERATORS, PREFIX, REDUCE_NEGATE, SCOPES, THREAD, TilePrimitiveCall,
};
use crate::op::call::Defaults;

/// Types of parameters.
pub(crate) mod types {
    pub(crate) use tvmscript_ir_core::Str;
    use tvmscript_ir_core::Value;
    use tvmscript_irbuilder::{BuildResult, FromScript, PyType, ScriptValue};
    use tvmscript_tir::build::args::ExprArg;
    pub(crate) use tvmscript_tir::build::args::Region;

    /// Types of operands, by the name of the stub.
    macro_rules! operand_types {
        ($($(#[$meta:meta])* $name:ident($alias:literal: $($of:expr),+) = $convert:path;)*) => {$(
            $(#[$meta])*
            #[derive(Debug, Clone)]
            pub(crate) struct $name(pub(crate) Value);

            impl FromScript for $name {
                const TYPE: PyType = PyType::Alias { name: $alias, is: &PyType::Union { of: &[$($of),+] } };
                fn from_script(value: ScriptValue) -> BuildResult<Self> {
                    $convert(value).map($name)
                }
            }
        )*};
    }
    operand_types! {
        /// A scalar or a region of a buffer.
        Expr("TileLike": ExprArg::TYPE, Region::TYPE) = super::operand;
        /// One axis or several.
        Axes("Axes": PyType::INT, PyType::Generic { name: "Sequence", of: &[PyType::INT] }) = super::axes;
        /// An operation by its name, such as `"add"`.
        Op("TileOp": PyType::STR, PyType::node::<tvmscript_prim::Op>()) = super::operation;
        /// A function of the indices.
        Predicate("Predicate": PyType::Name("Callable"), PyType::node::<super::LambdaExpr>()) = super::predicate;
    }

    /// Buffers by name.
    pub(crate) type Workspace = Option<tvmscript_ir_core::Map<Str, Value>>;
}

fn operand(value: ScriptValue) -> BuildResult<Value> {
    match &value {
        ScriptValue::Float(number) => Ok(FloatImm::try_new(DataType::FLOAT32, *number)?.into()),
        ScriptValue::Node(node) if node.is::<Buffer>() || node.is::<BufferRegion>() => {
            Ok(types::Region::from_script(value)?.0.into())
        }
        ScriptValue::None | ScriptValue::Bool(_) | ScriptValue::Int(_) => Value::from_script(value),
        _ => Ok(ExprArg::convert(value)?.into()),
    }
}

fn axes(value: ScriptValue) -> BuildResult<Value> {
    match value {
        ScriptValue::Int(_) => Value::from_script(ScriptValue::list(vec![value])),
        axes => Value::from_script(ScriptValue::list(
            Vec::<i64>::from_script(axes)?.into_iter().map(ScriptValue::Int).collect(),
        )),
    }
}

fn operation(value: ScriptValue) -> BuildResult<Value> {
    match (&value, value.as_node::<Op>()) {
        (_, Some(operator)) => Ok(operator.clone().into()),
        (ScriptValue::Str(name), None) => {
            Ok(tvmscript_ir::build::operator(&format!("{PREFIX}{name}"))?.into())
        }
        _ => Err(BuildError::expected("the name of an operation, such as `\"add\"`", value.type_name())),
    }
}

fn predicate(value: ScriptValue) -> BuildResult<Value> {
    if let Some(function) = value.as_node::<LambdaExpr>() {
        return Ok(function.clone().into());
    }
    let vars: Vec<Ref<Var>> =
        parameter_names(&value).into_iter().map(|name| Var::new(name, DataType::INT32)).collect();
    let values = call_with_vars(&value, &vars, ExprArg::convert)?;
    match <[_; 1]>::try_from(values) {
        Ok([pred]) => Ok(Ref::new(LambdaExpr { vars: Array::new(vars), pred }).into()),
        Err(values) => Err(BuildError::expected("one value", format!("{} values", values.len()))),
    }
}

/// Converts an argument as its parameter declares.
fn convert(param: &Param, value: ScriptValue) -> BuildResult<Value> {
    let is = |declared: PyType| match (param.py_type, declared) {
        (PyType::Alias { name, .. }, PyType::Alias { name: other, .. }) => name == other,
        _ => false,
    };
    Ok(if is(types::Region::TYPE) {
        types::Region::from_script(value)?.0.into()
    } else if is(types::Axes::TYPE) {
        types::Axes::from_script(value)?.0
    } else if is(types::Op::TYPE) {
        types::Op::from_script(value)?.0
    } else if is(types::Predicate::TYPE) {
        types::Predicate::from_script(value)?.0
    } else {
        types::Expr::from_script(value)?.0
    })
}

/// Arguments in the order of the parameters: texts of two operations have them in the order of the node.
fn reordered(operator: &Operator, args: &mut CallArgs) {
    let is_list = |value: &ScriptValue| matches!(value, ScriptValue::List(_) | ScriptValue::Tuple(_));
    if std::ptr::eq(operator, &GEMM_ASYNC) && matches!(args.positional.get(3), Some(ScriptValue::Bool(_))) {
        args.positional.insert_many(3, [ScriptValue::None, ScriptValue::None]);
    }
    if std::ptr::eq(operator, &REDUCE_NEGATE)
        && args.positional.len() == 5
        && let Some(rest) = args.positional.get_mut(2..).filter(|rest| rest.first().is_some_and(is_list))
    {
        rest.rotate_right(1);
    }
}

/// Adds the statement of a call. The keyword `scope` is a node that no script writes.
pub(crate) fn call(
    operator: &'static Operator,
    function: &'static ScriptFn,
    mut args: CallArgs,
    defaults: Defaults,
) -> BuildResult<ScriptValue> {
    let given = args.keywords.iter().position(|(_, value)| value.as_node::<ExecScope>().is_some());
    let scope = given.and_then(|at| args.keywords.remove(at).1.as_node::<ExecScope>().cloned());
    reordered(operator, &mut args);
    let mut binding = Binding::new(function, args)?;
    let mut operands: Vec<Value> = Vec::new();
    let (mut workspace, mut dispatch, mut config) = (Vec::new(), None, Vec::new());
    for (index, param) in function.params.iter().enumerate() {
        match (param.kind, param.name) {
            (ParamKind::KeywordOnly, "workspace") => {
                for (name, buffer) in
                    binding.optional::<types::Workspace>(index)?.flatten().unwrap_or_default().iter()
                {
                    let node = buffer.as_object().and_then(|node| node.downcast_ref::<Buffer>());
                    let wrong =
                        || BuildError::expected("buffers by name", "another value").at_parameter(param.name);
                    workspace.push((name.clone(), node.cloned().ok_or_else(wrong)?));
                }
            }
            (ParamKind::KeywordOnly, _) => dispatch = binding.optional::<Option<Str>>(index)?.flatten(),
            (ParamKind::Kwargs, _) => config = binding.extra::<Value>(index)?,
            _ => {
                let value = match param.default {
                    None => binding.required::<ScriptValue>(index)?,
                    Some(_) => match binding.optional::<ScriptValue>(index)? {
                        Some(value) => value,
                        None => defaults(index).unwrap_or_default(),
                    },
                };
                operands.extend(match (value, operands.first()) {
                    (ScriptValue::None, _) if matches!(param.name, "SFA" | "SFB") => None,
                    (ScriptValue::None, Some(dst)) if param.name == "src" => Some(dst.clone()),
                    (value, _) => {
                        Some(convert(param, value).map_err(|error| error.at_parameter(param.name))?)
                    }
                });
            }
        }
    }
    if std::ptr::eq(operator, &REDUCE_NEGATE)
        && let Some(rest) = operands.get_mut(2..)
    {
        rest.rotate_left(1);
    }
    let call = TilePrimitiveCall {
        span: Span::current(),
        op: operator.op.get().clone(),
        args: Ref::new(ArrayNode::new(operands.into())),
        workspace: Map::new(workspace),
        config: Map::new(config),
        dispatch,
        scope: scope.unwrap_or_else(|| Ref::new(ExecScope { kind: THREAD })),
    };
    TirFrame::add(Ref::new(call).upcast())?;
    Ok(ScriptValue::None)
}

/// A namespace of the functions in a scope: `T.warp`.
pub(crate) struct Scoped {
    name: &'static str,
    kind: i64,
    /// Description for messages.
    shown: String,
}

impl Scoped {
    /// The namespace with a name, which may be inside `tile`.
    pub(crate) fn find(name: &str) -> Option<ScriptValue> {
        let name = name.strip_prefix("tile.").unwrap_or(name);
        let (name, kind) = *SCOPES.iter().find(|(scope, _)| *scope == name)?;
        Some(ScriptValue::host(Scoped { name, kind, shown: format!("the namespace `{name}`") }))
    }

    /// The names of all namespaces.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        SCOPES.iter().map(|(name, _)| *name)
    }
}

impl HostObject for Scoped {
    fn type_name(&self) -> &str {
        &self.shown
    }

    fn is_namespace(&self) -> bool {
        true
    }

    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        let operator = OPERATORS.iter().find(|operator| operator.name().strip_prefix(PREFIX) == Some(name));
        let Some(function) = operator.and_then(|operator| operator.function) else {
            return Scoped::find(name).filter(|_| self.name == "tile");
        };
        let shown = format!("{}.{name}", self.name);
        Some(ScriptValue::host(Function { function, shown, kind: self.kind }))
    }

    fn attribute_names(&self) -> Vec<String> {
        let names = OPERATORS.iter().filter_map(|operator| operator.name().strip_prefix(PREFIX));
        names.map(str::to_owned).collect()
    }
}

/// A function in a scope: `T.warp.copy`.
struct Function {
    function: &'static ScriptFn,
    /// Name in the script.
    shown: String,
    kind: i64,
}

impl HostObject for Function {
    fn type_name(&self) -> &str {
        &self.shown
    }

    fn is_callable(&self) -> bool {
        true
    }

    fn takes_regions(&self) -> bool {
        true
    }

    fn declaration(&self) -> Option<Declaration> {
        Some(self.function.declaration())
    }

    fn call(&self, mut args: CallArgs) -> BuildResult<ScriptValue> {
        let scope = Ref::new(ExecScope { kind: self.kind });
        args.keywords.push(("scope".into(), ScriptValue::Node(scope.into_object())));
        self.function.call(args).map_err(|error| error.with_callee(self.function.name, &self.shown))
    }
}

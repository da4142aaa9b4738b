//! `@R.function`: signature, body, declaration in a module, nested functions.

use tvmscript_ir_core::{Array, DataType, Ref};
use tvmscript_irbuilder::record::{record_syntax, record_syntax_as};
use tvmscript_irbuilder::{BuildErrors, Builder, PendingFrame, ScriptValue};
use tvmscript_python_syntax::ast::{FunctionDef, StmtId};
use tvmscript_script_parser::Definition;
use tvmscript_script_parser::{EvalErrorKind, EvalResult, Parser, Shadowing};

use super::signature;
use crate::build::function::{emit_to, emit_value};
use crate::build::{FunctionFrame, with_function};
use crate::node::{
    FuncStructInfo, Function, ObjectStructInfo, StructInfo, TupleStructInfo, Var, is_dataflow_var,
};

/// Marks the builder of a nested function.
struct IsNested;

/// The keyword arguments of `@R.function`, with defaults.
const FLAGS: [(&str, bool); 3] = [("pure", true), ("private", false), ("check_well_formed", true)];

/// Parses a function into the open builder.
pub(super) fn define(
    p: &mut Parser<'_>,
    definition: &Definition<FunctionDef>,
) -> EvalResult<Option<ScriptValue>> {
    let node = definition.stmt;
    let [is_pure, is_private, is_checked] = p.decorator_flags(definition, FLAGS)?;
    if !is_checked {
        p.skip_check(definition);
    }
    let is_nested = Builder::context::<IsNested>().is_some();
    // A recursive function alone has a variable for itself.
    if !is_nested && uses_itself(p, &node) {
        let var = local_variable(p, &node)?;
        p.define(node.name, var.into(), node.name_place, Shadowing::SameFrame)?;
    }
    let frame = PendingFrame::value(FunctionFrame::new(is_pure, is_private || is_nested));
    let name = p.name_str(node.name);
    p.in_frame(&frame, definition.id, |p, _| {
        p.with_type_variables(&node, type_variable, |p| {
            record_syntax("R.func_name", || vec![ScriptValue::Str(name.clone())]);
            let named = with_function("R.function", |function| function.name = Some(name));
            p.checked(node.name_place, named)?;
            let signature = signature::read(p, &node);
            let mut result = Ok(());
            if let Some(returns) = node.returns {
                match signature::result(p, &node, returns) {
                    Ok(info) => {
                        record_syntax("R.func_ret_struct_info", || vec![info.clone().into()]);
                        let said = with_function("R.function", |function| function.ret = Some(info));
                        result = p.checked(returns, said);
                    }
                    Err(reported) => result = Err(reported),
                }
            }
            for param in signature.params {
                let added = param.and_then(|param| {
                    let info = param.resolve(p).inspect_err(|_| p.poison(param.name, param.place))?;
                    let text = p.name_str(param.name);
                    let var = Var::new(text, Some(info.clone())).with_span(p.span(param.place));
                    let result = ScriptValue::from(var.clone());
                    record_syntax_as(
                        "R.arg",
                        || vec![ScriptValue::Str(var.vid.name_hint.get()), info.clone().into()],
                        || result,
                    );
                    let added = with_function("R.function", |function| {
                        function.params.push(var.clone());
                        function.blocks.define_scalars(&info);
                    });
                    p.checked(param.place, added)?;
                    param.define(p, super::bind::used(var))
                });
                result = added.and(result);
            }
            p.visit_all(node.body).and(result)
        })
    })?;
    Ok(None)
}

/// The variable of a function that stands for a type variable of the file.
fn type_variable(name: &str) -> ScriptValue {
    tvmscript_prim::Var::new(name, DataType::INT64).into()
}

/// Declares a function of a module with its signature.
pub(super) fn declare(p: &mut Parser<'_>, definition: &Definition<FunctionDef>) -> EvalResult<()> {
    let node = definition.stmt;
    let [is_pure, ..] = p.decorator_flags(definition, FLAGS)?;
    let name = p.name_str(node.name);
    // The result of the body is unknown yet.
    let info = signature_info(p, &node, is_pure, ObjectStructInfo::new)?;
    let declared = tvmscript_ir::build::decl_function(&name, Some(info.into()));
    p.checked(node.name_place, declared).map(drop)
}

/// The struct info of a signature, in a scope of its own.
fn signature_info(
    p: &mut Parser<'_>,
    node: &FunctionDef,
    is_pure: bool,
    unsaid: fn() -> Ref<StructInfo>,
) -> EvalResult<Ref<FuncStructInfo>> {
    p.with_type_variables(node, type_variable, |p| {
        let signature = signature::read(p, node);
        let ret = match node.returns {
            Some(returns) => signature::result(p, node, returns)?,
            None => unsaid(),
        };
        let params = signature.params.into_iter().map(|param| param.and_then(|param| param.resolve(p)));
        let params: Array<Ref<StructInfo>> = params.collect::<EvalResult<_>>()?;
        Ok(FuncStructInfo::new(params, ret, is_pure))
    })
}

/// Returns `true` if the body refers to the function's own name. TVM resolves only direct calls bound to a name, and
/// reports other uses as undefined, although such functions print like this.
fn uses_itself(p: &Parser<'_>, node: &FunctionDef) -> bool {
    !p.is_defined(node.name)
        && p.uses_free(node.body, node.name)
        && (0..node.params.len()).all(|i| p.item(node.params, i).is_none_or(|param| param.name != node.name))
}

/// The variable of a recursive function.
fn local_variable(p: &mut Parser<'_>, node: &FunctionDef) -> EvalResult<Ref<Var>> {
    let info = signature_info(p, node, true, TupleStructInfo::void)?;
    let name = p.name_str(node.name);
    Ok(Var::new(name, Some(info.upcast())))
}

/// The dataflow variable that a fragment declares for the function.
fn declared_variable(p: &mut Parser<'_>, node: &FunctionDef) -> Option<Ref<Var>> {
    let is_fragment = with_function("a function", |function| function.fragment.is_some());
    let known = p.lookup(node.name).filter(|_| matches!(is_fragment, Ok(true)))?;
    known.as_node::<Var>().filter(|var| is_dataflow_var(var)).cloned()
}

/// A nested function: built separately, then bound to its name.
pub(super) fn nested(p: &mut Parser<'_>, id: StmtId, node: &FunctionDef) -> EvalResult<()> {
    let mut reserved = declared_variable(p, node);
    if uses_itself(p, node) {
        let var = local_variable(p, node)?;
        p.define(node.name, var.clone().into(), node.name_place, Shadowing::SameFrame)?;
        reserved = Some(var);
    }
    let built = {
        let builder = p.registry().map_or_else(Builder::new, Builder::for_registry);
        builder.set_context(IsNested);
        p.read_definition(id)?;
        let built = builder.finish().map_err(BuildErrors::into_first);
        p.checked(node.name_place, built)?
    };
    let Ok(function) = built.downcast::<Function>() else {
        let kind = EvalErrorKind::UnsupportedExpression { what: "a nested function of another dialect" };
        return Err(p.error_with_help(
            node.name_place,
            kind,
            "move it into the module, next to this function",
        ));
    };
    let function = function.upcast::<tvmscript_prim::BaseExpr>();
    match reserved {
        Some(var) => {
            let bound = emit_to(var, function);
            p.checked(node.name_place, bound)
        }
        None => {
            let bound = emit_value(function, None);
            let var = p.checked(node.name_place, bound)?;
            let name = p.name_str(node.name);
            var.vid.name_hint.set(name);
            p.define(node.name, var.into(), node.name_place, Shadowing::OuterFrames)
        }
    }
}

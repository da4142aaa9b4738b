//! `@I.ir_module class Module:` in three passes: members other than functions, signatures, functions.

use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;

use tvmscript_ir_core::{Map, Object, Str, Value};
use tvmscript_irbuilder::{BuildError, Emit as _, HostFunction, HostObject, ScriptValue, record};
use tvmscript_python_syntax::ast::{self, ClassDef, StmtId};
use tvmscript_script_parser::{Definition, Indices};
use tvmscript_script_parser::{EvalErrorKind, EvalResult, ParseErrorKind, Parser, Shadowing};

use crate::build;
use crate::node::{BaseFunc, IRModule};

/// The value of the module's name inside the module.
struct Module {
    name: String,
    /// Functions with invalid signatures.
    failed: Rc<RefCell<HashSet<String>>>,
}

impl Module {
    /// The name of the class.
    fn script_name(&self) -> &str {
        self.name.split('`').nth(1).unwrap_or_default()
    }
}

impl HostObject for Module {
    fn type_name(&self) -> &str {
        &self.name
    }
    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        build::lookup(name).map(Into::into)
    }
    fn attribute_names(&self) -> Vec<String> {
        build::member_names()
    }
    fn subscript(&self, index: &ScriptValue) -> Option<Result<ScriptValue, BuildError>> {
        let error = BuildError::message("functions of a module being defined are its attributes");
        let of = self.script_name();
        Some(Err(match index {
            ScriptValue::Str(name) => error.with_help(format!("write `{of}.{name}`")),
            _ => error,
        }))
    }
    fn lacks_by_mistake(&self, name: &str) -> bool {
        self.failed.borrow().contains(name)
    }
    fn takes_definitions(&self) -> bool {
        true
    }
    fn advice(&self) -> Option<String> {
        let of = self.script_name();
        let member = build::member_names().into_iter().next()?;
        Some(format!("a module is not a value; name one of its functions, such as `{of}.{member}`"))
    }
}

/// Parses a module into the open builder.
pub(super) fn define(
    p: &mut Parser<'_>,
    definition: &Definition<ClassDef>,
) -> EvalResult<Option<ScriptValue>> {
    let node = definition.stmt;
    let [is_checked] = p.decorator_flags(definition, [("check_well_formed", true)])?;
    if !is_checked {
        p.skip_check(definition);
    }
    let frame = ScriptValue::from(build::ModuleFrame::default());
    p.in_frame(&frame, definition.id, |p, _| {
        p.with_scope(|p| {
            let name = p.name_text(node.name).to_owned();
            let failed = Rc::new(RefCell::new(HashSet::new()));
            let module = Module { name: format!("the module `{name}`"), failed: failed.clone() };
            let module = ScriptValue::host(module);
            p.define(node.name, module, node.name_place, Shadowing::SameFrame)?;
            let ids = (0..node.body.len()).filter_map(|i| p.item(node.body, i));
            let (functions, others): (Vec<StmtId>, Vec<StmtId>) =
                ids.partition(|id| matches!(p.stmt(*id), ast::Stmt::FunctionDef(_)));
            let mut result = inherit(p, &node);
            for id in others {
                result = p.visit(id).and(result);
            }
            for id in &functions {
                // The body is parsed even if the signature is invalid, to report its errors.
                let declared = record::paused(|| p.declare_definition(*id));
                if let ast::Stmt::FunctionDef(function) = p.stmt(*id) {
                    let name = p.name_text(function.name);
                    record::record_syntax_as(
                        "I.decl_function",
                        || vec![ScriptValue::str(name)],
                        || build::lookup(name).map_or(ScriptValue::None, ScriptValue::from),
                    );
                    if declared.is_err() {
                        failed.borrow_mut().insert(name.to_owned());
                    }
                }
                result = declared.and(result);
            }
            for id in functions {
                match p.read_definition(id) {
                    Ok(None) => {}
                    Ok(Some(value)) => result = member(p, id, value).and(result),
                    Err(reported) => result = Err(reported),
                }
            }
            result
        })
    })?;
    Ok(None)
}

/// Marks a module whose class inherits from `BasePyModule`, which may have functions of Python.
fn inherit(p: &mut Parser<'_>, node: &ClassDef) -> EvalResult<()> {
    let mut bases = (0..node.bases.len()).filter_map(|i| p.item(node.bases, i));
    let is_python = |base| match p.expr(base) {
        ast::Expr::Name(name) | ast::Expr::Attribute { attr: name, .. } => p.name_text(name) == PYTHON_MODULE,
        _ => false,
    };
    if !bases.any(is_python) {
        return Ok(());
    }
    let attrs = Map::new([(Str::new("base_py_module"), Value::from(true))]);
    p.checked(node.name_place, build::module_attrs(attrs).try_emit())
}

/// The class of modules with functions of Python.
const PYTHON_MODULE: &str = "BasePyModule";

/// Adds the function that a definition returned instead of adding it itself.
fn member(p: &mut Parser<'_>, id: StmtId, value: ScriptValue) -> EvalResult<()> {
    let ast::Stmt::FunctionDef(node) = p.stmt(id) else { return Ok(()) };
    let name = p.name_str(node.name);
    match value.as_node::<BaseFunc>() {
        Some(function) => {
            let defined = build::def_function(&name, function.clone());
            record::record_syntax("I.def_function", || vec![ScriptValue::Str(name.clone()), value.clone()]);
            p.checked(id, defined)
        }
        None => {
            let kind = ParseErrorKind::expected("a function", value.type_name());
            Err(p.error(id, kind))
        }
    }
}

/// `name = function` in a module.
pub(super) fn assign(p: &mut Parser<'_>, id: StmtId, node: &ast::Assign) -> EvalResult<()> {
    let value = p.eval(node.value)?;
    let target = p.item(node.targets, 0).map(|t| (t, p.expr(t)));
    let Some((_, ast::Expr::Name(name))) = target else {
        let kind = EvalErrorKind::InvalidTarget { what: "anything but a name in a module" };
        return Err(p.error(id, kind));
    };
    let name = p.name_str(name);
    match value.as_node::<BaseFunc>() {
        Some(function) => {
            let defined = build::def_function(&name, function.clone());
            record::record_syntax("I.def_function", || vec![ScriptValue::Str(name.clone()), value.clone()]);
            p.checked(id, defined)
        }
        None => {
            let kind = ParseErrorKind::expected("a function", p.describe(&value));
            Err(p.error(node.value, kind))
        }
    }
}

/// An expression statement, called for its effect on the module.
pub(super) fn expression(p: &mut Parser<'_>, _: StmtId, node: &ast::ExprStmt) -> EvalResult<()> {
    p.eval(node.value).map(drop)
}

/// `Module["name"]`: a function of a finished module.
pub(super) fn item(object: &Object, indices: &Indices) -> Result<ScriptValue, BuildError> {
    let wrong = |found: String| BuildError::expected("the name of a function of the module", found);
    let (Some(module), [ScriptValue::Str(name)]) = (object.as_node::<IRModule>(), indices.items.as_slice())
    else {
        let found = indices.items.first().map_or_else(String::new, ScriptValue::type_name);
        return Err(wrong(found));
    };
    match module.function(name) {
        Some((_, function)) => Ok(function.clone().into()),
        None => Err(wrong(format!("\"{name}\""))),
    }
}

/// Attributes of a finished module: its fields, but not its functions.
pub(super) fn attribute(object: &Object, name: &str) -> Result<Option<ScriptValue>, BuildError> {
    if let Some(module) = object.as_node::<IRModule>()
        && module.function(name).is_some()
    {
        let error = BuildError::message(format!(
            "`{name}` is a function of another module, which cannot be called here"
        ));
        return Err(error.with_help(format!(
            "take it over in the class of this module, `{name} = Other[\"{name}\"]`, and call that"
        )));
    }
    if name == "get_global_var"
        && let Some(module) = object.as_node::<IRModule>().cloned()
    {
        return Ok(Some(HostFunction::value(name, move |args| {
            let [ScriptValue::Str(name)] = args.positional.as_slice() else {
                return Err(BuildError::message("`get_global_var` takes the name of a function"));
            };
            match module.function(name) {
                // In another module, it is the function of that name.
                Some((var, _)) => Ok(build::lookup(name).unwrap_or_else(|| var.clone()).into()),
                None => {
                    Err(BuildError::expected("the name of a function of the module", format!("\"{name}\"")))
                }
            }
        })));
    }
    build::field(object, name)
}

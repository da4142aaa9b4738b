//! Meaning without code: nodes are replaced by what a function in Python makes of their fields.
//!
//! `lower = "toy.py#stage"` names a function of a file beside the description. Its parameters are the fields of the node;
//! that of a body is a function that adds the statements of the body. It is called in a fragment of the dialect that the
//! description lowers to, so that whatever a script of that dialect can contain, a lowering can make.

use tvmscript_ir_core::containers::ArrayNode;
use tvmscript_ir_core::{
    Class, FieldRef, Object, ObjectLike, Ref, Registry, Release, Value, try_post_order_mutate,
};
use tvmscript_irbuilder::{BuildResult, Builder, CallArgs, HostObject, ScriptValue};
use tvmscript_pass::{Pass, PassContext, PassError, PassInfo};
use tvmscript_python_syntax::ast::Stmt;
use tvmscript_python_syntax::{PythonOptions, parse_python};
use tvmscript_script_parser::{ModuleLoader, ModuleText, ParseOptions, parse_script};
use tvmscript_si_builder::SIBuilder;

use crate::DialectFile;
use crate::node::NodeText;

/// Name of the module of the template in the fragment.
const MODULE: &str = "lowering";

/// The function that a node is lowered by.
#[derive(Debug, Clone)]
pub(crate) struct Lowering {
    /// The dialect of which the function makes a fragment.
    pub(crate) target: &'static str,
    /// Name of the file.
    pub(crate) file: &'static str,
    /// Text of the file.
    pub(crate) text: &'static str,
    pub(crate) function: &'static str,
}

/// The parameters of a function at the top of a file; `None` if there is no such function.
pub(crate) fn parameters(text: &str, function: &str) -> Option<Vec<String>> {
    let ast = parse_python(text, &PythonOptions::default()).ast;
    let definition = ast.module_body().iter().rev().find_map(|id| match ast.stmt(*id) {
        Stmt::FunctionDef(stmt) if ast.name(stmt.name) == function => Some(*stmt),
        _ => None,
    })?;
    Some(ast.list(definition.params).iter().map(|param| ast.name(param.name).to_owned()).collect())
}

/// A body: called, it adds its statements to the scope around.
struct Body(Vec<Object>);

impl HostObject for Body {
    fn type_name(&self) -> &str {
        "the body of a statement"
    }
    fn is_callable(&self) -> bool {
        true
    }
    fn call(&self, _: CallArgs) -> BuildResult<ScriptValue> {
        self.0.iter().try_for_each(|statement| Builder::add_stmt(statement.clone()))?;
        Ok(ScriptValue::None)
    }
}

/// The value of a field in a template.
fn argument(value: &Value, is_body: bool) -> ScriptValue {
    if let Value::Node(node) = value
        && let Some(list) = node.as_node::<ArrayNode>()
    {
        if is_body {
            return ScriptValue::host(Body(
                list.items().iter().filter_map(Value::as_object).cloned().collect(),
            ));
        }
        return ScriptValue::list(list.items().iter().map(|item| argument(item, false)).collect());
    }
    ScriptValue::from(value)
}

/// Replaces a node by what its function makes.
fn expand(
    text: &'static NodeText,
    lowering: &'static Lowering,
    node: &Object,
    registry: &Registry,
    release: &'static Release,
) -> Result<Object, PassError> {
    let mut options = ParseOptions::default();
    options.release = Some(release);
    options.fragment_of = Some(lowering.target);
    options.omit_spans = true;
    options.modules = Some(ModuleLoader::new("", |path| {
        let text = ModuleText { name: lowering.file.to_owned(), text: lowering.text.to_owned() };
        (path == MODULE).then_some(text)
    }));
    let mut arguments = Vec::new();
    let mut inputs = Vec::new();
    for (index, field) in text.info.fields().iter().enumerate().skip(text.hidden) {
        let value = match node.field(index) {
            FieldRef::Node(child) => {
                inputs.push(child.clone());
                Value::Node(child.clone())
            }
            other => other.to_value(),
        };
        let is_body = text.body.as_ref().is_some_and(|body| body.field == index);
        options.globals.value(format!("_{}", field.name), move || argument(&value, is_body));
        arguments.push(format!("{0}=_{0}", field.name));
    }
    let script =
        format!("from {MODULE} import {0} as _lower\n_lower({1})\n", lowering.function, arguments.join(", "));
    let parsed = parse_script(lowering.file, &script, registry, &options);
    let fail = |message: String| {
        let message = format!("`{}` of {} {message}", lowering.function, lowering.file);
        PassError::unsupported(message).at(node)
    };
    let result = match (parsed.errors.first(), parsed.scripts.into_iter().next()) {
        (Some(error), _) => return Err(fail(format!("fails: {error}"))),
        (None, None) => return Err(fail("makes nothing".to_owned())),
        (None, Some(script)) => script.node,
    };
    Ok(SIBuilder::new(node.span()).recursively_fill_span(result, &inputs)?)
}

/// Replaces the nodes of dialects from files that have a `lower`, inner ones first.
///
/// # Errors
/// Fails at the first node whose function fails.
pub fn lower<T: ObjectLike>(
    root: T,
    files: &[DialectFile],
    registry: &Registry,
    release: &'static Release,
) -> Result<T, PassError> {
    try_post_order_mutate(root, |node| {
        let text = files.iter().find_map(|file| file.loaded.text_of(node.info()));
        match text.and_then(|text| Some((text, text.lower.as_ref()?))) {
            Some((text, lowering)) => expand(text, lowering, node, registry, release).map(Some),
            None => Ok(None),
        }
    })
}

/// The pass that lowers the nodes of a dialect from a file: `toy.Lower`.
#[derive(Debug, Clone, Copy)]
pub struct Lower(pub(crate) DialectFile);

impl<R: Class> Pass<R> for Lower {
    fn info(&self) -> PassInfo {
        let name = format!("{}.Lower", self.0.name());
        PassInfo::new(
            name,
            "Replaces the nodes of a dialect by what the description of the dialect makes of them.",
        )
    }

    fn transform(&self, root: Ref<R>, context: &PassContext<'_, R>) -> Result<Ref<R>, PassError> {
        let Some(session) = context.session() else {
            return Err(PassError::unsupported("a context without a registry"));
        };
        let release = session.release.unwrap_or_else(|| session.registry.release());
        lower(root, &[self.0], session.registry, release)
    }
}

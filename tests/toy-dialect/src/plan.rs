//! An independent language of work plans.
//!
//! A plan is a function whose statements are steps. The dialect has its own decorator (`@Plan.plan`), its own text
//! release, and a node without syntax, [`Picture`], which is printed in the metadata section.
//!
//! ```text
//! # from worklang import plan as Plan
//!
//! @Plan.plan
//! def dinner():
//!     Plan.step("peel", 5)
//!     Plan.show(metadata["plan.Picture"][0])
//! ```

use tvmscript_doc::{FunctionParts, StmtDoc, StmtList};
use tvmscript_docsifier::{Docsifier, DocsifyDialect, Frame as DocFrame, Result as DocsifyResult, script};
use tvmscript_ir_core::json::UnknownTypes;
use tvmscript_ir_core::release::{Examples, MetadataFormat, PythonNames, Release, Renames, Syntax};
use tvmscript_ir_core::{Array, Class, Dialect, Node, Object, PathId, Ref, Span, Str};
use tvmscript_irbuilder::{
    BuildDialect, BuildError, Builder, CallArgs, Frame, Result, ScriptValue, script_fn,
};
use tvmscript_python_syntax::ast;
use tvmscript_script_parser::{
    DecoratorRule, Definition, ParseDialect, ParseErrorKind, Parser, Result as ParseResult,
};

/// The release `worklang-1.0`.
pub static RELEASE: Release = Release {
    name: "worklang",
    version: "1.0",
    syntax: Syntax {
        option_label: "worklang",
        metadata: MetadataFormat {
            variable: "pictures",
            loader: "Plan.load",
            omitted: "The pictures are not shown.",
            ..Syntax::PLAIN.metadata
        },
        python: PythonNames { script_module: "worklang", package: "worklang", ..PythonNames::NONE },
        examples: Examples { function: Some("Plan.plan"), ..Examples::NONE },
        ..Syntax::PLAIN
    },
    renames: Renames::NONE,
};

/// Base class of steps.
#[derive(Class)]
#[class(key = "plan.Step")]
pub struct Step(());

/// Work that takes time.
#[derive(Debug, Clone, Node)]
#[node(key = "plan.Work", parent = Step)]
pub struct Work {
    /// Source position.
    pub span: Span,
    /// Description.
    pub label: Str,
    /// Duration in minutes.
    pub minutes: i64,
}

/// Shows a picture.
#[derive(Debug, Clone, Node)]
#[node(key = "plan.Show", parent = Step)]
pub struct Show {
    /// Source position.
    pub span: Span,
    /// The picture.
    pub picture: Ref<Picture>,
}

/// A picture, which has no syntax.
#[derive(Debug, Clone, Node)]
#[node(key = "plan.Picture")]
pub struct Picture {
    /// One line of the picture per line of text.
    pub rows: Str,
}

/// Steps in order.
#[derive(Debug, Clone, Node)]
#[node(key = "plan.Plan")]
pub struct Plan {
    /// Source position.
    pub span: Span,
    /// Name of the plan.
    pub name: Str,
    /// The steps.
    pub steps: Array<Ref<Step>>,
}

/// A step of work.
#[script_fn]
fn step(label: Str, minutes: i64) -> Result<Ref<Work>> {
    if minutes < 0 {
        return Err(BuildError::message("a step cannot take less than no time").at_position(1));
    }
    Ok(Ref::new(Work { span: Span::current(), label, minutes }))
}

/// A step that shows a picture.
#[script_fn]
fn show(picture: Ref<Picture>) -> Result<Ref<Show>> {
    Ok(Ref::new(Show { span: Span::current(), picture }))
}

/// An open plan.
struct PlanFrame {
    name: Str,
    steps: Vec<Ref<Step>>,
}

impl Frame for PlanFrame {
    fn name(&self) -> &'static str {
        "Plan.plan"
    }
    fn close(self: Box<Self>) -> Result<()> {
        let PlanFrame { name, steps } = *self;
        Builder::set_result(Ref::new(Plan { span: Span::current(), name, steps: Array::new(steps) }).into())
    }
    fn take_stmt(&mut self, stmt: Object) -> Option<Object> {
        match stmt.downcast::<Step>() {
            Ok(step) => {
                self.steps.push(step);
                None
            }
            Err(other) => Some(other),
        }
    }
}

fn define(p: &mut Parser<'_>, def: &Definition<ast::FunctionDef>) -> ParseResult<Option<ScriptValue>> {
    let name = Str::new(p.name_text(def.stmt.name));
    let entered = Builder::enter(Box::new(PlanFrame { name, steps: Vec::new() }));
    let (_, open) = p.checked(def.id, entered)?;
    p.with_scope(|p| {
        p.visit_body(def.stmt.body);
        Ok(())
    })?;
    p.leave_frame(open, def.id)?;
    Ok(None)
}

fn statement(p: &mut Parser<'_>, id: ast::StmtId, stmt: &ast::ExprStmt) -> ParseResult<()> {
    let value = p.eval(stmt.value)?;
    match value {
        ScriptValue::Node(object) if object.is::<Step>() => {
            let added = Builder::add_stmt(object);
            p.checked(id, added)
        }
        other => {
            let kind = ParseErrorKind::expected("a step", p.describe(&other));
            Err(p.error(stmt.value, kind))
        }
    }
}

/// Reads the metadata section.
fn load(p: &mut Parser<'_>, args: CallArgs) -> Result<ScriptValue> {
    match (args.positional.as_slice(), p.registry()) {
        ([ScriptValue::Str(text)], Some(registry)) => {
            Ok(ScriptValue::from(&(p.syntax().metadata.load)(text, registry, UnknownTypes::Refused)?))
        }
        _ => Err(BuildError::message("`load` takes one string, at module level")),
    }
}

fn print_plan(node: &Ref<Plan>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<StmtList> {
    let Plan { span: _, name, steps } = &**node;
    let name = d.docs.id(name.as_str());
    let name = d.at_field(name, path, "name");
    let steps_path = d.field(path, "steps");
    let ((), body) = d.with_frame(DocFrame::new(Some(node.object().clone()), ()), |d| {
        for (index, step) in steps.iter().enumerate() {
            let at = d.item(steps_path, index);
            let doc = d.doc(step.object(), at)?;
            d.push_doc(doc);
        }
        Ok(())
    })?;
    let decorator = d.prefixed("plan", "plan");
    let parts = FunctionParts { name, args: &[], decorators: &[decorator], return_type: None, body: &body };
    let function = d.docs.function(parts)?;
    script(d, function)
}

fn print_work(node: &Ref<Work>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<StmtDoc> {
    let Work { span: _, label, minutes } = &**node;
    let (label, minutes) = (d.docs.str(label.as_str()), d.docs.int(*minutes));
    let args = [d.at_field(label, path, "label"), d.at_field(minutes, path, "minutes")];
    let callee = d.prefixed("plan", "step");
    let call = d.docs.call_args(callee, &args);
    Ok(d.docs.expr_stmt(call))
}

fn print_show(node: &Ref<Show>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<StmtDoc> {
    let Show { span: _, picture } = &**node;
    let at = d.field(path, "picture");
    let picture = d.expr_object(picture.object(), at)?;
    let callee = d.prefixed("plan", "show");
    let call = d.docs.call_args(callee, &[picture]);
    Ok(d.docs.expr_stmt(call))
}

/// The dialect.
pub fn dialect() -> Dialect {
    Dialect::new("plan")
        .of_release(&RELEASE)
        .alias("Plan")
        .namespace(&["Plan"])
        .decorator("plan", DecoratorRule::Function { define, declare: None })
        .parser_function("load", load)
        .parse::<ast::ExprStmt>(statement)
        .functions(&[&STEP, &SHOW])
        .node::<Step>()
        .node::<Work>()
        .docsify(print_work)
        .node::<Show>()
        .docsify(print_show)
        .node::<Picture>()
        .node::<Plan>()
        .docsify(print_plan)
        .finish()
}

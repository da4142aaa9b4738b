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

use tvmscript_doc::StmtList;
use tvmscript_docsifier::{Docsifier, DocsifyDialect, DocsifyResult, fields, printers};
use tvmscript_ir_core::json::UnknownTypes;
use tvmscript_ir_core::release::{Examples, MetadataFormat, PythonNames, Release, Renames, Syntax};
use tvmscript_ir_core::{Array, Class, Dialect, Node, PathId, Ref, Span, Str};
use tvmscript_irbuilder::{
    BuildDialect, BuildError, BuildResult, Builder, CallArgs, FrameOf, IntoScript as _, Scope, ScriptValue,
    script_fn,
};
use tvmscript_python_syntax::ast;
use tvmscript_script_parser::{DecoratorRule, Definition, EvalResult, ParseDialect, Parser, defaults};

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
fn step(label: Str, minutes: i64) -> BuildResult<Ref<Work>> {
    if minutes < 0 {
        return Err(BuildError::message("a step cannot take less than no time").at_position(1));
    }
    Ok(Ref::new(Work { span: Span::current(), label, minutes }))
}

/// A step that shows a picture.
#[script_fn]
fn show(picture: Ref<Picture>) -> BuildResult<Ref<Show>> {
    Ok(Ref::new(Show { span: Span::current(), picture }))
}

fn define(p: &mut Parser<'_>, def: &Definition<ast::FunctionDef>) -> EvalResult<Option<ScriptValue>> {
    let frame = |name: &str| -> ScriptValue {
        let frame: FrameOf<Scope<Step, Str>> = Scope::open("Plan.plan", Str::new(name), |name, steps| {
            Builder::set_result(Ref::new(Plan { span: Span::current(), name, steps }).into())
        });
        frame.into_script()
    };
    defaults::function(p, def, frame, |name, _| {
        Err(BuildError::expected("a plan without parameters", format!("the parameter `{name}`")))
    })
}

/// Reads the metadata section.
fn load(p: &mut Parser<'_>, args: CallArgs) -> BuildResult<ScriptValue> {
    match (args.positional.as_slice(), p.registry()) {
        ([ScriptValue::Str(text)], Some(registry)) => {
            Ok(ScriptValue::from(&(p.syntax().metadata.load)(text, registry, UnknownTypes::Refused)?))
        }
        _ => Err(BuildError::message("`load` takes one string, at module level")),
    }
}

fn print_plan(node: &Ref<Plan>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<StmtList> {
    fields!(d, path, node => Plan { span: _, name, steps });
    let ((), body) = d.in_scope(node.object(), |d| d.push_field(steps))?;
    let decorator = d.prefixed("plan", "plan");
    d.script_function(node.object(), name, decorator, &[], &body)
}

printers! {
    in "plan";
    /// `Plan.step("label", minutes)`
    fn print_work(Work { span: _, label, minutes }) = do step(label, minutes);
    /// `Plan.show(picture)`
    fn print_show(Show { span: _, picture }) = do show(picture);
}

/// The dialect.
pub fn dialect() -> Dialect {
    Dialect::new("plan")
        .of_release(&RELEASE)
        .alias("Plan")
        .namespace(&["Plan"])
        .decorator("plan", DecoratorRule::Function { define, declare: None })
        .parser_function("load", load)
        .parse::<ast::ExprStmt>(defaults::expression::<Step>)
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

//! A language for robots: five nodes that are read and printed.
//!
//! ```python
//! @Bot.program
//! def patrol(wall: Bot.Sensor):
//!     for _ in Bot.repeat(3):
//!         Bot.go(100)
//!         if wall:
//!             Bot.go(200)
//! ```

use tvmscript_docsifier::doc::{ExprDoc, PathId, StmtDoc, StmtList};
use tvmscript_docsifier::{Docsifier, DocsifyDialect as _, DocsifyResult, fields, printers};
use tvmscript_ir_core::release::{Examples, PythonNames, Release, Renames, Syntax};
use tvmscript_ir_core::{Array, Class, Dialect, NameCell, Node, Ref, Span, Str};
use tvmscript_irbuilder::{
    self as irbuilder, BuildDialect as _, BuildError, Builder, FrameOf, IntoScript as _, Scope, ScriptValue,
    script_fn,
};
use tvmscript_python_syntax::ast;
use tvmscript_script_parser::defaults::{self, Branches};
use tvmscript_script_parser::{self as parser, DecoratorRule, Definition, ParseDialect as _, Parser};

/// A statement of a program.
#[derive(Class)]
#[class(key = "robot.Stmt")]
pub struct Stmt(());

/// A sensor. Identity is the node; the name is a hint.
#[derive(Debug, Clone, Node)]
#[node(key = "robot.Sensor", eq = free_var)]
pub struct Sensor {
    /// Name hint.
    pub name: NameCell,
    /// Source position.
    pub span: Span,
}

/// Goes forward.
#[derive(Debug, Clone, Node)]
#[node(key = "robot.Go", parent = Stmt)]
pub struct Go {
    /// Distance in centimetres.
    pub distance: i64,
    /// Source position.
    pub span: Span,
}

/// Repeats statements.
#[derive(Debug, Clone, Node)]
#[node(key = "robot.Repeat", parent = Stmt)]
pub struct Repeat {
    /// Number of repetitions.
    pub times: i64,
    /// Statements in order.
    pub body: Array<Ref<Stmt>>,
    /// Source position.
    pub span: Span,
}

/// Executes one of two bodies.
#[derive(Debug, Clone, Node)]
#[node(key = "robot.When", parent = Stmt)]
pub struct When {
    /// The sensor that decides.
    pub sensor: Ref<Sensor>,
    /// Statements if the sensor is active.
    pub then: Array<Ref<Stmt>>,
    /// The other statements.
    pub otherwise: Array<Ref<Stmt>>,
    /// Source position.
    pub span: Span,
}

/// A program.
#[derive(Debug, Clone, Node)]
#[node(key = "robot.Program")]
pub struct Program {
    /// The name.
    pub name: Str,
    /// The sensors that it reads.
    #[node(def)]
    pub sensors: Array<Ref<Sensor>>,
    /// Statements in order.
    pub body: Array<Ref<Stmt>>,
    /// Source position.
    pub span: Span,
}

/// The type of sensors.
#[script_fn(name = "Sensor", annotation)]
fn sensor() -> irbuilder::BuildResult<Ref<Sensor>> {
    Ok(Ref::new(Sensor { name: Str::new("").into(), span: Span::current() }))
}

/// Goes forward by a distance in centimetres.
#[script_fn]
fn go(distance: i64) -> irbuilder::BuildResult<Ref<Go>> {
    Ok(Ref::new(Go { distance, span: Span::current() }))
}

/// Repeats the body.
#[script_fn]
fn repeat(times: i64) -> irbuilder::BuildResult<FrameOf<Scope<Stmt, (i64, Span)>>> {
    Ok(Scope::open("Bot.repeat", (times, Span::current()), |(times, span), body| {
        Builder::add_stmt(Ref::new(Repeat { times, body, span }).into())
    }))
}

/// The frame of a program: name, sensors, position.
type ProgramFrame = Scope<Stmt, (Str, Vec<Ref<Sensor>>, Span)>;

fn open_program(name: &str) -> ScriptValue {
    let frame: FrameOf<ProgramFrame> = Scope::open(
        "Bot.program",
        (Str::new(name), Vec::new(), Span::current()),
        |(name, sensors, span), body| {
            Builder::set_result(Ref::new(Program { name, sensors: Array::new(sensors), body, span }).into())
        },
    );
    frame.into_script()
}

fn program(
    p: &mut Parser,
    definition: &Definition<ast::FunctionDef>,
) -> parser::EvalResult<Option<ScriptValue>> {
    defaults::function(p, definition, open_program, |name, annotation| match annotation {
        Some(ScriptValue::Function(function)) if std::ptr::eq(function, &SENSOR) => {
            let sensor = Ref::new(Sensor { name: Str::new(name).into(), span: Span::current() });
            Builder::with_top::<ProgramFrame, _>(|frame| frame.data.1.push(sensor.clone()))?;
            Ok(sensor.into_script())
        }
        _ => Err(BuildError::expected(format!("`{name}: Bot.Sensor`"), "another parameter")),
    })
}

/// `if sensor:` opens a frame whose branches are frames inside of it.
struct SensorBranches;

/// The frame of an `if`: sensor, first branch, second branch, position.
type WhenFrame = Scope<Stmt, (Ref<Sensor>, Array<Ref<Stmt>>, Array<Ref<Stmt>>, Span)>;

impl Branches for SensorBranches {
    fn open(condition: ScriptValue) -> irbuilder::BuildResult<ScriptValue> {
        let ScriptValue::Node(node) = condition else {
            return Err(BuildError::expected("a sensor", condition.type_name()));
        };
        let sensor = node.downcast().map_err(|node| BuildError::expected("a sensor", node.info().key()))?;
        let parts = (sensor, Array::default(), Array::default(), Span::current());
        let frame: FrameOf<WhenFrame> = Scope::open("if", parts, |(sensor, then, otherwise, span), _| {
            Builder::add_stmt(Ref::new(When { sensor, then, otherwise, span }).into())
        });
        Ok(frame.into_script())
    }

    fn then() -> irbuilder::BuildResult<ScriptValue> {
        let frame: FrameOf<Scope<Stmt, ()>> = Scope::open("if", (), |(), body| {
            Builder::with_top::<WhenFrame, _>(|frame| frame.data.1 = body).map(drop)
        });
        Ok(frame.into_script())
    }

    fn otherwise() -> irbuilder::BuildResult<ScriptValue> {
        let frame: FrameOf<Scope<Stmt, ()>> = Scope::open("else", (), |(), body| {
            Builder::with_top::<WhenFrame, _>(|frame| frame.data.2 = body).map(drop)
        });
        Ok(frame.into_script())
    }
}

printers! {
    in "robot";
    fn print_go(Go { distance, span: _ }) = do go(distance);
}

fn print_sensor(node: &Ref<Sensor>, _: PathId, d: &mut Docsifier) -> DocsifyResult<ExprDoc> {
    d.variable(node.object(), "sensor", |d| d.prefixed("robot", "Sensor"))
}

fn print_repeat(node: &Ref<Repeat>, path: PathId, d: &mut Docsifier) -> DocsifyResult<StmtDoc> {
    fields!(d, path, node => Repeat { times, body, span: _ });
    let times = d.print_field(times)?;
    let callee = d.prefixed("robot", "repeat");
    let scope = d.docs.call_args(callee, &[times]);
    let ((), body) = d.in_scope(node.object(), |d| d.push_field(body))?;
    let target = d.docs.id("_");
    Ok(d.docs.for_(target, scope, &body))
}

fn print_when(node: &Ref<When>, path: PathId, d: &mut Docsifier) -> DocsifyResult<StmtDoc> {
    fields!(d, path, node => When { sensor, then, otherwise, span: _ });
    let sensor = d.print_field(sensor)?;
    let ((), then) = d.in_scope(node.object(), |d| d.push_field(then))?;
    let ((), otherwise) = d.in_scope(node.object(), |d| d.push_field(otherwise))?;
    Ok(d.docs.if_(sensor, &then, &otherwise)?)
}

fn print_program(node: &Ref<Program>, path: PathId, d: &mut Docsifier) -> DocsifyResult<StmtList> {
    fields!(d, path, node => Program { name, sensors, body, span: _ });
    let (sensors, body) = d.in_scope(node.object(), |d| {
        let sensors = d.define_parameters(sensors, "sensor", |d| Ok(d.prefixed("robot", "Sensor")))?;
        d.push_field(body)?;
        Ok(sensors)
    })?;
    let decorator = d.prefixed("robot", "program");
    d.script_function(node.object(), name, decorator, &sensors, &body)
}

/// The text of programs: `# from robots import robot as Bot`.
pub static RELEASE: Release = Release {
    name: "robots",
    version: "1.0",
    syntax: Syntax {
        option_label: "robots",
        python: PythonNames { script_module: "robots", package: "robots", ..PythonNames::NONE },
        examples: Examples { scope: Some("Bot.repeat(3)"), function: Some("Bot.program"), class: None },
        ..Syntax::PLAIN
    },
    renames: Renames::NONE,
};

/// The dialect.
pub fn dialect() -> Dialect {
    Dialect::new("robot")
        .of_release(&RELEASE)
        .alias("Bot")
        .namespace(&["Bot"])
        .functions(&[&SENSOR, &GO, &REPEAT])
        .decorator("program", DecoratorRule::Function { define: program, declare: None })
        .parse::<ast::ExprStmt>(defaults::expression::<Stmt>)
        .parse::<ast::For>(defaults::for_frame)
        .parse::<ast::If>(defaults::branch::<SensorBranches>)
        .node::<Stmt>()
        .node::<Sensor>()
        .docsify(print_sensor)
        .variable()
        .node::<Go>()
        .docsify(print_go)
        .node::<Repeat>()
        .docsify(print_repeat)
        .node::<When>()
        .docsify(print_when)
        .node::<Program>()
        .docsify(print_program)
        .finish()
}

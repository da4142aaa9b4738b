//! A toy dialect for tests: `@Y.script` functions whose statements build nodes of one kind.

use tvmscript_ir_core::release::{Examples, PythonNames, Release, Renames, SliceRule, Syntax};
use tvmscript_ir_core::{Class, Dialect, Node, Object, Ref, RegistryBuilder, Span, Str};
use tvmscript_irbuilder::{
    BuildDialect, BuildError, Builder, CallArgs, Frame, ParamKind, PyType, ScriptFn, ScriptValue,
};
use tvmscript_python_syntax::ast;
use tvmscript_script_parser::{
    DecoratorRule, Definition, EvalResult, Member, Mode, Operator, ParseDialect, ParseError, ParseOptions,
    Parsed, Parser, PythonModule, Shadowing, parse_script,
};

/// Base class of expressions.
#[derive(Class)]
#[class(key = "toy.Expr")]
pub struct Expr(());

/// A variable or the result of an operator, as text.
#[derive(Debug, Clone, Node)]
#[node(key = "toy.Term", parent = Expr)]
pub struct Term {
    pub text: Str,
    pub span: Span,
}

/// A function: its statements as text.
#[derive(Debug, Clone, Node)]
#[node(key = "toy.Function")]
pub struct Function {
    pub text: Str,
}

fn term(text: &str) -> ScriptValue {
    Ref::new(Term { text: text.into(), span: Span::current() }).into()
}

fn show(value: &ScriptValue) -> String {
    if let ScriptValue::List(items) = value {
        let items: Vec<String> = items.borrow().iter().map(show).collect();
        return format!("[{}]", items.join(", "));
    }
    match (value.as_node::<Term>(), value.as_str()) {
        (Some(term), _) => term.text.to_string(),
        (None, Some(text)) => text.to_owned(),
        (None, None) => format!("{value:?}"),
    }
}

fn operator(op: Operator, operands: &[ScriptValue], mode: Mode) -> Result<Option<ScriptValue>, BuildError> {
    let mark = if mode == Mode::Host { "'" } else { "" };
    let text: Vec<String> = operands.iter().map(show).collect();
    Ok(Some(term(&match op {
        Operator::Binary(op) => format!("({} {}{mark} {})", text[0], op.as_str(), text[1]),
        Operator::Unary(op) => format!("({}{mark} {})", op.as_str(), text[0]),
        Operator::Compare(op) => format!("({} {}{mark} {})", text[0], op.as_str(), text[1]),
        Operator::Bool(op) => format!("({} {}{mark} {})", text[0], op.as_str(), text[1]),
        Operator::Conditional => format!("({} if{mark} {} else {})", text[1], text[0], text[2]),
    })))
}

struct FunctionFrame(Vec<String>);
impl Frame for FunctionFrame {
    fn name(&self) -> &'static str {
        "Y.script"
    }
    fn close(self: Box<Self>) -> std::result::Result<(), BuildError> {
        Builder::set_result(Object::from(Ref::new(Function { text: self.0.join("\n").as_str().into() })))
    }
}

fn emit(text: String) {
    let _ = Builder::with_innermost(|frame: &mut FunctionFrame| frame.0.push(text));
}

fn script(p: &mut Parser, def: &Definition<ast::FunctionDef>) -> EvalResult<Option<ScriptValue>> {
    let entered = Builder::enter(Box::new(FunctionFrame(Vec::new())));
    let (_, open) = p.checked(def.id, entered)?;
    p.with_scope(|p| {
        let ast = p.ast();
        for param in ast.list(def.stmt.params) {
            p.define(param.name, term(ast.name(param.name)), param.place, Shadowing::OuterFrames)?;
        }
        p.visit_body(def.stmt.body);
        Ok(())
    })?;
    p.leave_frame(open, def.id)?;
    Ok(None)
}

fn expr(p: &mut Parser, _: ast::StmtId, stmt: &ast::ExprStmt) -> EvalResult<()> {
    let value = p.eval(stmt.value)?;
    emit(show(&value));
    Ok(())
}

fn assign(p: &mut Parser, _: ast::StmtId, stmt: &ast::Assign) -> EvalResult<()> {
    let value = p.eval_assigned(stmt.value)?;
    let Some(target) = p.item(stmt.targets, 0) else { return Ok(()) };
    p.unpack(target, value, |p, name, at, value| {
        emit(format!("{} = {}", p.name_text(name), show(&value)));
        p.define(name, value, at, Shadowing::OuterFrames)
    })
}

fn for_loop(p: &mut Parser, _: ast::StmtId, stmt: &ast::For) -> EvalResult<()> {
    let extent = p.eval(stmt.iter)?;
    emit(format!("for {}", show(&extent)));
    p.with_scope(|p| {
        p.unpack(stmt.target, term("i"), |p, name, at, value| {
            p.define(name, value, at, Shadowing::OuterFrames)
        })?;
        p.visit_body(stmt.body);
        Ok(())
    })
}

fn identity_call(_: &'static ScriptFn, args: CallArgs) -> std::result::Result<ScriptValue, BuildError> {
    let mut binding = tvmscript_irbuilder::Binding::new(&IDENTITY, args)?;
    binding.required(0)
}
static IDENTITY: ScriptFn = ScriptFn {
    name: "identity",
    doc: "Gives its argument.",
    params: &[tvmscript_irbuilder::Param {
        name: "value",
        kind: ParamKind::Plain,
        default: None,
        py_type: PyType::ANY,
    }],
    returns: PyType::ANY,
    is_annotation: false,
    members: &[],
    around: None,
    call: identity_call,
    data: None,
};

fn reads_call(_: &'static ScriptFn, args: CallArgs) -> std::result::Result<ScriptValue, BuildError> {
    let mut binding = tvmscript_irbuilder::Binding::new(&READS, args)?;
    binding.required(0)
}
/// A function whose arguments are regions.
static READS: ScriptFn = ScriptFn { name: "reads", call: reads_call, ..IDENTITY };

fn other_reads_call(_: &'static ScriptFn, args: CallArgs) -> std::result::Result<ScriptValue, BuildError> {
    let mut binding = tvmscript_irbuilder::Binding::new(&OTHER_READS, args)?;
    binding.required(0)
}
/// A function of another dialect with the same name.
static OTHER_READS: ScriptFn = ScriptFn { name: "reads", call: other_reads_call, ..IDENTITY };

fn apply_call(_: &'static ScriptFn, args: CallArgs) -> std::result::Result<ScriptValue, BuildError> {
    match args.positional.first() {
        Some(ScriptValue::Host(function)) => function.call(CallArgs::positional([term("a"), term("b")])),
        _ => Err(BuildError::expected("a function", "something else").at_position(0)),
    }
}
static APPLY: ScriptFn = ScriptFn {
    name: "apply",
    doc: "Calls a function back.",
    params: &[],
    returns: PyType::ANY,
    is_annotation: false,
    members: &[],
    around: None,
    call: apply_call,
    data: None,
};

fn subscript(object: &Object, indices: &tvmscript_script_parser::Indices) -> Result<ScriptValue, BuildError> {
    let part = |value: &ScriptValue| match value {
        ScriptValue::Slice(s) => format!("{}:{}:{}", show(&s.start), show(&s.stop), show(&s.step)),
        other => show(other),
    };
    let parts: Vec<String> = indices.items.iter().map(part).collect();
    Ok(term(&format!("{}[{}]", show(&ScriptValue::Node(object.clone())), parts.join(", "))))
}

static MODULES: &[PythonModule] =
    &[PythonModule::new(&["toylang.script"]).members(&[("toy", Member::Namespace)])];

static RELEASE: Release = Release {
    name: "toylang",
    version: "1",
    syntax: Syntax {
        python: PythonNames { script_module: "toylang.script", package: "toylang", ..PythonNames::NONE },
        slices: SliceRule::VectorsAsValues,
        examples: Examples { function: Some("Y.script"), ..Examples::NONE },
        ..Syntax::PLAIN
    },
    renames: Renames::NONE,
};

fn dialect() -> Dialect {
    Dialect::new("toy")
        .of_release(&RELEASE)
        .namespace(&["Y"])
        .python_modules(MODULES)
        .decorator("script", DecoratorRule::Function { define: script, declare: None })
        .functions(&[&IDENTITY, &APPLY, &READS])
        .region_functions(&[&READS])
        .parse::<ast::ExprStmt>(expr)
        .parse::<ast::Assign>(assign)
        .parse::<ast::For>(for_loop)
        .node::<Expr>()
        .operator(operator)
        .subscript(subscript)
        .node::<Term>()
        .node::<Function>()
        .finish()
}

pub fn parse(text: &str) -> Parsed {
    let other = Dialect::new("other").namespace(&["Z"]).functions(&[&OTHER_READS]);
    let registry = RegistryBuilder::new().with(dialect()).with(other).build();
    let registry = registry.expect("the dialects do not clash");
    let mut options = ParseOptions::default();
    options.limits.max_steps = 1_000_000;
    parse_script("test.py", text, &registry, &options)
}

/// Statements of the last function.
#[allow(dead_code)]
pub fn function_text(parsed: &Parsed) -> String {
    let script = parsed.scripts.last().expect("a script");
    script.node.as_node::<Function>().expect("a function").text.to_string()
}

/// Statements that a function builds.
#[allow(dead_code)]
pub fn build(text: &str) -> String {
    let parsed = parse(text);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    function_text(&parsed)
}

#[allow(dead_code)]
pub fn errors(text: &str) -> Vec<ParseError> {
    parse(text).errors
}

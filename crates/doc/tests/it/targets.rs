//! One case for each class of doc and each target language: what it looks like there, or that programs do not have it.
//!
//! `data/targets.txt` has the texts. Programs that build nodes consist of calls, assignments and scopes; other statements
//! are errors that name the class.

use tvmscript_doc::builder::{self, Program};
use tvmscript_doc::python::{self, PythonOptions};
use tvmscript_doc::{BinaryOp, DocArena, ExprDoc, FunctionParts, PrintError, StmtDoc, UnaryOp};

const MAX_BYTES: usize = 1 << 16;

type Made = Result<StmtDoc, PrintError>;

/// A class of docs: its name, and what makes one.
type Class = (&'static str, fn(&mut DocArena) -> Made);

/// The classes of RFC 0074 and those that upstream added.
const CLASSES: [Class; 26] = [
    ("Literal", |d| {
        let values = [d.none(), d.bool(true), d.int(-3), d.float(0.5), d.str("a\"b"), d.float(f64::INFINITY)];
        let callee = d.id("f");
        let call = d.call_args(callee, &values);
        Ok(d.expr_stmt(call))
    }),
    ("Id", |d| {
        let x = d.id("x");
        used(d, x)
    }),
    ("AttrAccess", |d| {
        let x = d.id("x");
        let attr = d.attr(x, "shape");
        used(d, attr)
    }),
    ("Index", |d| {
        let (x, i) = (d.id("x"), d.int(1));
        let index = d.index(x, &[i]);
        used(d, index)
    }),
    ("Slice", |d| {
        let (x, start, stop) = (d.id("x"), d.int(1), d.int(10));
        let slice = d.slice(Some(start), Some(stop), None);
        let index = d.index(x, &[slice]);
        used(d, index)
    }),
    ("Call", |d| {
        let (callee, x, one) = (d.id("f"), d.id("x"), d.int(1));
        let call = d.call(callee, &[x], &[("key", one)]);
        Ok(d.expr_stmt(call))
    }),
    ("Operation: one operand", |d| {
        let x = d.id("x");
        let negated = d.unary(UnaryOp::USub, x);
        used(d, negated)
    }),
    ("Operation: two operands", |d| {
        let (a, b, c) = (d.id("a"), d.id("b"), d.id("c"));
        let sum = d.binary(BinaryOp::Add, a, b);
        let product = d.binary(BinaryOp::Mult, sum, c);
        used(d, product)
    }),
    ("Operation: conditional", |d| {
        let (a, b, c) = (d.id("a"), d.id("b"), d.id("c"));
        let conditional = d.conditional(a, b, c);
        used(d, conditional)
    }),
    ("Lambda", |d| {
        let (x, one) = (d.id("x"), d.int(1));
        let sum = d.binary(BinaryOp::Add, x, one);
        let lambda = d.lambda(&[x], sum)?;
        used(d, lambda)
    }),
    ("Tuple", |d| {
        let items = [d.int(1), d.int(2)];
        let tuple = d.tuple(&items);
        used(d, tuple)
    }),
    ("List", |d| {
        let items = [d.int(1), d.int(2)];
        let list = d.list(&items);
        used(d, list)
    }),
    ("Dict", |d| {
        let entry = (d.str("key"), d.int(1));
        let dict = d.dict(&[entry]);
        used(d, dict)
    }),
    ("Assign", |d| {
        let (y, x) = (d.id("y"), d.id("x"));
        let callee = d.id("f");
        let call = d.call_args(callee, &[x]);
        Ok(d.bind(y, call))
    }),
    ("Assign with an annotation", |d| {
        let (y, x, class) = (d.id("y"), d.id("x"), d.id("C"));
        Ok(d.assign(y, Some(x), Some(class))?)
    }),
    ("If", |d| {
        let (x, body) = (d.id("x"), call(d));
        Ok(d.if_(x, &[body], &[body])?)
    }),
    ("While", |d| {
        let (x, body) = (d.id("x"), call(d));
        Ok(d.while_(x, &[body]))
    }),
    ("For", |d| {
        let (i, x, body) = (d.id("i"), d.id("x"), call(d));
        Ok(d.for_(i, x, &[body]))
    }),
    ("Scope", |d| {
        let (y, x, body) = (d.id("y"), d.id("x"), call(d));
        let callee = d.id("f");
        let scope = d.call_args(callee, &[x]);
        Ok(d.scope(Some(y), scope, &[body]))
    }),
    ("ExprStmt", |d| Ok(call(d))),
    ("Assert", |d| {
        let (x, message) = (d.id("x"), d.str("why"));
        Ok(d.assert(x, Some(message)))
    }),
    ("Return", |d| {
        let x = d.id("x");
        Ok(d.return_(x))
    }),
    ("Function", |d| {
        let (name, arg, class, decorator) = (d.id("g"), d.id("x"), d.id("C"), d.id("wrapped"));
        let arg = d.assign(arg, None, Some(class))?;
        let body = call(d);
        let parts = FunctionParts {
            name,
            args: &[arg],
            decorators: &[decorator],
            return_type: Some(class),
            body: &[body],
        };
        Ok(d.function(parts)?)
    }),
    ("Class", |d| {
        let (name, decorator, body) = (d.id("M"), d.id("wrapped"), call(d));
        Ok(d.class(name, &[decorator], &[body])?)
    }),
    ("Comment", |d| Ok(d.comment("why"))),
    ("DocString", |d| Ok(d.docstring("why"))),
];

/// The statement `f(expr)`.
fn used(d: &mut DocArena, expr: ExprDoc) -> Made {
    let callee = d.id("f");
    let call = d.call_args(callee, &[expr]);
    Ok(d.expr_stmt(call))
}

/// The statement `f()`.
fn call(d: &mut DocArena) -> StmtDoc {
    let callee = d.id("f");
    let call = d.call_args(callee, &[]);
    d.expr_stmt(call)
}

/// The text of each class in a target.
fn texts(
    print: impl Fn(&mut DocArena, &Program<'_>) -> Result<String, PrintError>,
) -> Vec<(&'static str, String)> {
    let text = |make: fn(&mut DocArena) -> Made| {
        let mut docs = DocArena::new();
        let stmt = make(&mut docs)?;
        let (body, result) = (docs.block(&[stmt]), docs.none());
        print(&mut docs, &Program { body, result, modules: &[] })
    };
    let of_class = |(name, make): &(&'static str, fn(&mut DocArena) -> Made)| {
        (*name, text(*make).unwrap_or_else(|error| format!("error: {error}")))
    };
    CLASSES.iter().map(of_class).collect()
}

/// The lines of a program between those that begin and end it.
fn body(text: &str, begin: &str, end: &str) -> String {
    let (_, rest) = text.split_once(begin).expect("the begin of a program");
    let (body, _) = rest.split_once(end).expect("the end of a program");
    let lines = body.lines().map(|line| line.strip_prefix("    ").unwrap_or(line));
    lines.collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

/// Compares with the recorded texts of a target.
#[track_caller]
fn check(target: &str, found: &[(&'static str, String)]) {
    let recorded = include_str!("../data/targets.txt");
    let (_, rest) = recorded.split_once(&format!("==== {target}\n")).expect("the target");
    let section = rest.split("\n==== ").next().unwrap_or_default().trim_end();
    let found: Vec<String> = found.iter().map(|(name, text)| format!("-- {name}\n{text}")).collect();
    let found = found.join("\n");
    assert!(found == section, "{target}: the texts are\n{found}");
}

#[test]
fn p74_18_each_class_in_python() {
    let options = PythonOptions::default();
    check("python", &texts(|docs, program| python::print(docs, program.body, &options)));
}

#[test]
fn p74_18_each_class_in_programs_in_python() {
    let options = PythonOptions::default();
    let print = |docs: &mut DocArena, program: &Program<'_>| {
        let text = builder::python::print(docs, program, true, &options)?.text;
        Ok(body(&text, "def build():\n", "    return None"))
    };
    check("python-builder", &texts(print));
}

#[test]
fn p74_18_each_class_in_programs_in_rust() {
    let print = |docs: &mut DocArena, program: &Program<'_>| {
        let text = builder::rust::print(docs, program, false, MAX_BYTES)?;
        Ok(body(&text, "Program::new(registry());\n", "    program.finish("))
    };
    check("rust-builder", &texts(print));
}

#[test]
fn p74_18_each_class_in_programs_in_cpp() {
    let print = |docs: &mut DocArena, program: &Program<'_>| {
        let text = builder::cpp::print(docs, program, false, MAX_BYTES)?;
        Ok(body(&text, "Program program;\n", "    return program.finish("))
    };
    check("cpp-builder", &texts(print));
}

#[test]
fn p74_18_each_class_in_json() {
    check("doc-json", &texts(|docs, program| docs.dump_json(program.body, MAX_BYTES)));
}

//! Lines that fit a width: where they break, and where they cannot.

use tvmscript_doc::python::{self, PythonOptions};
use tvmscript_doc::{BinaryOp, DocArena, FunctionParts, StmtDoc};

/// A function whose lines are of several lengths.
fn function(docs: &mut DocArena) -> StmtDoc {
    let t = docs.id("T");
    let ids = ["alpha", "beta", "gamma", "delta"].map(|name| docs.id(name));
    let [alpha, beta, gamma, delta] = ids;
    let grid = docs.attr(t, "grid");
    let extents = [128, 64, 32, 16].map(|extent| docs.int(extent));
    let grid = docs.call_args(grid, &extents);
    let loop_vars = docs.tuple(&ids);
    let target = docs.index(alpha, &[beta, gamma]);
    let product = docs.binary(BinaryOp::Mult, beta, gamma);
    let sum = docs.binary(BinaryOp::Add, product, delta);
    let sum = docs.binary(BinaryOp::Sub, sum, alpha);
    let scaled = docs.binary(BinaryOp::Mult, sum, sum);
    let name = docs.str("some_name");
    let max = docs.attr(t, "max");
    let value = docs.call(max, &[scaled, alpha], &[("dtype", name)]);
    let store = docs.store(target, value);
    docs.set_comment(store, Some("a comment never makes a line too long, whatever it says"));
    let shape = docs.dict(&[(name, beta), (alpha, gamma)]);
    let pair = docs.tuple(&[shape, delta]);
    let bind = docs.bind(beta, pair);
    let looped = docs.for_(loop_vars, grid, &[store, bind]);
    let buffer = docs.attr(t, "Buffer");
    let shape = docs.tuple(&extents[..2]);
    let annotation = docs.call_args(buffer, &[shape, name]);
    let args = [alpha, beta].map(|name| docs.assign(name, None, Some(annotation)).unwrap());
    let decorator = docs.attr(t, "prim_func");
    let main = docs.id("main");
    let parts = FunctionParts {
        name: main,
        args: &args,
        decorators: &[decorator],
        return_type: Some(delta),
        body: &[looped],
    };
    docs.function(parts).unwrap()
}

fn at_width(width: Option<u32>) -> String {
    let mut docs = DocArena::new();
    let doc = function(&mut docs);
    python::print(&docs, doc, &PythonOptions { max_width_columns: width, ..PythonOptions::default() })
        .unwrap()
}

#[test]
fn unlimited() {
    assert_eq!(
        at_width(None),
        r#"@T.prim_func
def main(alpha: T.Buffer((128, 64), "some_name"), beta: T.Buffer((128, 64), "some_name")) -> delta:
    for alpha, beta, gamma, delta in T.grid(128, 64, 32, 16):
        alpha[beta, gamma] = T.max((beta * gamma + delta - alpha) * (beta * gamma + delta - alpha), alpha, dtype="some_name")  # a comment never makes a line too long, whatever it says
        beta = {"some_name": beta, alpha: gamma}, delta"#
    );
    assert_eq!(at_width(Some(1000)), at_width(None));
}

#[test]
fn eighty() {
    assert_eq!(
        at_width(Some(80)),
        r#"@T.prim_func
def main(
    alpha: T.Buffer((128, 64), "some_name"),
    beta: T.Buffer((128, 64), "some_name")
) -> delta:
    for alpha, beta, gamma, delta in T.grid(128, 64, 32, 16):
        alpha[beta, gamma] = T.max(
            (beta * gamma + delta - alpha) * (beta * gamma + delta - alpha),
            alpha,
            dtype="some_name"
        )  # a comment never makes a line too long, whatever it says
        beta = {"some_name": beta, alpha: gamma}, delta"#
    );
}

#[test]
fn forty() {
    assert_eq!(
        at_width(Some(40)),
        r#"@T.prim_func
def main(
    alpha: T.Buffer(
        (128, 64),
        "some_name"
    ),
    beta: T.Buffer(
        (128, 64),
        "some_name"
    )
) -> delta:
    for alpha, beta, gamma, delta in T.grid(
        128,
        64,
        32,
        16
    ):
        alpha[beta, gamma] = T.max(
            (
                beta * gamma
                + delta
                - alpha
            )
            * (
                beta * gamma
                + delta
                - alpha
            ),
            alpha,
            dtype="some_name"
        )  # a comment never makes a line too long, whatever it says
        beta = {
            "some_name": beta,
            alpha: gamma
        }, delta"#
    );
}

#[test]
fn an_expression_without_brackets_stays_on_its_line() {
    let mut docs = DocArena::new();
    let mut sum = docs.id("x");
    for _ in 0..20 {
        let one = docs.int(1);
        sum = docs.binary(BinaryOp::Add, sum, one);
    }
    let options = PythonOptions { max_width_columns: Some(10), ..PythonOptions::default() };
    assert_eq!(python::print(&docs, sum, &options).unwrap().lines().count(), 1);
    let quoted = docs.quoted(sum);
    let list = docs.list(&[quoted]);
    let text = python::print(&docs, list, &options).unwrap();
    assert_eq!(text.lines().count(), 3, "{text}");
}

#[test]
fn widths_count_displayed_columns() {
    let mut docs = DocArena::new();
    let [f, wide, a] = ["f", "世界", "a"].map(|name| docs.id(name));
    let call = docs.call_args(f, &[wide, a]);
    let fits = |columns| {
        let options = PythonOptions { max_width_columns: Some(columns), ..PythonOptions::default() };
        !python::print(&docs, call, &options).unwrap().contains('\n')
    };
    assert!(fits(10) && !fits(9));
}

//! Printing in one pass: variables used outside of the scope that defines them, and names that clash with words of the text.

use tvmscript_docsifier::doc::{ExprDoc, StmtDoc};
use tvmscript_docsifier::{
    Docsifier, DocsifyDialect, DocsifyError, DocsifyResult, Frame, PrinterConfig, print,
};
use tvmscript_ir_core::{Array, Dialect, Node, Object, PathId, Ref, RegistryBuilder, Str};

/// A variable.
#[derive(Debug, Clone, Node)]
#[node(key = "mini.Var", eq = free_var)]
struct Var {
    name: Str,
}

/// A loop that defines its variable.
#[derive(Debug, Clone, Node)]
#[node(key = "mini.Loop")]
struct Loop {
    #[node(def)]
    var: Ref<Var>,
    /// Whether the printer looks for uses outside.
    is_careful: bool,
    body: Array<Object>,
}

/// A use of a variable.
#[derive(Debug, Clone, Node)]
#[node(key = "mini.Use")]
struct Use {
    var: Ref<Var>,
}

/// Statements.
#[derive(Debug, Clone, Node)]
#[node(key = "mini.Block")]
struct Block {
    body: Array<Object>,
}

fn print_var(node: &Ref<Var>, _: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    if let Some(name) = d.defined_doc(node.object())? {
        return Ok(name);
    }
    d.declare_free(node.object(), node.name.as_str(), |d| {
        let name = d.define(node.object(), node.name.as_str())?;
        let value = d.prefixed("mini", "var");
        let stmt = d.docs.bind(name, value);
        d.push_stmt(stmt);
        Ok(())
    })?;
    d.define(node.object(), node.name.as_str())
}

fn print_body(body: &Array<Object>, d: &mut Docsifier<'_>) -> DocsifyResult<()> {
    for stmt in body.iter() {
        let doc = d.doc(stmt, PathId::ROOT)?;
        d.push_doc(doc);
    }
    Ok(())
}

fn print_loop(node: &Ref<Loop>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<StmtDoc> {
    if node.is_careful {
        d.declare_outside(node.object(), node.var.object(), path)?;
    }
    let frame = Frame::new(Some(node.object().clone()), ());
    let (name, stmts) = d.with_frame(frame, |d| {
        let name = d.define(node.var.object(), node.var.name.as_str())?;
        print_body(&node.body, d)?;
        Ok(name)
    })?;
    let callee = d.word("range");
    Ok(d.docs.for_(name, callee, &stmts))
}

fn print_use(node: &Ref<Use>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<StmtDoc> {
    let name = d.expr(&node.var, path)?;
    Ok(d.docs.expr_stmt(name))
}

fn print_block(node: &Ref<Block>, _: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<StmtDoc> {
    let frame = Frame::new(Some(node.object().clone()), ());
    let ((), stmts) = d.with_frame(frame, |d| print_body(&node.body, d))?;
    let callee = d.prefixed("mini", "block");
    Ok(d.docs.scope(None, callee, &stmts))
}

fn dialect(words: &'static [&'static str]) -> Dialect {
    Dialect::new("mini")
        .alias("M")
        .words(words)
        .root_frame(|_| Frame::fragment(()))
        .node::<Var>()
        .docsify(print_var)
        .variable()
        .node::<Loop>()
        .docsify(print_loop)
        .node::<Use>()
        .docsify(print_use)
        .node::<Block>()
        .docsify(print_block)
        .finish()
}

fn var(name: &str) -> Ref<Var> {
    Ref::new(Var { name: Str::new(name) })
}

fn used(var: &Ref<Var>) -> Object {
    Ref::new(Use { var: var.clone() }).into()
}

fn block(body: Vec<Object>) -> Object {
    Ref::new(Block { body: Array::new(body) }).into()
}

fn loop_over(var: &Ref<Var>, body: Vec<Object>) -> Object {
    Ref::new(Loop { var: var.clone(), is_careful: true, body: Array::new(body) }).into()
}

fn text(root: &Object, words: &'static [&'static str]) -> DocsifyResult<String> {
    let registry = RegistryBuilder::new().with(dialect(words)).build().expect("one dialect alone");
    print(root, &registry, &PrinterConfig::default())
}

#[test]
fn a_loop_defines_a_variable_that_stands_nowhere_else() {
    let i = var("i");
    let root = block(vec![loop_over(&i, vec![used(&i)])]);
    let text = text(&root, &["range"]).expect("it prints");
    assert_eq!(text, "with M.block:\n    for i in range:\n        i");
}

#[test]
fn two_loops_over_one_variable_share_its_declaration() {
    let i = var("i");
    let loops = vec![loop_over(&i, vec![used(&i)]), loop_over(&i, vec![])];
    let root = block(vec![block(loops), block(vec![])]);
    let text = text(&root, &["range"]).expect("it prints");
    let expected = "    with M.block:\n        i = M.var\n        for i in range:\n            i\n        for i in range:";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn a_loop_that_is_printed_twice_does_not_define_its_variable() {
    let i = var("i");
    let shared = loop_over(&i, vec![used(&i)]);
    let text = text(&block(vec![shared.clone(), shared]), &["range"]).expect("it prints");
    assert!(text.starts_with("with M.block:\n    i = M.var\n    for i in range:"), "{text}");
}

#[test]
fn a_free_variable_is_declared_in_the_innermost_scope_around_all_its_uses() {
    let (x, y) = (var("x"), var("y"));
    let shared = used(&x);
    let root = block(vec![block(vec![shared.clone()]), block(vec![shared, used(&y), block(vec![used(&y)])])]);
    let text = text(&root, &[]).expect("it prints");
    let expected = "with M.block:\n    x = M.var\n    with M.block:\n        x\n    with M.block:\n        x\n        \
                    y = M.var\n        y\n        with M.block:\n            y";
    assert_eq!(text, expected);
}

#[test]
fn a_printer_that_defines_a_variable_twice_gets_an_error() {
    let i = var("i");
    let careless = |i: &Ref<Var>| Ref::new(Loop { var: i.clone(), is_careful: false, body: Array::new([]) });
    let root = block(vec![careless(&i).into(), careless(&i).into()]);
    let error = text(&root, &["range"]).expect_err("the text would have two variables");
    assert!(matches!(&*error, DocsifyError::DefinedTwice { name } if name == "i"), "{error}");
}

#[test]
fn a_variable_gives_way_to_a_word_that_is_needed_around_it() {
    let (range, other) = (var("range"), var("range"));
    let root = block(vec![used(&range), used(&other), loop_over(&var("i"), vec![])]);
    let found = text(&root, &["range"]).expect("it prints");
    assert!(found.contains("range_1\n") && found.contains("range_2\n"), "{found}");
    // Nothing else needs the word here.
    let found = text(&block(vec![used(&range)]), &["range"]).expect("it prints");
    assert_eq!(found, "with M.block:\n    range = M.var\n    range");
}

#[test]
fn a_word_that_no_dialect_registered_is_an_error_where_a_variable_has_it() {
    let range = var("range");
    let root = block(vec![used(&range), loop_over(&var("i"), vec![])]);
    let error = text(&root, &[]).expect_err("the loop would be over the variable");
    assert!(matches!(&*error, DocsifyError::TakenWord { word: "range" }), "{error}");
}

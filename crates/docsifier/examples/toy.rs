//! Declares a dialect of two nodes with their printers, and prints a small graph of them.
//!
//! Run it with `cargo run -p tvmscript-docsifier --example toy`.

use tvmscript_docsifier::doc::{BinaryOp, ExprDoc};
use tvmscript_docsifier::{Docsifier, DocsifyDialect, DocsifyResult, Frame, PrinterConfig, print};
use tvmscript_ir_core::{Dialect, Node, Object, PathId, Ref, RegistryBuilder, Str};

/// A variable, which text declares before its first use.
#[derive(Debug, Clone, Node)]
#[node(key = "toy.Var", eq = free_var)]
struct Var {
    name: Str,
}

/// A sum.
#[derive(Debug, Clone, Node)]
#[node(key = "toy.Add")]
struct Add {
    a: Object,
    b: Object,
}

/// `x = toy.var()` before the expression, `x` in it.
fn print_var(node: &Ref<Var>, _: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    if let Some(name) = d.defined_doc(node.object())? {
        return Ok(name);
    }
    d.declare_free(node.object(), &node.name, |d| {
        let name = d.define(node.object(), &node.name)?;
        let var = d.prefixed("toy", "var");
        let value = d.docs.call_args(var, &[]);
        let declaration = d.docs.bind(name, value);
        d.push_stmt(declaration);
        Ok(())
    })?;
    d.define(node.object(), &node.name)
}

/// `a + b`
fn print_add(node: &Ref<Add>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let Add { a, b } = &**node;
    let at = d.field(path, "a");
    let a = d.expr_object(a, at)?;
    let at = d.field(path, "b");
    let b = d.expr_object(b, at)?;
    Ok(d.docs.binary(BinaryOp::Add, a, b))
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let toy = Dialect::new("toy")
        .alias("toy")
        .root_frame(|_| Frame::fragment(()))
        .node::<Var>()
        .docsify(print_var)
        .variable()
        .node::<Add>()
        .docsify(print_add)
        .finish();
    let registry = RegistryBuilder::new().with(toy).build()?;

    // Two variables of one name: the second one is renamed.
    let [x, other] = ["x", "x"].map(|name| Object::from(Ref::new(Var { name: Str::new(name) })));
    let sum = Object::from(Ref::new(Add { a: x.clone(), b: other }));
    let node = Object::from(Ref::new(Add { a: x, b: sum }));
    let config = PrinterConfig { verbose_expr: true, ..PrinterConfig::default() };
    println!("{}", print(&node, &registry, &config)?);
    Ok(())
}

//! A dialect of integer expressions: declares its nodes, folds constants, compares, and saves JSON.
//!
//! `cargo run -p tvmscript-ir-core --example expressions`

use tvmscript_ir_core::json::native;
use tvmscript_ir_core::{
    Class, Dialect, Node, Object, Ref, RegistryBuilder, mismatches, post_order_mutate, structural_hash,
};

/// The class of expressions.
#[derive(Class)]
#[class(key = "calc.Expr")]
struct Expr(());

/// A literal.
#[derive(Debug, Clone, Node)]
#[node(key = "calc.Int", parent = Expr)]
struct Int {
    value: i64,
}

/// A sum.
#[derive(Debug, Clone, Node)]
#[node(key = "calc.Add", parent = Expr)]
struct Add {
    a: Ref<Expr>,
    b: Ref<Expr>,
}

fn int(value: i64) -> Ref<Expr> {
    Ref::new(Int { value }).upcast()
}

fn add(a: Ref<Expr>, b: Ref<Expr>) -> Ref<Expr> {
    Ref::new(Add { a, b }).upcast()
}

/// Folds a sum of literals.
fn fold(node: &Object) -> Option<Object> {
    let Add { a, b } = node.as_node()?;
    let sum = a.as_node::<Int>()?.value.checked_add(b.as_node::<Int>()?.value)?;
    Some(int(sum).into())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let calc = Dialect::new("calc").node::<Expr>().node::<Int>().node::<Add>();
    let registry = RegistryBuilder::new().with(calc).build()?;

    let expr = add(int(1), add(int(2), int(3)));
    let text = native::save(&expr.clone().into());
    println!("1 + (2 + 3) as JSON:\n{text}");

    let loaded = native::load(&text, &registry)?;
    let loaded = loaded.as_object().ok_or("the root is a node")?;
    println!("hash after loading is the same: {}", structural_hash(loaded) == structural_hash(expr.object()));

    let other = add(int(1), add(int(2), int(4)));
    mismatches(expr.object(), other.object())
        .iter()
        .for_each(|mismatch| println!("1 + (2 + 4) has {mismatch}"));

    let folded = post_order_mutate(expr, fold)?;
    println!("folded: {:?}", folded.as_node::<Int>());
    Ok(())
}

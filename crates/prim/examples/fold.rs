//! Builds scalar expressions with Rust's operators, and with the functions that match types and fold.
//!
//! Run it with `cargo run -p tvmscript-prim --example fold`.

use tvmscript_prim::error::PrimResult;
use tvmscript_prim::{Compare, DataType, Expr, FloatImm, IntImm, PrimExprExt, Var, ops};

/// A short description of an expression.
fn show(expr: &Expr) -> String {
    let literal = expr.as_node::<IntImm>().map(|literal| literal.value.to_string());
    let float = expr.as_node::<FloatImm>().map(|literal| literal.value.to_string());
    let value = literal.or(float).unwrap_or_else(|| expr.object().info().key().to_owned());
    format!("{value}: {}", expr.dtype())
}

fn main() -> PrimResult<()> {
    let n = Var::new("n", DataType::INT32);

    // Rust's operators mean what Python's do in scripts.
    let padding = (16 - &n % 16) % 16;
    println!("{}", show(&padding));
    println!("{}", show(&n.less(128)));

    // Literals fold; operands of different types are converted.
    println!("{}", show(&ops::floordiv(IntImm::int32(-7), IntImm::int32(2))?));
    println!("{}", show(&ops::add(n.clone().upcast(), IntImm::int64(1))?));
    println!("{}", show(&ops::cast(DataType::FLOAT32, IntImm::int32(3))?));

    // `0 + n` is `n` itself.
    assert!(ops::add(IntImm::int32(0), n.clone().upcast())?.ptr_eq(&n.clone().upcast()));

    // Errors are typed.
    if let Err(error) = ops::truncdiv(n.upcast(), IntImm::int32(0)) {
        println!("{error}");
    }
    Ok(())
}

//! Simplifies the flattened index of a tiled loop nest, and bounds a guard.

use tvmscript_arith::Analyzer;
use tvmscript_prim::error::PrimResult;
use tvmscript_prim::{Compare, DataType, IntImm, Var, ops};

fn main() -> PrimResult<()> {
    let outer = Var::new("outer", DataType::INT32);
    let inner = Var::new("inner", DataType::INT32);
    let mut analyzer = Analyzer::new();
    analyzer.bind_range(&outer, &IntImm::int32(0), &IntImm::int32(16));
    analyzer.bind_range(&inner, &IntImm::int32(0), &IntImm::int32(8));

    // (outer * 8 + inner) // 8 is the outer variable again.
    let index = &outer * 8 + &inner;
    let quotient = ops::floordiv(index.clone(), IntImm::int32(8))?;
    assert!(analyzer.simplify(&quotient).ptr_eq(&outer));
    println!("(outer * 8 + inner) // 8 simplifies to outer");

    let bound = analyzer.const_int_bound(&index);
    println!("outer * 8 + inner is in {}..={}", bound.min, bound.max);
    println!("it is below 128: {}", analyzer.can_prove(&index.less(128)));
    println!("it is below 100: {}", analyzer.can_prove(&index.less(100)));
    Ok(())
}

//! Statements of later releases hold until the end of their sequence, and nest nothing: `cargo run -p tvmscript-tirx
//! --example bindings`.

use tvmscript_ir_core::dump::{DumpOptions, Graph};
use tvmscript_ir_core::{Array, DataType, ObjectLike, Ref, Span};
use tvmscript_prim::{IntImm, Var, ops};
use tvmscript_tir::{Evaluate, SeqStmt};
use tvmscript_tirx::Bind;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let v = Var::new("v", DataType::INT32);
    let bind = Bind::try_new(v.clone(), IntImm::int32(1))?;
    let uses = Evaluate::new(ops::add(v.clone().upcast(), v.upcast())?);
    let program = Ref::new(SeqStmt { span: Span::UNKNOWN, seq: Array::new([bind, uses]) });
    println!("{}", Graph::of(program.as_object(), &DumpOptions::default()).to_text());
    Ok(())
}

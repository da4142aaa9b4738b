//! A binding with a scope becomes a statement of its own: `cargo run -p tvmscript-upgrade --example let_statement`.

use tvmscript_ir_core::dump::{DumpOptions, Graph};
use tvmscript_ir_core::{DataType, ObjectLike};
use tvmscript_prim::{IntImm, Var};
use tvmscript_tir::{Evaluate, LetStmt};
use tvmscript_upgrade::{find, upgrade};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let v = Var::new("v", DataType::INT32);
    let old = LetStmt::try_new(v.clone(), IntImm::int32(1), Evaluate::new(v.upcast()))?;
    let step = find("tvm-0.23", "tvm-0.27").ok_or("there are no rules between these releases")?;
    let new = upgrade(old.as_object(), step)?;
    for node in [old.as_object(), &new.node] {
        println!("{}", Graph::of(node, &DumpOptions::default()).to_text());
    }
    println!("{} findings", new.findings.len());
    Ok(())
}

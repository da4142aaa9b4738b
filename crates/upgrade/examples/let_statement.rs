//! A binding with a scope becomes a statement of its own: `cargo run -p tvmscript-upgrade --example let_statement`.

use tvmscript_ir_core::dump::{DumpOptions, Graph};
use tvmscript_ir_core::release::{PLAIN, Release, Renames, Syntax};
use tvmscript_ir_core::{DataType, ObjectLike};
use tvmscript_prim::{IntImm, Var};
use tvmscript_tir::{Evaluate, LetStmt};
use tvmscript_upgrade::{Level, Step, rewrite_levels, tvm_0_27, upgrade};

/// A release in which bindings open no scope. `tvmscript-releases` describes those of TVM.
static FLAT: Release = Release { name: "flat", version: "1", syntax: Syntax::PLAIN, renames: Renames::NONE };

/// The step to it.
static STEP: Step = Step {
    from: &PLAIN,
    to: &FLAT,
    rules: tvm_0_27::RULES,
    levels: (Level::Nested, Level::Flat),
    printed_comments: &[],
    sign: None,
    edits_scripts: false,
    rewrite: rewrite_levels,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let v = Var::new("v", DataType::INT32);
    let old = LetStmt::try_new(v.clone(), IntImm::int32(1), Evaluate::new(v.upcast()))?;
    let new = upgrade(old.as_object(), &STEP)?;
    for node in [old.as_object(), &new.node] {
        println!("{}", Graph::of(node, &DumpOptions::default()).to_text());
    }
    println!("{} findings", new.findings.len());
    Ok(())
}

//! Unrolls a loop and simplifies its body: `cargo run -p tvmscript-passes --example unroll`.

use tvmscript_docsifier::{PrinterConfig, print};
use tvmscript_ir_core::RegistryBuilder;
use tvmscript_pass::instrument::Timing;
use tvmscript_pass::{PassContext, Sequential};
use tvmscript_passes::on_module;
use tvmscript_passes::tir::{Simplify, UnrollLoop};
use tvmscript_script_parser::{ParseOptions, parse_script};

const KERNEL: &str = r#"
from tvm.script import tir as T

@T.prim_func
def f(A: T.Buffer((4,), "int32")):
    for i in T.unroll(4):
        A[i] = i * 2 + 0
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dialects = [
        tvmscript_prim::dialect(),
        tvmscript_ir::dialect(),
        tvmscript_tir::dialect(),
        tvmscript_relax::dialect(),
        tvmscript_passes::dialect(),
    ];
    let registry = dialects.into_iter().fold(RegistryBuilder::new(), RegistryBuilder::with).build()?;
    let parsed = parse_script("kernel.py", KERNEL, &registry, &ParseOptions::default());
    let script = parsed.scripts.into_iter().next().ok_or("the text has no script")?;

    let timing = Timing::default();
    let context = PassContext::of(&registry).with_instrument(timing.clone());
    let passes = Sequential::new("example").then(UnrollLoop).then(Simplify);
    let result = on_module(script.node, |module| context.run(&passes, module))?;
    println!("{}\n\n{timing}", print(&result, &registry, &PrinterConfig::default())?);
    Ok(())
}

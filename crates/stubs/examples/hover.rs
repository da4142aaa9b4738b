//! Lists the functions of a dialect's scripts: `cargo run -p tvmscript-stubs --example hover`.

use tvmscript_ir_core::RegistryBuilder;
use tvmscript_stubs::{Layout, reference, stubs};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let registry = RegistryBuilder::new().with(tvmscript_circuit_dialect::dialect()).build()?;
    for entry in reference(&registry) {
        println!("{}\n    {}", entry.signature, entry.doc);
    }
    for file in stubs(&registry, Layout::Sources) {
        println!("{}: {} lines", file.path, file.text.lines().count());
    }
    Ok(())
}

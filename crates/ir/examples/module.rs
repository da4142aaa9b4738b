//! Builds a module, prints it, and writes it in TVM's JSON format.
//!
//! Run it with `cargo run -p tvmscript-ir --example module`.

use tvmscript_docsifier::{PrinterConfig, print};
use tvmscript_ir::{DictAttrs, DummyGlobalInfo, GlobalInfo, IRModule};
use tvmscript_ir_core::{Array, Map, Ref, RegistryBuilder, Str, Value};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let registry =
        RegistryBuilder::new().with(tvmscript_prim::dialect()).with(tvmscript_ir::dialect()).build()?;

    // Functions belong to other dialects; attributes and global infos are this one's.
    let attrs = DictAttrs::new([(Str::new("system_lib_prefix"), Value::str("lib_"))]);
    let infos: Array<Ref<GlobalInfo>> = Array::new([Ref::new(DummyGlobalInfo {}).upcast()]);
    let module = IRModule::new([], attrs, Map::new([(Str::new("dummy"), infos)]));

    println!("{}", print(module.object(), &registry, &PrinterConfig::default())?);
    let json = tvmscript_tvm_json::save(&Value::Node(module.object().clone()))?;
    println!("{} bytes of JSON", json.len());
    Ok(())
}

//! Stubs of a dialect beside those of the dialects that it extends.

use tvmscript_ir_core::RegistryBuilder;
use tvmscript_stubs::{Layout, reference, stubs};

#[test]
fn functions_of_a_third_party_dialect_have_stubs() -> Result<(), Box<dyn std::error::Error>> {
    let registry = RegistryBuilder::new()
        .with(tvmscript_prim::dialect())
        .with(tvmscript_ir::dialect())
        .with(tvmscript_tir::dialect())
        .with(tvmscript_toy_dialect::dialect())
        .build()?;
    let files = stubs(&registry, Layout::Sources);
    // The module that the header of a script names: `# from tvm.script import toy as Toy`.
    let toy = files.iter().find(|file| file.path == "tvm/script/toy/__init__.pyi").ok_or("no stub")?;
    let clamp = "def clamp(value: _typing.Any, low: _builtins.int, high: _builtins.int) -> _toy_nodes.Clamp:\n    \
                 \"\"\"Clamps a value to bounds.\"\"\"\n";
    assert!(toy.text.contains(clamp), "{}", toy.text);
    let script = files.iter().find(|file| file.path == "tvm/script/__init__.pyi").ok_or("no package")?;
    assert!(script.text.contains("from tvm.script import toy as toy\n"), "{}", script.text);
    // Its classes extend those of the other dialects.
    let nodes =
        files.iter().find(|file| file.path == "tvm/script/_nodes/toy/__init__.pyi").ok_or("no nodes")?;
    assert!(nodes.text.contains("\nclass Clamp(_ir_nodes.PrimExpr):\n"), "{}", nodes.text);
    assert!(nodes.text.contains("\nclass Region(_tir_nodes.Stmt):\n"), "{}", nodes.text);
    let entries = reference(&registry);
    let trace = entries.iter().find(|entry| entry.name == "Toy.trace").ok_or("no entry")?;
    assert_eq!(trace.signature, "Toy.trace(label: str, value: Any) -> None");
    Ok(())
}

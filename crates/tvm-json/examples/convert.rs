//! Converts between the project's own JSON and TVM's.
//!
//! `cargo run -p tvmscript-tvm-json --example convert`

use tvmscript_ir_core::json::native;
use tvmscript_ir_core::{Dialect, Node, Ref, RegistryBuilder};
use tvmscript_tvm_json::{detect, load_any, save};

/// A linked list.
#[derive(Debug, Clone, Node)]
#[node(key = "list.Cell")]
struct Cell {
    number: i64,
    next: Option<Ref<Cell>>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let registry = RegistryBuilder::new().with(Dialect::new("list").node::<Cell>()).build()?;
    let list = Ref::new(Cell { number: 1, next: Some(Ref::new(Cell { number: 2, next: None })) });

    let ours = native::save(&list.into());
    let tvms = save(&load_any(&ours, &registry)?)?;
    for text in [&ours, &tvms] {
        println!("{:?}:\n{text}\n", detect(text));
    }
    println!("loads back: {}", native::save(&load_any(&tvms, &registry)?) == ours);
    Ok(())
}

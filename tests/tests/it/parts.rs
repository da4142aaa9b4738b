//! Every part at an access path, printed on its own, including arrays and maps: its text reads back.

use std::collections::HashMap;

use tvmscript::ir_core::type_table::Shape;
use tvmscript::ir_core::{AccessPath, DataType, FieldRef, PathStep, containers};
use tvmscript::tir::print::TirOptions;
use tvmscript::{Object, PrinterConfig, ir};
use tvmscript_tests::fragments;

/// Maximum number of parts per field and type in a program.
const PER_KIND: usize = 1;

/// Maximum number of parts per field and type in all programs: most kinds are in every program.
const PER_KIND_IN_ALL: usize = 12;

/// A part of a program.
struct Part {
    path: AccessPath,
    node: Object,
    /// Its field, such as `tir.Block.iter_vars`; `tir.Block.iter_vars[]` for an element.
    field: String,
    dialect: &'static str,
}

/// Parts of a program, at most [`PER_KIND`] of each kind.
fn parts(root: &Object) -> Vec<Part> {
    let mut found: Vec<Part> = Vec::new();
    let mut counts = HashMap::<(String, &'static str), usize>::new();
    let mut seen = std::collections::HashSet::new();
    let mut work = vec![(root.clone(), AccessPath::root(), String::new(), "relax")];
    while let Some((node, path, field, dialect)) = work.pop() {
        if matches!(node.info().shape(), Shape::Str | Shape::Tensor) {
            continue;
        }
        let key = node.info().key();
        let dialect = match key {
            "tir.PrimFunc" => "tir",
            "relax.expr.Function" => "relax",
            _ => dialect,
        };
        let count = counts.entry((field.clone(), key)).or_default();
        if !field.is_empty() && *count < PER_KIND {
            *count += 1;
            found.push(Part { path: path.clone(), node: node.clone(), field: field.clone(), dialect });
        }
        if !seen.insert(node.address()) {
            continue;
        }
        let mut push = |value: &Object, step: PathStep, field: String| {
            work.push((value.clone(), path.clone().then(step), field, dialect));
        };
        if let Some(array) = node.as_node::<containers::ArrayNode>() {
            for (i, item) in array.items().iter().enumerate() {
                if let Some(item) = item.as_object() {
                    push(item, PathStep::Index(i as u32), format!("{field}[]"));
                }
            }
        } else if let Some(map) = node.as_node::<containers::MapNode>() {
            for (key, value) in map.entries() {
                if let Some(value) = value.as_object() {
                    push(value, PathStep::Key(key.value().clone()), format!("{field}{{}}"));
                }
            }
        } else {
            for (i, info) in node.info().fields().iter().enumerate() {
                if let FieldRef::Node(child) = node.field(i) {
                    push(child, PathStep::Field(info.name), format!("{key}.{}", info.name));
                }
            }
        }
    }
    found
}

/// Returns `true` if the part prints as a fragment; functions and modules are scripts.
fn is_fragment(part: &Part) -> bool {
    !part.node.is::<ir::BaseFunc>() && !part.node.is::<ir::IRModule>()
}

/// Arrays and maps whose elements are statements or definitions. They print one after the other, and read back as the node
/// of them (`lists`).
const STATEMENTS: [&str; 6] = [
    "tir.SeqStmt.seq",
    "tir.Block.match_buffers",
    "relax.expr.SeqExpr.blocks",
    "relax.expr.BindingBlock.bindings",
    "relax.expr.DataflowBlock.bindings",
    "ir.IRModule.functions",
];

/// Options that need a header.
fn other_options() -> PrinterConfig {
    let types = TirOptions {
        int_dtype: DataType::INT64,
        float_dtype: DataType::float(16),
        buffer_dtype: DataType::INT32,
    };
    let prefixes = [("tir", "X"), ("relax", "T"), ("ir", "R")];
    PrinterConfig {
        prefixes: prefixes.into_iter().map(|(d, p)| (d.to_owned(), p.to_owned())).collect(),
        ..PrinterConfig::default()
    }
    .with_part(types)
}

/// Checks that the text of a part reads back as a fragment of one of the dialects.
fn check(part: &Part, config: fn() -> PrinterConfig) -> Result<(), String> {
    let other = if part.dialect == "tir" { "relax" } else { "tir" };
    let done = fragments::check_with(part.dialect, &part.node, config());
    done.or_else(|why| fragments::check_with(other, &part.node, config()).map_err(|_| why))
}

fn check_folders(folders: &[&str]) {
    let (mut checked, mut failed) = (0, Vec::new());
    let mut counts = HashMap::<(String, &'static str), usize>::new();
    for fixture in folders.iter().flat_map(|folder| tvmscript_tests::fixtures(folder)) {
        let Ok(objects) = tvmscript_tests::parse(&fixture.name, &fixture.text) else { continue };
        for part in objects.iter().flat_map(parts).filter(is_fragment) {
            if STATEMENTS.contains(&part.field.as_str()) {
                continue;
            }
            let count = counts.entry((part.field.clone(), part.node.info().key())).or_default();
            *count += 1;
            if *count > PER_KIND_IN_ALL {
                continue;
            }
            checked += 1;
            let options = if checked % 3 == 0 { other_options } else { PrinterConfig::default };
            if let Err(why) = check(&part, options) {
                failed.push(format!("{} at {}: {}: {why}", fixture.name, part.path, part.field));
            }
        }
    }
    println!("{checked} parts");
    assert!(checked > 1000, "{checked}");
    assert!(failed.is_empty(), "{} of {checked}\n{}", failed.len(), failed.join("\n\n"));
}

#[test]
fn parts_of_functions_read_back() {
    check_folders(&["ok", "kernels", "../corpus/tir", "../corpus/tir_lowered"]);
}

#[test]
fn parts_of_modules_read_back() {
    check_folders(&["programs", "../corpus/relax", "../corpus/mixed"]);
}

//! The pages that list the supported operators, made from the tables of converters. `TVMSCRIPT_BLESS=1` writes them.

use std::fmt::Write as _;

use tvmscript::frontend::operators::OperatorDoc;
use tvmscript::frontend::{Format, supported_operators};

/// A cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn page(format: Format, introduction: &str) -> String {
    let operators = supported_operators(format);
    let mut page = format!("# Operators of {format}\n\n{introduction}\n\n");
    let has_versions = operators.iter().any(|operator| !operator.versions.is_empty());
    let columns: &[&str] = match has_versions {
        true => &["operator", "versions", "operators of Relax", "not supported"],
        false => &["operator", "operators of Relax", "not supported"],
    };
    let _ = writeln!(page, "| {} |\n|{}", columns.join(" | "), "---|".repeat(columns.len()));
    for OperatorDoc { name, domain, versions, relax, unsupported } in operators {
        let domain = if domain.is_empty() { String::new() } else { format!(" of `{domain}`") };
        let versions: Vec<String> = versions.iter().map(i64::to_string).collect();
        let versions = if has_versions { format!(" {} |", versions.join(", ")) } else { String::new() };
        let _ = writeln!(page, "| `{name}`{domain} |{versions} {} | {} |", cell(relax), cell(unsupported));
    }
    page
}

#[test]
fn the_pages_list_all_operators() {
    let pages = [
        (
            Format::Onnx,
            "onnx",
            "A version is that of the operator set in which the operator took this form; a model of another set uses the newest that is not newer, or else the oldest, as TVM's importer does. \
             `tvmscript import --list-operators onnx` prints the same list.",
        ),
        (
            Format::Torch,
            "pytorch",
            "Programs of `torch.export`, saved by torch 2.8 or newer (`torch.export.save(torch.export.export(module, inputs), \"model.pt2\")`), as exported and after `run_decompositions()`. \
             `tvmscript import --list-operators torch` prints the same list.",
        ),
        (
            Format::Tflite,
            "tflite",
            "A fused activation follows its operator; a quantised operator is computed on dequantised operands and its result is quantised. \
             `tvmscript import --list-operators tflite` prints the same list.",
        ),
        (
            Format::TensorFlow,
            "tensorflow",
            "Graphs (`.pb`, `.pbtxt`) and SavedModels with their variables. TVM has no importer of its own for them. \
             `tvmscript import --list-operators tf` prints the same list.",
        ),
    ];
    for (format, name, introduction) in pages {
        let path = format!("{}/../docs/import-{name}.md", env!("CARGO_MANIFEST_DIR"));
        let page = page(format, introduction);
        if std::env::var_os("TVMSCRIPT_BLESS").is_some() {
            std::fs::write(&path, &page).unwrap();
        }
        let found = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(found == page, "{path} is out of date: run this test with TVMSCRIPT_BLESS=1");
    }
}

//! Declares a dialect of one node, compares two trees of it, and applies the edit script.
//!
//! Run it with `cargo run -p tvmscript-diff --example trees`.

use tvmscript_diff::{apply, diff};
use tvmscript_ir_core::{Array, Node, Object, Ref, Str, structural_equal};

/// A folder.
#[derive(Debug, Clone, Node)]
#[node(key = "example.Folder")]
struct Folder {
    label: Str,
    size: i64,
    content: Array<Ref<Folder>>,
}

fn folder(label: &str, size: i64, content: impl IntoIterator<Item = Ref<Folder>>) -> Ref<Folder> {
    Ref::new(Folder { label: label.into(), size, content: Array::new(content) })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let photos = |size| folder("photos", 10, [folder("summer", size, []), folder("winter", 5, [])]);
    let a: Object = folder("root", 0, [photos(7), folder("music", 3, []), folder("notes", 1, [])]).into();
    let b: Object = folder("root", 0, [folder("notes", 1, []), photos(8), folder("films", 9, [])]).into();

    let script = diff(&a, &b);
    for edit in &script.edits {
        println!("{edit}");
    }
    assert!(structural_equal(&apply(&a, &script)?, &b));
    Ok(())
}

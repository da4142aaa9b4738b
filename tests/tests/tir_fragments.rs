//! Parts of functions of scalars and buffers, printed by themselves: the text of each reads back.

use tvmscript::Object;
use tvmscript_tests::fragments::{check, sample};

/// Nodes of this dialect and of the expressions that all share.
fn is_wanted(object: &Object) -> bool {
    let key = object.info().key();
    let is_part = (key.starts_with("tir.") || key == "Range") && !key.starts_with("tir.PrimFunc");
    is_part && !matches!(key, "tir.StmtSRef")
}

#[test]
fn parts_of_functions_read_back() {
    let mut checked = 0;
    let mut failed = Vec::new();
    for folder in ["ok", "kernels", "programs", "../corpus/tir", "../corpus/tir_lowered", "../corpus/mixed"] {
        for fixture in tvmscript_tests::fixtures(folder) {
            let Ok(objects) = tvmscript_tests::parse(&fixture.name, &fixture.text) else { continue };
            for fragment in objects.iter().flat_map(|object| sample(object, 6, is_wanted)) {
                checked += 1;
                if let Err(why) = check("tir", &fragment) {
                    failed.push(format!("{}: {}: {why}", fixture.name, fragment.info().key()));
                }
            }
        }
    }
    println!("{checked} fragments");
    assert!(checked > 3000, "{checked}");
    assert!(failed.is_empty(), "{} of {checked}\n{}", failed.len(), failed.join("\n\n"));
}

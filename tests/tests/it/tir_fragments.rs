//! Parts of TIR functions, printed on their own: the text of each reads back.

use tvmscript::Object;
use tvmscript_tests::fragments::check_parts;

/// Nodes of this dialect and shared expressions.
fn is_wanted(object: &Object) -> bool {
    let key = object.info().key();
    let is_part = (key.starts_with("tir.") || key == "Range") && !key.starts_with("tir.PrimFunc");
    is_part && !matches!(key, "tir.StmtSRef")
}

#[test]
fn parts_of_functions_read_back() {
    let folders = ["ok", "kernels", "programs", "../corpus/tir", "../corpus/tir_lowered", "../corpus/mixed"];
    check_parts("tir", &folders, is_wanted);
}

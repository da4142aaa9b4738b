//! Parts of Relax functions, printed on their own: the text reads back, with its declared variables in place of the
//! free ones.

use tvmscript::relax::{BindingBlock, SeqExpr, VarBinding};
use tvmscript::{Object, PrinterConfig, print, registry};
use tvmscript_tests::fragments::{check_parts, read};

/// Nodes of this dialect with text of their own.
fn is_wanted(object: &Object) -> bool {
    let key = object.info().key();
    let is_part = key.starts_with("relax.expr.") || key.starts_with("relax.") && key.ends_with("StructInfo");
    is_part && !matches!(key, "relax.expr.Function")
}

#[test]
fn parts_of_functions_read_back() {
    let folders = ["ok", "programs", "../corpus/relax", "../corpus/mixed"];
    check_parts("relax", &folders, is_wanted);
}

#[test]
fn free_variables_are_declared() {
    let text = "n = T.int64()\nx: R.Tensor((n, 3), dtype=\"float32\")\ny: R.Tensor((n, 3), dtype=\"float32\") = R.add(x, x)\ny";
    let node = read("relax", text).expect("it reads");
    assert!(node.is::<SeqExpr>());
    let printed = print(&node, registry(), &PrinterConfig::default()).expect("it prints");
    assert!(printed.ends_with(text), "{printed}");
}

#[test]
fn one_binding_is_itself_and_a_pass_makes_it_a_block() {
    let text = "x: R.Object\ny: R.Tuple(R.Object) = (x,)";
    assert!(read("relax", text).expect("it reads").is::<VarBinding>());
    assert!(read("relax", &format!("{text}\npass")).expect("it reads").is::<BindingBlock>());
    assert!(read("relax", "pass").expect("it reads").is::<BindingBlock>());
    assert!(read("relax", "x: R.Object\npass\nx").expect("it reads").is::<SeqExpr>());
}

//! Suggestions for misspelt names.
#![allow(missing_docs)]

use tvmscript_script_eval::errors::suggest::{Nearest, nearest};

#[test]
fn the_nearest_name_is_found() {
    let names = ["serial", "parallel", "grid", "float32", "float16"];
    let near = |wanted, names: [&'static str; 5]| nearest(wanted, names).map(|near| near.name);
    assert_eq!(near("serail", names), Some("serial"));
    assert_eq!(near("Serial", names), Some("serial"));
    assert_eq!(near("float3", names), Some("float32"));
    assert_eq!(near("block", names), None);
    assert_eq!(near("", names), None);
    assert_eq!(nearest("w", ["A", "B"]), None);
    assert_eq!(nearest("a", ["B", "A"]), Some(Nearest { name: "A", is_certain: true }));
}

#[test]
fn only_a_single_near_name_is_certain() {
    let is_certain =
        |wanted, names: &[&'static str]| nearest(wanted, names.iter().copied()).map(|n| n.is_certain);
    assert_eq!(is_certain("buffer3", &["buffer1", "buffer2"]), Some(false));
    assert_eq!(is_certain("buffer3", &["buffer1", "buffer1", "buf"]), Some(true));
    assert_eq!(is_certain("buffer3", &["bufer", "buffer"]), Some(true));
    assert_eq!(is_certain("abcde", &["abxye"]), Some(false));
}

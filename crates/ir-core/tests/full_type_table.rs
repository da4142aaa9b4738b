//! The limit of the type table. One test alone in its process, because types are never removed.

use tvmscript_ir_core::type_table::{TypeError, register_dynamic, type_by_key, type_count};
use tvmscript_ir_core::{Array, EqKind, Str, Value};

#[test]
fn a_full_type_table_is_an_error_and_leaves_the_programs_types_usable() {
    let last =
        (0..1 << 20).find_map(|i| register_dynamic(&format!("full.T{i}"), None, EqKind::Tree, &[]).err());
    assert!(matches!(&last, Some(TypeError::Full { key }) if type_by_key(key).is_none()), "{last:?}");
    assert!(last.is_some_and(|e| e.to_string().contains("the type table is full")));
    assert!(type_count() > 10_000);

    // Types of the program itself are registered on first use.
    let words: Array<Str> = ["a", "b"].map(Str::from).into_iter().collect();
    assert_eq!(words.iter().map(Str::as_str).collect::<String>(), "ab");
    let first = type_by_key("full.T0").and_then(|info| info.construct(Vec::<Value>::new()).ok());
    assert_eq!(first.map(|node| node.info().key()), Some("full.T0"));
}

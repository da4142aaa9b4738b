//! Places of the bytes of a value in its literal.
#![allow(missing_docs)]

#[path = "../../src/errors/literal.rs"]
mod literal;

use literal::place_in_literal;

fn shown(source: &str, byte: usize) -> Option<&str> {
    place_in_literal(source, byte).map(|place| &source[place])
}

#[test]
fn bytes_of_the_value_are_found_behind_escapes() {
    assert_eq!(shown(r#""abc""#, 1), Some("b"));
    assert_eq!(shown(r#""\x41\u00e9\nb""#, 1), Some(r"\u00e9"));
    assert_eq!(shown(r#""\x41\u00e9\nb""#, 3), Some(r"\n"));
    assert_eq!(shown(r#""\x41\u00e9\nb""#, 4), Some("b"));
    assert_eq!(shown("\"\"\"{\\\n \\\"a\\\"}\"\"\"", 2), Some("\\\""));
    assert_eq!(shown(r"r'\a'", 1), Some("a"));
    assert_eq!(shown(r#""\101é""#, 2), Some("é"));
}

#[test]
fn what_breaks_off_is_at_the_quotes() {
    assert_eq!(shown(r#""ab""#, 2), Some("\""));
    assert_eq!(shown(r#""ab""#, 3), None);
}

#[test]
fn other_literals_have_no_places() {
    for source in ["b'a'", "f'a'", "'a' 'b", r"'\N{BULLET}'", "3", "'"] {
        assert_eq!(shown(source, 0), None, "{source}");
    }
}

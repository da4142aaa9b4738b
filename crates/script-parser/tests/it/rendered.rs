//! Common errors as rendered without colour. To update: `INSTA_UPDATE=always cargo test -p tvmscript-script-parser
//! --test it rendered`.

use crate::toy;
use tvmscript_diagnostics::render;

/// The rendered errors of a function with this body.
fn shown(body: &str) -> String {
    whole(&format!("@Y.script\ndef f(n, value):\n{body}"))
}

fn whole(text: &str) -> String {
    render(&toy::errors(text), "demo.py", text, false)
}

#[test]
fn an_undefined_name() {
    insta::assert_snapshot!(shown("    n + valeu\n"));
}

#[test]
fn a_name_whose_scope_is_over() {
    insta::assert_snapshot!(shown("    for i in n:\n        n + i\n    n + i\n"));
}

#[test]
fn a_name_bound_twice() {
    insta::assert_snapshot!(shown("    x = n\n    x = value\n"));
}

#[test]
fn a_misspelt_function() {
    insta::assert_snapshot!(shown("    Y.identty(n)\n"));
}

#[test]
fn a_misspelt_keyword() {
    insta::assert_snapshot!(shown("    Y.identity(valu=n)\n"));
}

#[test]
fn an_argument_too_many() {
    insta::assert_snapshot!(shown("    Y.identity(n, value)\n"));
}

#[test]
fn a_missing_argument() {
    insta::assert_snapshot!(shown("    Y.identity()\n"));
}

#[test]
fn an_argument_of_the_wrong_type() {
    insta::assert_snapshot!(shown("    Y.apply(n)\n"));
}

#[test]
fn several_on_one_line() {
    insta::assert_snapshot!(shown("    p + q * Y.identity(r)\n"));
}

#[test]
fn a_statement_that_scripts_do_not_have() {
    insta::assert_snapshot!(shown("    try:\n        n\n    except ValueError:\n        value\n"));
}

// The note quotes the foreign parser; the snapshot is from the default one.
#[cfg(not(feature = "ruff"))]
#[test]
fn a_missing_colon() {
    insta::assert_snapshot!(shown("    for i in n\n        i\n"));
}

#[test]
fn an_open_bracket() {
    insta::assert_snapshot!(shown("    n + (value\n    n\n"));
}

#[test]
fn a_string_that_is_never_closed() {
    insta::assert_snapshot!(shown("    x = \"value\n"));
}

#[test]
fn a_mistake_in_a_helper() {
    insta::assert_snapshot!(whole(
        "def tile(n):\n    return n // 0\n\n\nSIZE = 4\n\n\n@Y.script\ndef f(n):\n    n + tile(SIZE)\n"
    ));
}

#[test]
fn a_call_of_several_lines() {
    insta::assert_snapshot!(shown("    Y.identity(\n        n,\n        value,\n    )\n"));
}

#[test]
fn letters_beyond_ascii() {
    insta::assert_snapshot!(shown("    x = \"größe 😀\" + ö\n"));
}

#[test]
fn a_file_without_a_script() {
    insta::assert_snapshot!(whole("x = 1\n"));
}

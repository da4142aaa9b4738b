//! Rendered errors: text and JSON.

use crate::toy;
use tvmscript_diagnostics::{render, reports as diagnostics};
use tvmscript_python_syntax::ast::TextRange;

fn shown(text: &str) -> String {
    render(&toy::errors(text), "test.py", text, false)
}

#[test]
fn an_error_shows_its_line_and_its_help() {
    let text = "@Y.script\ndef f(value):\n    valeu + 1\n";
    let shown = shown(text);
    assert!(shown.contains("undefined name `valeu`"), "{shown}");
    assert!(shown.contains("test.py:3:5"), "{shown}");
    assert!(shown.contains("did you mean `value`?"), "{shown}");
}

#[test]
fn a_long_line_is_cut_around_the_place() {
    let text =
        format!("@Y.script\ndef f(n):\n    {}n + q + n{}\n", "n + ".repeat(50_000), " + n".repeat(50_000));
    let shown = shown(&text);
    assert!(shown.len() < 2000, "{} bytes", shown.len());
    assert!(shown.contains("test.py:3:200009"), "{shown}");
    assert!(shown.contains('…'), "{shown}");
}

#[test]
fn json_has_lines_columns_and_offsets() {
    let text = "ä = 1\nresult = ä + nope\n";
    let errors = toy::errors(text);
    let json = serde_json::to_value(diagnostics(&errors, text)).expect("JSON");
    assert_eq!(json[0]["kind"], "undefined-name");
    assert_eq!(json[0]["code"], "E0201");
    assert_eq!(json[0]["severity"], "error");
    assert_eq!(json[0]["start"], serde_json::json!({"line": 2, "column": 14, "offset": 21}));
    assert_eq!(json[0]["end"]["column"], 18);
}

#[test]
fn json_has_the_place_of_every_label() {
    let text = "@Y.script\ndef f(n):\n    for i in n:\n        n + i\n    n + i\n";
    let json = serde_json::to_value(diagnostics(&toy::errors(text), text)).expect("JSON");
    let label = &json[0]["labels"][0];
    assert_eq!(label["message"], "defined here, in a scope that is closed");
    assert_eq!(label["start"], serde_json::json!({"line": 3, "column": 9, "offset": 28}));
}

#[test]
fn what_controls_a_terminal_is_escaped() {
    let text = "# \u{1b}[2J\u{202e}\n@Y.script\ndef f(n):\n    n + '\u{7}\u{1b}[31m' + nope # \u{202e}\n";
    for color in [false, true] {
        let shown = render(&toy::errors(text), "a\u{1b}[0m.py", text, color);
        let own = |c: char| c == '\u{1b}' && color;
        assert!(
            !shown.chars().any(|c| (c.is_control() && c != '\n' && !own(c)) || c == '\u{202e}'),
            "{shown}"
        );
        assert!(!shown.contains("\u{1b}[2J") && !shown.contains("a\u{1b}"), "{shown}");
        if !color {
            assert!(shown.contains("a\\x1b[0m.py:4:20"), "{shown}");
            assert!(shown.contains("'\\x07\\x1b[31m' + nope # \\u{202e}"), "{shown}");
        }
    }
}

#[test]
fn a_long_name_is_quoted_in_part() {
    let text = format!("@Y.script\ndef f(n):\n    n + {}\n", "x".repeat(100_000));
    let shown = render(&toy::errors(&text), "test.py", &text, false);
    assert!(shown.len() < 2000, "{} bytes", shown.len());
    let errors = diagnostics(&toy::errors(&text), &text);
    assert!(errors[0].message.chars().count() < 300, "{}", errors[0].message);
}

#[test]
fn one_mistake_is_one_message() {
    let text = "@Y.script\ndef f(n):\n    a = nope\n    b = a + 1\n    for i in b:\n        i + a\n    b\n";
    let errors = toy::errors(text);
    assert_eq!(errors.len(), 1, "{errors:?}");
}

#[test]
fn all_mistakes_are_found() {
    let text = "x = 1 // 0\n@Y.script\ndef f(n):\n    one\n    Y.identty(n)\n    Y.identity()\n    for i in two:\n        three\n    n = 3\n";
    let kinds: Vec<&str> = toy::errors(text).iter().map(|e| e.kind.name()).collect();
    let expected = [
        "ZeroDivisionError",
        "undefined-name",
        "no-attribute",
        "build",
        "undefined-name",
        "undefined-name",
        "already-defined",
    ];
    assert_eq!(kinds, expected);
}

#[test]
fn an_argument_is_pointed_at() {
    let text = "@Y.script\ndef f(n):\n    Y.identity(n, valeu=3)\n";
    let errors = toy::errors(text);
    assert_eq!(
        TextRange::from(errors[0].range()).to_usize(),
        text.find("valeu=3").map(|at| at..at + 7).expect("it is there")
    );
    assert_eq!(errors[0].help.as_deref(), Some("did you mean `value`?"));
}

#[test]
fn a_mistake_in_a_helper_says_from_where_it_was_called() {
    let text = "def half(n):\n    return n // 0\n\nx = half(4)\n";
    let errors = toy::errors(text);
    assert_eq!(errors.len(), 1);
    assert_eq!(
        TextRange::from(errors[0].labels[1].range().expect("a range")).to_usize(),
        text.find("half(4)").map(|at| at..at + 7).expect("it is there")
    );
}

#[test]
fn names_in_an_unreadable_line_are_not_called_undefined() {
    let text = "@Y.script\ndef f(n):\n    a = = 3\n    a + n\n";
    let errors = toy::errors(text);
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert_eq!(errors[0].kind.name(), "syntax");
}

#[test]
fn an_empty_text_holds_no_script() {
    assert_eq!(toy::errors("")[0].kind.name(), "no-script");
    assert_eq!(toy::errors("# nothing\n")[0].kind.name(), "no-script");
}

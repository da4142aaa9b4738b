//! Host code through the outermost boundary: a text of assignments in, a value of `result` out, by a toy decorator that
//! hands it over.

mod toy;

use toy::{errors, repr};

#[test]
fn expressions_have_pythons_values() {
    assert_eq!(repr("result = [i * 2 for i in range(5) if i % 2]"), "[2, 6]");
    assert_eq!(
        repr("def f(n):\n    return 1 if n < 2 else n * f(n - 1)\nresult = f(25)"),
        "15511210043330985984000000"
    );
    assert_eq!(repr("a, *b = 'xyz'\nresult = f'{a!r:>5}{b}'"), "\"  'x'['y', 'z']\"");
}

#[test]
fn undefined_names_have_a_suggestion() {
    let errors = errors("lenght = 3\nresult = lengt + 1");
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].to_string(), "undefined name `lengt`");
    assert_eq!(errors[0].help.as_deref(), Some("did you mean `lenght`?"));
}

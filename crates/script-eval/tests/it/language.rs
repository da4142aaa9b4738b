//! The evaluator with the smallest host: a calculator without any IR.

use crate::calculator;
use tvmscript_script_eval::{Binding, Limits, Run};
use tvmscript_script_value::{CallArgs, ScriptValue};

fn values(text: &str) -> Vec<String> {
    let outcome = calculator::evaluate(text, Limits::default(), Run::Strict);
    assert!(outcome.errors.is_empty(), "{:?}", outcome.errors);
    outcome.values
}

#[test]
fn expressions_have_pythons_values() {
    assert_eq!(values("[i * 2 for i in range(5) if i % 2]"), ["[2, 6]"]);
    assert_eq!(
        values("def f(n):\n    return 1 if n < 2 else n * f(n - 1)\nf(25)"),
        ["15511210043330985984000000"]
    );
    assert_eq!(values("a, *b = 'xyz'\nf'{a!r:>5}{b}'"), ["\"  'x'['y', 'z']\""]);
    assert_eq!(values("(lambda x: x + 1)(2)\n(y := 3) + y\nNone"), ["3", "6", "None"]);
}

#[test]
fn classes_and_exceptions_run() {
    let text = "class Half:\n    def __init__(self, n):\n        self.n = n // 2\n\ntry:\n    Half(1) / 0\nexcept TypeError:\n    found = 'type'\nexcept ZeroDivisionError:\n    found = 'zero'\n(Half(9).n, found)";
    assert_eq!(values(text), ["(4, 'type')"]);
}

#[test]
fn errors_name_their_place_and_a_likely_name() {
    let text = "lenght = 3\nlengt + 1\nlenght\n";
    let outcome = calculator::evaluate(text, Limits::default(), Run::Strict);
    assert_eq!(outcome.values, ["3"]);
    let shown = tvmscript_diagnostics::render(&outcome.errors, "sum.py", text, false);
    assert!(shown.contains("undefined name `lengt`") && shown.contains("sum.py:2:1"), "{shown}");
    assert!(shown.contains("did you mean `lenght`?"), "{shown}");
}

#[test]
fn one_mistake_is_one_error() {
    let outcome = calculator::evaluate("a = 1 // 0\nb = a + 1\nb\n", Limits::default(), Run::Strict);
    assert_eq!(outcome.errors.len(), 1, "{:?}", outcome.errors);
    assert_eq!(outcome.values.len(), 0);
}

#[test]
fn code_that_is_not_evaluated_is_an_error() {
    for text in
        ["import torch\ntorch.zeros(3)\n", "with open('x') as f:\n    pass\n", "@numpy.jit\ndef f(): pass\n"]
    {
        let outcome = calculator::evaluate(text, Limits::default(), Run::Strict);
        assert!(!outcome.errors.is_empty(), "{text}");
    }
}

#[test]
fn functions_called_back_by_other_code_have_a_host() {
    let (mut calculator, errors) = calculator::open("double = lambda n: n * 2\n", Limits::default());
    assert!(errors.is_empty() && calculator::run(&mut calculator).errors.is_empty());
    let program = calculator.program();
    let name = program.ast.find_name("double").expect("the text mentions it");
    let Binding::Value(ScriptValue::Host(double)) = program.global(name) else {
        panic!("`double` is a function")
    };
    let value = double.call(CallArgs::positional([ScriptValue::Int(21)])).expect("no mistake");
    assert!(matches!(value, ScriptValue::Int(42)));
    let error = double.call(CallArgs::default()).expect_err("an argument is missing");
    assert_eq!(error.to_string(), "<lambda>() missing 1 required positional argument: 'n'");
}

//! Deep and long programs, on a small stack.

#[allow(dead_code)]
#[path = "../examples/calculator.rs"]
mod calculator;

use tvmscript_script_eval::Limits;

/// Runs on a thread with 2 MiB of stack.
fn on_a_small_stack(f: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(f).expect("a thread");
    thread.join().expect("no panic");
}

/// The last value of a text without mistakes.
fn value(text: &str) -> String {
    let mut outcome = calculator::evaluate(text, Limits::default(), true);
    assert!(outcome.errors.is_empty(), "{:?}", outcome.errors.first());
    outcome.values.pop().unwrap_or_default()
}

#[test]
fn a_sum_of_100_000_terms_is_evaluated() {
    on_a_small_stack(|| {
        let text = format!("x = {}\nx\n", vec!["1"; 100_000].join(" + "));
        assert_eq!(value(&text), "100000");
    });
}

#[test]
fn chains_of_100_000_are_evaluated() {
    on_a_small_stack(|| {
        for operator in [" and ", " < 2 and ", " <= "] {
            let text = format!("x = {}\nx\n", vec!["1"; 100_000].join(operator));
            value(&text);
        }
    });
}

#[test]
fn a_tower_of_20_000_powers_is_evaluated() {
    on_a_small_stack(|| {
        let text = format!("x = {}\nx\n", vec!["1"; 20_000].join(" ** "));
        assert_eq!(value(&text), "1");
    });
}

#[test]
fn an_elif_chain_of_100_000_is_flat() {
    on_a_small_stack(|| {
        let mut text = "if 0:\n  x = 0\n".to_owned();
        for index in 1..100_000 {
            text.push_str(&format!("elif {index} == 99999:\n  x = {index}\n"));
        }
        text.push_str("x\n");
        assert_eq!(value(&text), "99999");
    });
}

#[test]
fn values_inside_values_do_not_exhaust_the_stack() {
    on_a_small_stack(|| {
        let nest = "x = []\nfor _ in range(100000):\n    x = [x]\n";
        for last in ["y = repr(x)", "y = x == [x]", "z = x\ny = [x] == [x]", "y = (x,) in [x]", "f'{x}'"] {
            // Only termination matters, not the result.
            calculator::evaluate(&format!("{nest}{last}\n"), Limits::default(), true);
        }
    });
}

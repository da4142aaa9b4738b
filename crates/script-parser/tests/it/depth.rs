//! Deep and long scripts on a small stack.

use crate::toy;

/// Runs on a thread with a stack of 2 MiB.
fn on_a_small_stack(f: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(f).expect("a thread");
    thread.join().expect("no panic");
}

#[test]
fn a_nest_of_2_000_loops_is_visited() {
    on_a_small_stack(|| {
        let mut text = "@Y.script\ndef f(n):\n".to_owned();
        for depth in 1..=2_000 {
            text.push_str(&" ".repeat(depth));
            text.push_str("for i in n:\n");
        }
        text.push_str(&" ".repeat(2_001));
        text.push_str("i\n");
        assert_eq!(toy::build(&text).lines().count(), 2_001);
    });
}

//! The passes of the example do what they say.

#[path = "../examples/passes.rs"]
mod passes;

#[test]
fn the_passes_of_the_example_work() {
    passes::main().expect("the passes fit the function");
}

//! Tests of the example passes.

#[path = "../examples/passes.rs"]
mod passes;

#[test]
fn the_passes_of_the_example_work() {
    passes::main().expect("the passes fit the function");
}

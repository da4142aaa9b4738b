//! Tests of the evaluator with a calculator as its host.

mod budget;
#[allow(dead_code)]
#[path = "../../examples/calculator.rs"]
mod calculator;
mod cpython;
mod depth;
mod language;
mod left_out;
mod literal_places;
mod security_page;
mod suggest;

//! Tests of the dialect's analyses on IR made in Rust, and of its printer on TVM's own objects.

mod check;
mod complete;
#[cfg(feature = "print")]
mod corpus;
mod math;
mod operators;
#[cfg(feature = "print")]
mod print_corpus;
#[cfg(all(feature = "print", feature = "parse"))]
mod print_reads_back;
#[allow(dead_code)]
#[path = "../../../prim/tests/it/show.rs"]
mod show;
mod support;

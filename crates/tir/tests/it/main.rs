//! Tests of the dialect's analyses on IR made in Rust.

mod check;
mod complete;
mod math;
mod operators;
#[allow(dead_code)]
#[path = "../../../prim/tests/it/show.rs"]
mod show;
mod support;

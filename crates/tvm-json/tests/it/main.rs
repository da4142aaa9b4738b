//! Tests of the public face of the crate, over the toy dialect of `ir-core`'s tests.
#![allow(missing_docs)]

mod faults;
#[path = "../../../ir-core/tests/it/graphs.rs"]
#[allow(dead_code)]
mod graphs;
mod json;
mod props;
#[path = "../../../ir-core/tests/it/toy.rs"]
#[allow(dead_code)]
mod toy;

//! Tests of passes on IR made in Rust.

mod deep;
mod si_builder;

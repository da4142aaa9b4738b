//! Tests of the dialect's analyses on IR made in Rust.

mod check;
mod complete;
mod support;

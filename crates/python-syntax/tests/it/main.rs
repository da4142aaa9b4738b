//! Tests of the reader of Python.

mod depth;
mod differential;
mod errors;
mod mutations;
mod soup;
mod support;
mod tree;
mod ways;

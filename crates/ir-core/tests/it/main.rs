//! Tests of the public face of the crate, over a toy dialect.
#![allow(missing_docs)]

mod dump;
mod equal;
mod graphs;
mod invariants;
mod json;
mod paths;
mod props;
mod spans;
mod toy;
mod walk;

//! Tests of the public interface, over a toy dialect.
#![allow(missing_docs)]

mod dump;
mod equal;
mod invariants;
mod json;
mod paths;
mod props;
mod rounding;
mod spans;
mod walk;

//! Tests of the public interface, over the toy dialect.
#![allow(missing_docs)]

mod faults;
mod json;
mod props;

//! Tests of filling spans.

mod fill;
mod frontend;

//! Tests of builders and their functions.

mod misuse;
mod names;

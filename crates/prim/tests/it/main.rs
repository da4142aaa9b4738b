//! Tests of the smart functions through the crate's public names.

mod fold;
mod matching;
mod properties;
mod python;
mod script;
mod show;

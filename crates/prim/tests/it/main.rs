//! Tests of the smart functions through the crate's public names.

mod fold;
mod matching;
mod math;
mod properties;
mod python;
mod script;
mod show;
mod table;

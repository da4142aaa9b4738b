//! Tests of the parser with a toy dialect.

mod depth;
mod errors;
mod rendered;
mod script;
mod toy;

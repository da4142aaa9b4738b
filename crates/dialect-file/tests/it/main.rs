//! Tests of dialects in files that need no other dialect.

mod broken;
mod described;
mod editions;
mod functions;
mod irdl;

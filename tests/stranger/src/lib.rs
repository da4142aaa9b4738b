//! Code as an author of another project writes it, against published names alone: an IR that is only printed, a dialect that is
//! read and printed, and passes over it and over TIR.
//!
//! The pages `docs/print-my-ir.md`, `docs/parse-my-dialect.md` and `docs/write-a-pass.md` quote these files; a test
//! compares them.

pub mod passes;
pub mod robot;
pub mod shader;

//! Nodes printed alone, one fact a test: the literal forms, what is declared where, the strict forms, the options.
#![cfg(feature = "print")]

mod buffers;
mod depth;
mod expressions;
mod functions;
mod small;
mod statements;
mod support;

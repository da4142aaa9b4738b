//! The `tvmscript` command: exit status, output, diagnostics.

mod common;
mod compare;
mod constants;
mod diff;
mod fragments;
mod limits;
mod misuse;
mod nodes;
mod options;
mod passes;
mod scripts;
mod spans;

//! The `tvmscript` command from outside: exit status, output, diagnostics.

mod common;
mod misuse;
mod nodes;
mod scripts;

//! The C interface as a shared and a static library. All code is in `tvmscript-capi`, which the command uses as well: a package of
//! its own for the libraries spares it to link them.

pub use tvmscript_capi::*;

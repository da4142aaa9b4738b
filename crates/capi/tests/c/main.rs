//! Programs in C and C++ that use the library as it is installed: the examples, and those of `tests/programs`.
//!
//! They are compiled with warnings as errors, and with AddressSanitizer where it links. Without a compiler the tests say so and
//! pass.

mod plugins;
mod programs;
mod support;

//! Tests of the analyzer, its sets, maps and proofs.

mod common;
mod depth;
mod iter_map;
mod map_ranges;
mod properties;
mod sets;
mod vectors;
mod witness;

//! Tests of graphs and their layout.

mod graphs;
mod layout;

//! One offline page over a program and its passes.
//!
//! A [`Page`](page::Page) holds the texts of all versions of a program, the origins of each line, graphs and schedules. Readers
//! of dumps and an instrument of passes fill it; [`page::html`] writes it as one HTML file that needs no server.
//!
//! [`capture`] keeps the program after each pass, [`lineage`] tells where each line comes from, and [`run`] makes a run of the
//! page from both. [`dumps`] makes one from the dumps of other compilers, whose texts [`comparison`] compares, and [`expressions`]
//! one from a schedule of tensor expressions.
#![warn(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

pub mod capture;
pub mod comparison;
pub mod dumps;
pub mod export;
pub mod expressions;
pub mod graph;
pub mod lineage;
pub mod page;
pub mod run;
pub mod schedules;

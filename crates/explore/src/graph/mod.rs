//! Graphs of a page: of the layers of a model, and of the calls of a module.

pub mod layout;

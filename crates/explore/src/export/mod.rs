//! Other forms of the data of a page, for other viewers.

pub mod chrome_trace;
pub mod model_explorer;
pub mod svg;

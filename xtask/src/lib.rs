//! Parts that the tools of the workspace share.

pub mod workspace;

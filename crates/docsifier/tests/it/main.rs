//! Tests of the machinery that printers use.

mod dispatch;
mod frames;
mod one_pass;

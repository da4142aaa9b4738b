//! RFC 0079: metaprogramming. Each test is named after the row of the promise that it keeps.
//!
//! Most tests compare a metaprogrammed script with the one that a person would write by hand, by structural equality.

mod builder;
mod captures;
mod chains;
mod compute;
mod embedding;
mod globals;
mod helpers;
mod host_code;
mod macros;
mod nms;
mod ranks;
mod recorded;
mod specialize;
mod support;
mod templates;

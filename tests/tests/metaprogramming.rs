//! RFC 0079: metaprogramming. Each test is named after the row of the promise that it keeps.
//!
//! Most tests compare a metaprogrammed script with the one that a person would write by hand, by structural equality.

#[path = "metaprogramming/builder.rs"]
mod builder;
#[path = "metaprogramming/captures.rs"]
mod captures;
#[path = "metaprogramming/chains.rs"]
mod chains;
#[path = "metaprogramming/compute.rs"]
mod compute;
#[path = "metaprogramming/embedding.rs"]
mod embedding;
#[path = "metaprogramming/globals.rs"]
mod globals;
#[path = "metaprogramming/helpers.rs"]
mod helpers;
#[path = "metaprogramming/macros.rs"]
mod macros;
#[path = "metaprogramming/nms.rs"]
mod nms;
#[path = "metaprogramming/ranks.rs"]
mod ranks;
#[path = "metaprogramming/recorded.rs"]
mod recorded;
#[path = "metaprogramming/specialize.rs"]
mod specialize;
#[path = "metaprogramming/support.rs"]
mod support;
#[path = "metaprogramming/templates.rs"]
mod templates;

//! IR to docs: the table of printers, dispatch tokens, frames, names, and the configuration of a print.
//!
//! A handler is a plain function from a node, its path and the [`Docsifier`] to a doc. It is registered for a node
//! under the default token, or under one token only; looked up by (current token, exact type), then (default, exact
//! type), and what nobody prints becomes a reference into the metadata section. No dialect is known here.

mod analysis;
mod config;
mod definitions;
mod dispatch;
mod docsifier;
mod error;
mod frame;
mod mapped;
mod messages;
mod metadata;
pub mod names;
mod options;
mod prefixes;
mod script;
mod stmts;
mod table;
mod words;

pub use config::{Parts, PrinterConfig};
pub use docsifier::{DocFactory, Docsifier, field_value, text_of};
pub use error::{DocsifyError, Result};
pub use frame::{ExitCallback, Frame, FrameData};
pub use mapped::{MappedText, print_mapped};
pub use metadata::Metadata;
pub use options::{HeaderValue, OptionArgument, PrinterOption};
pub use script::{PrintedText, docsify_root, metadata_line, print, print_text, script};
pub use stmts::Stmts;
pub use table::{DataPrinter, DocsifyDialect, Printed, PrinterTable, Printers};
pub use tvmscript_doc as doc;

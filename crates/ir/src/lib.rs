//! The dialect `ir`: modules, ranges, types, targets, global infos, metadata; the default token.

#[cfg(feature = "build")]
pub mod build;
pub mod constants;
pub mod node;
#[cfg(feature = "parse")]
mod parse;
#[cfg(feature = "print")]
pub mod print;
pub mod profile;
pub mod signature;
mod symbol;

pub use node::*;
pub use symbol::{GLOBAL_SYMBOL, global_symbol};

use tvmscript_ir_core::Dialect;

/// The dialect for a registry: its nodes, the text profile of TVM, and what the features of this crate add.
pub fn dialect() -> Dialect {
    let dialect = nodes().text_profile(&profile::TVM_0_23);
    #[cfg(feature = "print")]
    let dialect = print::register(dialect);
    #[cfg(feature = "parse")]
    let dialect = parse::register(dialect);
    dialect
}

/// The nodes of this dialect, for a registry.
pub fn nodes() -> Dialect {
    Dialect::new("ir")
        .node::<RelaxExpr>()
        .node::<BaseFunc>()
        .node::<GlobalVar>()
        .node::<GlobalInfo>()
        .node::<DummyGlobalInfo>()
        .node::<VDevice>()
        .node::<EnvFunc>()
        .node::<Attrs>()
        .node::<DictAttrs>()
        .node::<Target>()
        .node::<TargetKind>()
        .node::<SourceMap>()
        .node::<IRModule>()
        .finish()
}

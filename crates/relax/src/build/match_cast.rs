//! A cast that is not bound yet.

use tvmscript_ir_core::Ref;
use tvmscript_irbuilder::HostObject;

use crate::node::{Expr, StructInfo};

/// The result of `R.match_cast`, which becomes a binding once it has a name.
#[derive(Debug, Clone)]
pub struct MatchCastPair {
    /// Value.
    pub value: Expr,
    /// Struct info that the cast states.
    pub struct_info: Ref<StructInfo>,
}

impl HostObject for MatchCastPair {
    fn type_name(&self) -> &str {
        "a cast"
    }
}

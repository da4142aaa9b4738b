//! A stated cast between its making and its binding.

use std::any::Any;

use tvmscript_ir_core::Ref;
use tvmscript_irbuilder::HostObject;

use crate::node::{Expr, StructInfo};

/// What `R.match_cast` gives: it becomes a binding once a name is there.
#[derive(Debug, Clone)]
pub struct MatchCastPair {
    /// The value.
    pub value: Expr,
    /// What is stated.
    pub struct_info: Ref<StructInfo>,
}

impl HostObject for MatchCastPair {
    fn type_name(&self) -> &str {
        "a cast"
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

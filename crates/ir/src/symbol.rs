//! The names that functions are linked by.

use crate::DictAttrs;
use tvmscript_ir_core::Value;

/// The attribute that holds it.
pub const GLOBAL_SYMBOL: &str = "global_symbol";

/// The name that a function of these attributes is linked by; private functions have none.
pub fn global_symbol(attrs: &DictAttrs) -> Option<&str> {
    attrs.dict.get_str(GLOBAL_SYMBOL).and_then(Value::as_str)
}

//! Linkage names of functions.

use crate::DictAttrs;
use tvmscript_ir_core::Value;

/// The attribute with the linkage name.
pub const GLOBAL_SYMBOL: &str = "global_symbol";

/// The linkage name in a function's attributes; private functions have none.
pub fn global_symbol(attrs: &DictAttrs) -> Option<&str> {
    attrs.dict.get_str(GLOBAL_SYMBOL).and_then(Value::as_str)
}

//! `@T.macro`: the body of a macro where it is called.

use tvmscript_irbuilder::ScriptValue;
use tvmscript_script_parser::{EvalResult, Expansion, Parser};

use crate::build::block::NameSuffix;
use crate::build::loops;

/// Visits the body. The names of blocks in it end with the number of earlier calls, `_1` for the second one.
pub(super) fn expand(p: &mut Parser<'_>, expansion: &Expansion) -> EvalResult<ScriptValue> {
    p.define_builtin("range", ScriptValue::Function(&loops::RANGE));
    let suffix = match expansion.index {
        0 => String::new(),
        index => format!("_{index}"),
    };
    let _suffix = NameSuffix::new(suffix);
    p.visit_all(expansion.body())?;
    Ok(ScriptValue::None)
}

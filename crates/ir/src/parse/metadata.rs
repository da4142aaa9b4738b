//! The metadata section, `metadata = tvm.ir.load_json(..)`.

use tvmscript_ir_core::json::{JsonError, JsonErrorKind, UnknownTypes, unknown_types};
use tvmscript_irbuilder::{BuildError, CallArgs, ScriptValue};
use tvmscript_script_parser::Parser;

/// Reads a value from JSON, in the forms that the release accepts.
pub(super) fn load_json(p: &mut Parser<'_>, args: CallArgs) -> Result<ScriptValue, BuildError> {
    let (positional, keywords) = (args.positional.as_slice(), args.keywords.as_slice());
    let [ScriptValue::Str(text)] = positional else {
        return Err(BuildError::message("`load_json` takes one string").at_position(0));
    };
    if let Some((name, _)) = keywords.first() {
        return Err(BuildError::message(format!("`load_json` has no parameter `{name}`")));
    }
    let Some(registry) = p.registry() else {
        return Err(BuildError::message("`load_json` can only be called at module level"));
    };
    let load = p.syntax().metadata.load;
    let value = match load(text, registry, UnknownTypes::Refused) {
        Err(JsonError { kind: JsonErrorKind::UnknownType { .. }, .. }) if p.keeps_unknown() => {
            let kept = load(text, registry, UnknownTypes::Kept);
            kept.inspect(|value| p.count_unknown_types(unknown_types(value)))
        }
        read => read,
    };
    let value = value.map_err(|error| {
        let offset = error.offset_bytes;
        BuildError::from(error).at_position(0).at_byte(offset)
    })?;
    Ok(ScriptValue::from(&value))
}

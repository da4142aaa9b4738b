//! Methods of bytes: those that lead to text.

use tvmscript_script_value::ScriptValue;

use super::super::Table;
use crate::errors::{HostError, HostErrorKind};
use crate::python::builtins::{args, optional};
use crate::python::cost::{self, Cost};

/// Only UTF-8 is known, and errors are errors.
pub(super) fn check_encoding(
    encoding: Option<&ScriptValue>,
    errors: Option<&ScriptValue>,
) -> Result<(), HostError> {
    for value in [encoding, errors].into_iter().flatten() {
        let Some(name) = value.as_str() else {
            let found = crate::python::type_name(value);
            return Err(HostError::type_error(format!("the encoding must be str, not {found}")));
        };
        let is_known = matches!(name.to_ascii_lowercase().as_str(), "utf-8" | "utf8" | "utf_8" | "strict");
        if !is_known {
            let message = format!("unknown encoding: {name}");
            return Err(HostError::new(HostErrorKind::Lookup, message));
        }
    }
    Ok(())
}

pub(in super::super) const BYTES: Table = &[
    ("decode", Cost::Linear, |p, v, a| {
        let [encoding, errors] = optional("decode", a, 0)?;
        check_encoding(encoding.as_ref(), errors.as_ref())?;
        let ScriptValue::Bytes(bytes) = v else { return Ok(ScriptValue::None) };
        match std::str::from_utf8(bytes) {
            Ok(text) => cost::text(p, text),
            Err(error) => {
                let message = format!("'utf-8' codec can't decode byte in position {}", error.valid_up_to());
                Err(HostError::new(HostErrorKind::UnicodeDecode, message).into())
            }
        }
    }),
    ("hex", Cost::Linear, |p, v, a| {
        let [] = args("bytes.hex", a)?;
        let ScriptValue::Bytes(bytes) = v else { return Ok(ScriptValue::None) };
        cost::text_bytes(p, 2 * bytes.len())?;
        let text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(ScriptValue::str(&text))
    }),
];

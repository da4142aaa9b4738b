//! Methods of `bytes`.

use tvmscript_script_value::ScriptValue;

use crate::python::builtins::{Table, linear};
use crate::python::{codec, cost};

pub(super) static BYTES: Table = &[linear("decode")
    .zero_to_two(|p, v, encoding, errors| {
        let ScriptValue::Bytes(bytes) = v.plain() else { return Ok(ScriptValue::None) };
        cost::text_bytes(p.state, bytes.len())?;
        cost::text(p.state, &codec::decode(bytes, encoding.as_ref(), errors.as_ref())?)
    })
    .with_keywords(&["encoding", "errors"])];

/// Methods that are not evaluated, separated by spaces.
pub(super) const MISSING: &str = "capitalize center count endswith expandtabs find fromhex hex index isalnum isalpha isascii isdigit islower \
    isspace istitle isupper join ljust lower lstrip maketrans partition removeprefix removesuffix replace rfind rindex rjust rpartition \
    rsplit rstrip split splitlines startswith strip swapcase title translate upper zfill";

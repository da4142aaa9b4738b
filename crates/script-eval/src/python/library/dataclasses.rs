//! `dataclasses`.

use std::cell::RefCell;
use std::rc::Rc;

use tvmscript_script_value::{Dict, ScriptValue};

use super::Library;
use crate::Evaluator;
use crate::eval::Raise;
use crate::python::builtins::linear;

pub(super) static DATACLASSES: Library = Library {
    path: "dataclasses",
    functions: &[
        linear("asdict").one(|p, _, instance| {
            let fields = fields(p, "asdict", &instance)?;
            let mut dict = Dict::with_capacity(fields.len());
            for (name, value) in fields {
                dict.insert(p.hashable(ScriptValue::str(&name))?, value);
            }
            Ok(ScriptValue::Dict(Rc::new(RefCell::new(dict))))
        }),
        linear("astuple").one(|p, _, instance| {
            Ok(ScriptValue::tuple(fields(p, "astuple", &instance)?.into_iter().map(|(_, value)| value)))
        }),
        linear("replace").any(|p, _, mut a| {
            let changes = std::mem::take(&mut a.keywords);
            match a.positional.as_slice() {
                [instance] => p.replaced(instance, changes),
                other => raise!(Type, "replace() takes exactly one argument ({} given)", other.len()),
            }
        }),
    ],
    missing: "FrozenInstanceError InitVar KW_ONLY MISSING Field dataclass field fields is_dataclass make_dataclass",
    ..Library::EMPTY
};

/// The fields of a dataclass instance.
fn fields(p: &Evaluator, name: &str, instance: &ScriptValue) -> Result<Vec<(String, ScriptValue)>, Raise> {
    match p.record_fields(instance)? {
        Some(fields) => Ok(fields),
        None => {
            raise!(Type, "{name}() should be called on dataclass instances")
        }
    }
}

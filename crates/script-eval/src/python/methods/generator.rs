//! Methods of generators.

use tvmscript_script_value::ScriptValue;

use crate::eval::IterObject;
use crate::eval::generator::Input;
use crate::python::builtins::{Table, linear, own};

/// Methods of iterators that know how many elements are left.
pub(super) static ITERATOR: Table = &[linear("__length_hint__").zero(|_, v| {
    let left = v.as_host::<IterObject>().and_then(IterObject::length_hint);
    Ok(ScriptValue::Int(left.unwrap_or(0) as i64))
})];

pub(super) static GENERATOR: Table = &[
    own("__iter__").zero(|_, v| Ok(v.clone())),
    own("__next__").zero(|p, v| p.send(v, Input::Send(ScriptValue::None))),
    own("close").zero(|p, v| {
        p.close_generator(v)?;
        Ok(ScriptValue::None)
    }),
    own("send").one(|p, v, sent| p.send(v, Input::Send(sent))),
    own("throw").any(|p, v, args| p.throw(v, args)),
];

//! Script functions of the nodes of a file.

use tvmscript_ir_core::Value;
use tvmscript_irbuilder::{Param, ParamKind, PyType, ScriptFn};

use super::leak;
use crate::call;
use crate::description::{Entry, Table};
use crate::node::{Argument, Convert, EnumValue, Gives, NodeText, Passing};
use crate::template::Form;

/// The script function of a node.
pub(super) fn function(entry: &Entry, text: &'static NodeText) -> &'static ScriptFn {
    let param = |argument: &Argument| Param {
        name: argument.name,
        kind: match argument.passing {
            Passing::Star => ParamKind::Args,
            Passing::Keyword if entry.table == Table::Statement || argument.default.is_none() => {
                ParamKind::KeywordOnly
            }
            Passing::Position | Passing::Keyword => ParamKind::Plain,
        },
        default: argument.default.as_ref().map(|default| leak(&default_text(default))),
        py_type: match argument.passing {
            Passing::Star => sequence(py_type(&argument.convert)),
            _ => py_type(&argument.convert),
        },
    };
    let params: Vec<Param> = text.arguments.iter().map(param).collect();
    let node = PyType::Class(text.info);
    let target = text.target.as_ref().and_then(|target| target.class).map_or(PyType::NONE, PyType::Class);
    let returns = match (text.form, text.gives) {
        (_, Gives::Value) => node,
        (Form::Assign { .. }, _) => target,
        (Form::With { .. } | Form::For { .. }, _) => PyType::Scope { of: Box::leak(Box::new(target)) },
        _ => PyType::NONE,
    };
    Box::leak(Box::new(ScriptFn {
        name: text.function,
        doc: leak(&entry.doc),
        params: params.leak(),
        returns,
        is_annotation: entry.is_variable || text.form == Form::Subscript,
        members: &[],
        around: None,
        call: call::call,
        data: Some(text),
    }))
}

/// The script function that a value of an enum is.
pub(super) fn enum_value(name: &'static str, doc: &'static str, value: EnumValue) -> &'static ScriptFn {
    Box::leak(Box::new(ScriptFn {
        name,
        doc,
        params: &[],
        returns: PyType::STR,
        is_annotation: false,
        members: &[],
        around: None,
        call: call::call_value,
        data: Some(Box::leak(Box::new(value))),
    }))
}

pub(super) fn sequence(item: PyType) -> PyType {
    PyType::Generic { name: "Sequence", of: vec![item].leak() }
}

pub(super) fn py_type(convert: &Convert) -> PyType {
    match convert {
        Convert::Any | Convert::Expr | Convert::Typed | Convert::Node | Convert::Enum(_) => PyType::ANY,
        Convert::Either(all) => PyType::Union { of: all.iter().map(py_type).collect::<Vec<_>>().leak() },
        Convert::Bool => PyType::BOOL,
        Convert::Int => PyType::INT,
        Convert::Float => PyType::FLOAT,
        Convert::DType | Convert::Str => PyType::STR,
        Convert::Class(info) => PyType::Class(info),
        Convert::List(item) => sequence(py_type(item)),
        Convert::Optional(inner) => PyType::Union { of: vec![py_type(inner), PyType::NONE].leak() },
    }
}

/// A default as Python writes it.
pub(super) fn default_text(value: &Value) -> String {
    match value {
        Value::None => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::DType(dtype) => format!("\"{dtype}\""),
        other => format!("{other:?}"),
    }
}

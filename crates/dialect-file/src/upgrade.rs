//! Nodes of earlier editions as those of later ones.

use tvmscript_ir_core::{FieldError, Object, ObjectLike, Value, try_post_order_mutate};
use tvmscript_pass::PassError;

use crate::node::NodeText;

/// Replaces nodes by those of the second text of their pair: fields of one name keep their values, others have defaults.
pub(crate) fn upgrade<T: ObjectLike>(
    root: T,
    replaced: &[(&'static NodeText, &'static NodeText)],
) -> Result<T, PassError> {
    try_post_order_mutate(root, |node| {
        let pair = replaced.iter().find(|(old, _)| std::ptr::eq(old.info, node.info()));
        pair.map(|(_, new)| replace(node, new))
            .transpose()
            .map_err(|error| PassError::unsupported(error.to_string()).at(node))
    })
}

fn replace(node: &Object, new: &NodeText) -> Result<Object, FieldError> {
    let default = |index: usize| {
        let argument = new.arguments.iter().find(|argument| argument.field == index);
        let constant = new.constants.iter().find(|(field, _)| *field == index).map(|(_, value)| value);
        argument.and_then(|argument| argument.default.as_ref()).or(constant).cloned().unwrap_or_default()
    };
    let value = |(index, name): (usize, &str)| match node.info().field_index(name) {
        Some(old) => node.field(old).to_value(),
        None => default(index),
    };
    let names = new.info.fields().iter().map(|field| field.name);
    let values: Vec<Value> = names.enumerate().map(value).collect();
    let mut made = new.info.construct(values)?;
    made.set_span(node.span());
    Ok(made)
}

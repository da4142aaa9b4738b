//! Nodes of types registered at run time ([`crate::type_table::register_dynamic`]). Their fields are values, checked
//! against the declared kinds.

use crate::dtype::DataType;
use crate::node::{Class, Node};
use crate::raw::NodeSlot;
use crate::type_table::{EqKind, FieldKind, Shape, TypeDecl, TypeInfo, register_node};
use crate::value::{Field, FieldError, FieldRef, Fields, Value, quoted_kind};

/// Checks a value against the declared kind of a field.
///
/// # Errors
/// Fails if there is no such field, or it is of another kind.
pub(crate) fn check_kind(info: &TypeInfo, index: usize, value: &Value) -> Result<(), FieldError> {
    let Some(field) = info.fields().get(index) else {
        return Err(FieldError::NoField { key: info.display_key(), index });
    };
    let (fits, expected) = match field.kind {
        FieldKind::Any => (true, ""),
        FieldKind::Bool => (matches!(value, Value::Bool(_)), "a bool"),
        FieldKind::Int => (matches!(value, Value::Int(_)), "an int"),
        FieldKind::Float => (matches!(value, Value::Float(_) | Value::Int(_)), "a float"),
        FieldKind::DType => (matches!(value, Value::DType(_)), "a dtype"),
        FieldKind::Span => (matches!(value, Value::None), "a span"),
        FieldKind::Node => (matches!(value, Value::Node(_) | Value::None), "a node or None"),
    };
    match fits {
        true => Ok(()),
        false => Err(FieldError::Kind {
            key: info.display_key(),
            field: field.name,
            expected: expected.to_owned(),
            found: quoted_kind(value),
        }),
    }
}

/// The payload of nodes of types registered at run time.
#[derive(Debug, Clone)]
pub(crate) struct DynNode {
    fields: Box<[Value]>,
}

impl DynNode {
    pub(crate) fn collect(info: &TypeInfo, fields: &mut Fields<'_>) -> Result<DynNode, FieldError> {
        let take = |index| {
            let value = fields.take::<Value>()?;
            check_kind(info, index, &value)?;
            Ok(value)
        };
        let fields = (0..info.fields().len()).map(take).collect::<Result<_, _>>()?;
        Ok(DynNode { fields })
    }
}

// SAFETY: the entry is registered for this struct; types registered at run time have entries with the same payload.
unsafe impl Class for DynNode {
    fn type_info() -> &'static TypeInfo {
        static INFO: std::sync::OnceLock<&'static TypeInfo> = std::sync::OnceLock::new();
        INFO.get_or_init(|| {
            register_node::<DynNode>(TypeDecl {
                key: "ir_core.DynNode",
                parent: None,
                missing_parent: None,
                eq: EqKind::Tree,
                custom_eq: None,
                shape: Shape::Fields,
                fields: &[],
            })
        })
    }
}

impl Node for DynNode {
    fn field(&self, index: usize) -> FieldRef<'_> {
        self.fields.get(index).map_or(FieldRef::None, Value::as_field)
    }
    fn set_field(&mut self, index: usize, value: Value) -> Result<(), FieldError> {
        if let Some(field) = self.fields.get_mut(index) {
            *field = value;
        }
        Ok(())
    }
    fn node_slot(&mut self, index: usize) -> Option<NodeSlot<'_>> {
        self.fields.get_mut(index).and_then(Field::node_slot)
    }
    fn from_fields(fields: &mut Fields<'_>) -> Result<Self, FieldError> {
        let info = fields.info;
        DynNode::collect(info, fields)
    }
    fn node_dtype(&self) -> DataType {
        self.fields
            .iter()
            .find_map(|f| if let Value::DType(d) = f { Some(*d) } else { None })
            .unwrap_or(DataType::VOID)
    }
}

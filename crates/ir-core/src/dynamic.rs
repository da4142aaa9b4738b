//! Nodes of types registered at run time ([`crate::type_table::register_dynamic`], [`DynamicType`]). Their fields are
//! values, checked against the declared contents.

use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::containers::ArrayNode;
use crate::dtype::DataType;
use crate::invariants::Checked;
use crate::json::limits::ElementBudget;
use crate::node::{Class, Node};
use crate::raw::{NameCell, NodeSlot, Object, ObjectLike as _, Str};
use crate::span::Span;
use crate::type_table::{EqKind, FieldInfo, FieldKind, Shape, TypeDecl, TypeInfo, register_node};
use crate::value::{Field, FieldError, FieldRef, Fields, Value, quoted_kind};

/// Contents of a field of a type registered at run time.
#[derive(Debug, Clone)]
pub enum Content {
    /// Any value.
    Any,
    /// A bool.
    Bool,
    /// An integer.
    Int,
    /// A float; integers are converted.
    Float,
    /// A [`DataType`].
    DType,
    /// A [`Span`].
    Span,
    /// A name hint that a builder can set ([`NameCell`]).
    Name,
    /// A string.
    Str,
    /// Any node.
    Node,
    /// A node of a class.
    Class(&'static TypeInfo),
    /// A node of a class that is registered later, after which the cell is set. No node fits before.
    Later(Arc<OnceLock<&'static TypeInfo>>),
    /// An array.
    List(Box<Content>),
    /// A value or `None`.
    Optional(Box<Content>),
    /// One of several strings.
    OneOf(Arc<[String]>),
    /// A value that one of several contents accepts.
    Either(Vec<Content>),
}

impl Content {
    /// The contents that a field without a description has.
    pub(crate) fn of(kind: FieldKind) -> Content {
        match kind {
            FieldKind::Bool => Content::Bool,
            FieldKind::Int => Content::Int,
            FieldKind::Float => Content::Float,
            FieldKind::DType => Content::DType,
            FieldKind::Span => Content::Span,
            FieldKind::Node => Content::Optional(Box::new(Content::Node)),
            FieldKind::Any => Content::Any,
        }
    }

    /// The kind of the values, for generic walks.
    pub fn kind(&self) -> FieldKind {
        match self {
            Content::Bool => FieldKind::Bool,
            Content::Int => FieldKind::Int,
            Content::Float => FieldKind::Float,
            Content::DType => FieldKind::DType,
            Content::Span => FieldKind::Span,
            Content::Name
            | Content::Str
            | Content::Node
            | Content::Class(_)
            | Content::Later(_)
            | Content::OneOf(_)
            | Content::List(_) => FieldKind::Node,
            Content::Optional(inner) if inner.kind() == FieldKind::Node => FieldKind::Node,
            Content::Optional(_) | Content::Either(_) | Content::Any => FieldKind::Any,
        }
    }

    /// Describes the valid values in messages, with an article.
    pub fn expected(&self) -> String {
        match self {
            Content::Any => "any value".to_owned(),
            Content::Bool => "a bool".to_owned(),
            Content::Int => "an int".to_owned(),
            Content::Float => "a float".to_owned(),
            Content::DType => "a dtype".to_owned(),
            Content::Span => "a span".to_owned(),
            Content::Name | Content::Str => "a string".to_owned(),
            Content::Node => "a node".to_owned(),
            Content::Class(info) => format!("a `{}`", info.display_key()),
            Content::Later(class) => match class.get() {
                Some(info) => format!("a `{}`", info.display_key()),
                None => "a node of a class that is not registered yet".to_owned(),
            },
            Content::List(item) => format!("a list whose elements are each {}", item.expected()),
            Content::Optional(inner) => format!("{} or None", inner.expected()),
            Content::OneOf(texts) => format!("one of `{}`", texts.join("`, `")),
            Content::Either(all) => all.iter().map(Content::expected).collect::<Vec<_>>().join(" or "),
        }
    }

    fn accepts(&self, value: &Value, elements: &mut ElementBudget) -> bool {
        match (self, value) {
            (Content::Any, _) | (Content::Optional(_), Value::None) => true,
            (Content::Optional(inner), value) => inner.accepts(value, elements),
            (Content::OneOf(texts), value) => {
                value.as_str().is_some_and(|text| texts.iter().any(|one| one == text))
            }
            (Content::Either(all), value) => all.iter().any(|one| one.accepts(value, elements)),
            (Content::Bool, value) => matches!(value, Value::Bool(_)),
            (Content::Int, value) => matches!(value, Value::Int(_)),
            (Content::Float, value) => matches!(value, Value::Float(_) | Value::Int(_)),
            (Content::DType, value) => matches!(value, Value::DType(_)),
            (Content::Span, value) => matches!(value, Value::None),
            (Content::Name | Content::Str, value) => value.as_str().is_some(),
            (Content::Node, value) => value.as_object().is_some(),
            (Content::Class(class), value) => value.as_object().is_some_and(|node| node.info().is_a(class)),
            (Content::Later(class), value) => match (class.get(), value.as_object()) {
                (Some(class), Some(node)) => node.info().is_a(class),
                _ => false,
            },
            (Content::List(item), Value::Node(node)) => node.as_node::<ArrayNode>().is_some_and(|array| {
                let items = array.items();
                elements.may_check(items.len()) && items.iter().all(|value| item.accepts(value, elements))
            }),
            (Content::List(_), _) => false,
        }
    }
}

/// A check of the invariants of a node whose type was registered at run time.
pub type DynamicCheck = Arc<dyn Fn(&Object) -> Checked + Send + Sync>;

/// A field of a [`DynamicType`].
#[derive(Debug, Clone)]
pub struct DynamicField {
    /// Name in text and JSON.
    pub name: String,
    /// Contents.
    pub content: Content,
    /// `true` if the field defines the variables in it.
    pub def: bool,
    /// `true` if equality and hash ignore the field. They always ignore names.
    pub skip_eq: bool,
}

/// The description of a dialect that types were registered from. JSON has it, so that a text is not loaded with another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// Name of the dialect.
    pub dialect: String,
    /// Edition and content key.
    pub description: String,
}

/// The description of a type that is registered at run time.
///
/// ```
/// use tvmscript_ir_core::{Content, DynamicField, DynamicType, EqKind, Value};
///
/// let field = |name: &str, content| DynamicField { name: name.to_owned(), content, def: false, skip_eq: false };
/// let list = Content::List(Box::new(Content::Int));
/// let described = DynamicType {
///     key: "doc.Shape".to_owned(),
///     parent: None,
///     eq: EqKind::Tree,
///     fields: vec![field("span", Content::Span), field("dims", list)],
///     check: None,
///     origin: None,
///     is_abstract: false,
///     is_pure: true,
/// };
/// let info = described.register()?;
/// let error = info.construct(vec![Value::None, Value::Int(1)]).unwrap_err();
/// assert_eq!(error.to_string(), "field `dims` of `doc.Shape` takes a list whose elements are each an int, not int");
/// # Ok::<(), tvmscript_ir_core::type_table::TypeError>(())
/// ```
#[derive(Clone)]
pub struct DynamicType {
    /// Type key.
    pub key: String,
    /// Parent class, which has no Rust struct.
    pub parent: Option<&'static TypeInfo>,
    /// Rule of structural equality.
    pub eq: EqKind,
    /// Fields in declaration order.
    pub fields: Vec<DynamicField>,
    /// Check of the invariants.
    pub check: Option<DynamicCheck>,
    /// The description of the dialect.
    pub origin: Option<Arc<Origin>>,
    /// `true` for a class without nodes of its own.
    pub is_abstract: bool,
    /// `true` if evaluating a node has no effect besides its value, which depends on its parts alone.
    pub is_pure: bool,
}

impl fmt::Debug for DynamicType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynamicType")
            .field("key", &self.key)
            .field("fields", &self.fields)
            .finish_non_exhaustive()
    }
}

impl DynamicType {
    /// The reflected fields. Their names are leaked, as entries of the type table are never removed.
    pub(crate) fn field_infos(&self) -> Vec<FieldInfo> {
        let info = |field: &DynamicField| FieldInfo {
            name: Box::leak(field.name.clone().into_boxed_str()),
            def: field.def,
            skip_eq: field.skip_eq || matches!(field.content, Content::Name | Content::Span),
            kind: field.content.kind(),
            derived: false,
            optional: matches!(field.content, Content::Optional(_)),
        };
        self.fields.iter().map(info).collect()
    }
}

/// The parts of a description that nodes are checked against.
pub(crate) struct Described {
    pub(crate) contents: Box<[Content]>,
    pub(crate) check: Option<DynamicCheck>,
    pub(crate) origin: Option<Arc<Origin>>,
    pub(crate) is_pure: bool,
}

impl fmt::Debug for Described {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.contents).finish()
    }
}

/// Checks a value against the declared contents of a field.
///
/// # Errors
/// Fails if there is no such field, or it has other contents.
pub(crate) fn check_content(
    info: &TypeInfo,
    index: usize,
    value: &Value,
    elements: &mut ElementBudget,
) -> Result<(), FieldError> {
    let content = info.described().and_then(|described| described.contents.get(index));
    let (Some(field), Some(content)) = (info.fields().get(index), content) else {
        return Err(FieldError::NoField { key: info.display_key(), index });
    };
    match content.accepts(value, elements) {
        true => Ok(()),
        false => Err(FieldError::Kind {
            key: info.display_key(),
            field: field.name,
            expected: content.expected(),
            found: quoted_kind(value),
        }),
    }
}

/// A field of a [`DynNode`].
#[derive(Debug, Clone)]
enum DynField {
    Value(Value),
    Span(Span),
    Name(NameCell),
}

impl DynField {
    fn new(content: &Content, value: Value) -> DynField {
        match (content, value) {
            (Content::Span, _) => DynField::Span(Span::UNKNOWN),
            (Content::Name, Value::Node(text)) => match Str::try_from_object(text) {
                Ok(text) => DynField::Name(NameCell::from(text)),
                Err(other) => DynField::Value(Value::Node(other)),
            },
            (Content::Float, Value::Int(value)) => DynField::Value(Value::Float(value as f64)),
            (_, value) => DynField::Value(value),
        }
    }
}

/// The payload of nodes of types registered at run time.
#[derive(Debug, Clone)]
pub(crate) struct DynNode {
    fields: Box<[DynField]>,
}

impl DynNode {
    pub(crate) fn collect(info: &TypeInfo, fields: &mut Fields<'_>) -> Result<DynNode, FieldError> {
        let contents = info.described().map(|described| &*described.contents).unwrap_or_default();
        let take = |(index, content)| {
            let value = fields.take::<Value>()?;
            check_content(info, index, &value, fields.elements())?;
            Ok(DynField::new(content, value))
        };
        let fields = contents.iter().enumerate().map(take).collect::<Result<_, _>>()?;
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
        match self.fields.get(index) {
            Some(DynField::Value(value)) => value.as_field(),
            Some(DynField::Span(span)) => FieldRef::Span(*span),
            Some(DynField::Name(name)) => FieldRef::Name(name),
            None => FieldRef::None,
        }
    }
    fn set_field(&mut self, index: usize, value: Value) -> Result<(), FieldError> {
        if let Some(field) = self.fields.get_mut(index) {
            *field = match (&*field, value) {
                (DynField::Span(_), _) => DynField::Span(Span::UNKNOWN),
                (DynField::Name(_), value) => DynField::new(&Content::Name, value),
                (DynField::Value(Value::Float(_)), value) => DynField::new(&Content::Float, value),
                (_, value) => DynField::Value(value),
            };
        }
        Ok(())
    }
    fn node_slot(&mut self, index: usize) -> Option<NodeSlot<'_>> {
        match self.fields.get_mut(index) {
            Some(DynField::Value(value)) => value.node_slot(),
            _ => None,
        }
    }
    fn from_fields(fields: &mut Fields<'_>) -> Result<Self, FieldError> {
        let info = fields.info;
        DynNode::collect(info, fields)
    }
    fn give_name(&self, name: &Str) -> bool {
        let cell = self.fields.iter().find_map(|field| match field {
            DynField::Name(cell) => Some(cell),
            _ => None,
        });
        cell.map(|cell| cell.set(name.clone())).is_some()
    }
    fn node_dtype(&self) -> DataType {
        let dtype = |field: &DynField| match field {
            DynField::Value(Value::DType(dtype)) => Some(*dtype),
            _ => None,
        };
        self.fields.iter().find_map(dtype).unwrap_or(DataType::VOID)
    }
    fn node_span(&self) -> Span {
        let span = |field: &DynField| match field {
            DynField::Span(span) => Some(*span),
            _ => None,
        };
        self.fields.iter().find_map(span).unwrap_or(Span::UNKNOWN)
    }
    fn set_node_span(&mut self, new: Span) {
        let span = self.fields.iter_mut().find_map(|field| match field {
            DynField::Span(span) => Some(span),
            _ => None,
        });
        if let Some(span) = span {
            *span = new;
        }
    }
}

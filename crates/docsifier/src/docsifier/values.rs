//! Nodes and other values as docs.

use tvmscript_doc::{Doc, DocError, ExprDoc};
use tvmscript_ir_core::containers::{ArrayNode, MapNode, ShapeNode};
use tvmscript_ir_core::{DataType, FieldRef, Object, ObjectLike as _, PathId, Ref, Str, Value, with_stack};

use super::Docsifier;
use crate::analysis::size::is_endless;
use crate::error::{DocsifyError, Result};
use crate::metadata::Metadata;
use crate::table::Handler;
use crate::words;

impl Docsifier<'_> {
    /// Prints a node by the rule of the current token, else the default one, else as a reference into the metadata.
    ///
    /// # Errors
    /// Whatever the handler says.
    pub fn doc(&mut self, object: &Object, path: PathId) -> Result<Doc> {
        // A graph that shares its parts may stand for more text than there is room for.
        self.docs.check()?;
        if self.docs.doc_count() > self.next_look {
            self.look_at_size()?;
        }
        with_stack(|| match self.dispatch.handler(object.info()) {
            // What the handler writes is handed on where it is: to copy a result right after its parts were written waits
            // for all that was written before.
            Some(handler) if !self.tracks_paths => handler(object, path, self),
            handler => self.decorated(object, path, handler),
        })
    }

    /// Looks how large the tree is that the root stands for, once it has many docs: if it is far too large, the print need
    /// not go on to the limit.
    #[cold]
    fn look_at_size(&mut self) -> Result<()> {
        self.next_look = usize::MAX;
        match is_endless(&self.root, self.config.max_docs) {
            true => Err(DocError::Full { limit: self.config.max_docs }.into()),
            false => Ok(()),
        }
    }

    fn decorated(&mut self, object: &Object, path: PathId, handler: Option<&Handler>) -> Result<Doc> {
        let doc = match handler {
            Some(handler) => handler(object, path, self)?,
            None => self.container(object, path)?.into(),
        };
        if self.tracks_paths {
            self.decorate(object, doc, path);
        }
        Ok(doc)
    }

    /// Prints a node that is an expression.
    ///
    /// # Errors
    /// [`DocsifyError::NotAnExpression`], or whatever the handler says.
    #[inline]
    pub fn expr_object(&mut self, object: &Object, path: PathId) -> Result<ExprDoc> {
        match self.doc(object, path)? {
            Doc::Expr(doc) => Ok(doc),
            _ => Err(DocsifyError::NotAnExpression { key: object.info().display_key() }.into()),
        }
    }

    /// Prints a node that is an expression.
    ///
    /// # Errors
    /// [`DocsifyError::NotAnExpression`], or whatever the handler says.
    #[inline]
    pub fn expr<T: ?Sized>(&mut self, node: &Ref<T>, path: PathId) -> Result<ExprDoc> {
        self.expr_object(node.object(), path)
    }

    /// Prints any value.
    ///
    /// # Errors
    /// As for [`Docsifier::expr_object`].
    pub fn value(&mut self, value: &Value, path: PathId) -> Result<ExprDoc> {
        let doc = match value {
            Value::None => self.docs.none(),
            Value::Bool(b) => self.docs.bool(*b),
            Value::Int(i) => self.docs.int(*i),
            Value::Float(f) if f.is_finite() => self.docs.float(*f),
            Value::Float(f) => self.not_finite(*f),
            Value::DType(d) => self.dtype(*d),
            Value::Node(object) => return self.expr_object(object, path),
        };
        if self.tracks_paths {
            self.docs.add_path(doc, path);
        }
        Ok(doc)
    }

    /// `float("inf")`: the text alone would be read as a text.
    fn not_finite(&mut self, value: f64) -> ExprDoc {
        let text = self.docs.float(value);
        let callee = self.word(words::FLOAT);
        self.docs.call_args(callee, &[text])
    }

    /// Prints where the reader takes a plain number or text as it is, so that literal nodes must say their types.
    pub fn typed<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R {
        let before = std::mem::replace(&mut self.typed, true);
        let result = f(self);
        self.typed = before;
        result
    }

    /// Whether literal nodes must say their types ([`Docsifier::typed`]).
    pub fn is_typed(&self) -> bool {
        self.typed
    }

    /// Prints a node as data, which the reader keeps as it is: there the name of a function alone is that function, not the
    /// node that it would make.
    ///
    /// # Errors
    /// As for [`Docsifier::expr_object`].
    pub fn expr_as_data(&mut self, object: &Object, path: PathId) -> Result<ExprDoc> {
        let before = self.data.replace(object.address());
        let result = self.expr_object(object, path);
        self.data = before;
        result
    }

    /// Whether a node is the one that is printed.
    pub fn is_root(&self, object: &Object) -> bool {
        self.root.ptr_eq(object)
    }

    /// Whether a node is an element of data ([`Docsifier::expr_as_data`]).
    pub fn is_data(&self, object: &Object) -> bool {
        self.data == Some(object.address())
    }

    /// Whether a node stands alone, as the root or as an element of data: where a node of another type would have the same
    /// text, it says more.
    pub fn is_alone(&self, object: &Object) -> bool {
        self.is_root(object) || self.is_data(object)
    }

    /// The node that a function makes without arguments: by the function's name alone, but in data by a call
    /// ([`Docsifier::expr_as_data`]).
    pub fn made_by(&mut self, callee: ExprDoc, object: &Object) -> ExprDoc {
        match self.is_data(object) {
            true => self.docs.call_args(callee, &[]),
            false => callee,
        }
    }

    /// A data type as a string literal.
    pub fn dtype(&mut self, dtype: DataType) -> ExprDoc {
        self.docs.str(&*dtype.to_string())
    }

    /// Strings, arrays, maps, and whatever no dialect prints.
    fn container(&mut self, object: &Object, path: PathId) -> Result<ExprDoc> {
        if let Some(text) = text_of(object) {
            return Ok(if text.contains('\n') { self.metadata(object) } else { self.docs.str(text) });
        }
        if let Some(array) = object.as_node::<ArrayNode>() {
            let items = self.values(array.items(), path)?;
            return Ok(self.docs.list(&items));
        }
        if let Some(map) = object.as_node::<MapNode>() {
            return self.map(map, path);
        }
        if let Some(shape) = object.as_node::<ShapeNode>() {
            let items: Vec<ExprDoc> = shape.values.iter().map(|v| self.docs.int(*v)).collect();
            return Ok(self.docs.tuple(&items));
        }
        Ok(self.metadata(object))
    }

    /// Prints the elements of an array.
    ///
    /// # Errors
    /// As for [`Docsifier::expr_object`].
    pub fn values(&mut self, values: &[Value], path: PathId) -> Result<Vec<ExprDoc>> {
        values
            .iter()
            .enumerate()
            .map(|(i, value)| {
                let path = self.item(path, i);
                self.value(value, path)
            })
            .collect()
    }

    /// A dictionary; keys sorted when all are strings.
    fn map(&mut self, map: &MapNode, path: PathId) -> Result<ExprDoc> {
        let mut entries: Vec<(&Value, &Value)> = map.entries().iter().map(|(k, v)| (k.value(), v)).collect();
        if entries.iter().all(|(k, _)| k.as_str().is_some()) {
            entries.sort_by(|(a, _), (b, _)| a.as_str().cmp(&b.as_str()));
        }
        let mut docs = Vec::with_capacity(entries.len());
        for (key, value) in entries {
            let at = self.key_itself(path, key);
            let key_doc = self.value(key, at)?;
            let at = self.entry(path, key);
            docs.push((key_doc, self.value(value, at)?));
        }
        Ok(self.docs.dict(&docs))
    }

    /// A reference to a node that the text cannot say, kept in the metadata section.
    pub fn metadata(&mut self, object: &Object) -> ExprDoc {
        let (key, index) = self.metadata.add(object, self.profile.metadata.type_key);
        let base = self.word(self.profile.metadata.variable);
        let key = self.docs.str(key);
        let list = self.docs.index(base, &[key]);
        let index = self.docs.int(index as i64);
        self.docs.index(list, &[index])
    }

    pub(crate) fn metadata_section(&self) -> &Metadata {
        &self.metadata
    }
}

/// A field's value as an owned one, for handlers of types made at run time.
pub fn field_value(object: &Object, name: &str) -> Option<Value> {
    let index = object.info().field_index(name)?;
    Some(match object.field(index) {
        FieldRef::Node(o) => Value::Node(o.clone()),
        other => other.to_value(),
    })
}

/// A string node's text, if the node is one.
pub fn text_of(object: &Object) -> Option<&str> {
    Str::try_ref(object).map(Str::as_str)
}

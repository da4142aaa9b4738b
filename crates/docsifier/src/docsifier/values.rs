//! Conversion of nodes and other values to docs.

use tvmscript_doc::{Doc, DocError, ExprDoc};
use tvmscript_ir_core::containers::{ArrayNode, MapNode, ShapeNode};
use tvmscript_ir_core::{DataType, FieldRef, Object, ObjectLike as _, PathId, Ref, Str, Value, with_stack};

use super::Docsifier;
use crate::analysis::size::is_endless;
use crate::error::{DocsifyError, DocsifyResult};
use crate::metadata::Metadata;
use crate::table::Handler;
use crate::words;

impl Docsifier<'_> {
    /// Prints a node by the rule of the current token, else the default rule, else as a reference into the metadata
    /// section.
    ///
    /// # Errors
    /// Errors of the handler, or a full arena.
    pub fn doc(&mut self, object: &Object, path: PathId) -> DocsifyResult<Doc> {
        self.nested(|d| match d.dispatch.handler(object.info()) {
            // The handler writes its result in place: copying it right after its fields were written stalls on the
            // pending stores.
            Some(handler) if !d.tracks_paths_at(path) => handler(object, path, d),
            handler => d.decorated(object, path, handler),
        })
    }

    /// Runs one level of a recursive print. A printer that descends into parts without [`Docsifier::doc`] calls this
    /// for each of them: a graph with shared parts may unfold to more docs than fit, or be deeper than the stack.
    ///
    /// # Errors
    /// A full arena, or errors of `f`.
    #[inline]
    pub fn nested<R>(&mut self, f: impl FnOnce(&mut Self) -> DocsifyResult<R>) -> DocsifyResult<R> {
        self.docs.check()?;
        if self.docs.doc_count() > self.next_size_check {
            self.check_size()?;
        }
        with_stack(|| f(self))
    }

    /// Checks the unfolded size of the root once the print has many docs, so that a print over the limits fails early.
    #[cold]
    fn check_size(&mut self) -> DocsifyResult<()> {
        // Docs made on a wrong assumption are not used.
        if self.assumed_wrongly {
            return Err(DocError::Full { limit: self.config.max_docs }.into());
        }
        self.next_size_check = usize::MAX;
        match is_endless(&self.root, self.config.max_docs) {
            true => Err(DocError::Full { limit: self.config.max_docs }.into()),
            false => Ok(()),
        }
    }

    fn decorated(&mut self, object: &Object, path: PathId, handler: Option<&Handler>) -> DocsifyResult<Doc> {
        if let Some(callback) = &self.config.on_node {
            callback.call(object, path, self);
        }
        let doc = match handler {
            Some(handler) => handler(object, path, self)?,
            None => self.container(object, path)?.into(),
        };
        if self.tracks_paths_at(path) {
            self.decorate(object, doc, path);
        }
        Ok(doc)
    }

    /// Prints a node that is an expression.
    ///
    /// # Errors
    /// [`DocsifyError::NotAnExpression`], or errors of the handler.
    #[inline]
    pub fn expr_object(&mut self, object: &Object, path: PathId) -> DocsifyResult<ExprDoc> {
        match self.doc(object, path)? {
            Doc::Expr(doc) => Ok(doc),
            _ => Err(DocsifyError::NotAnExpression { key: object.info().display_key() }.into()),
        }
    }

    /// As [`Docsifier::expr_object`], for a typed handle.
    ///
    /// # Errors
    /// As [`Docsifier::expr_object`].
    #[inline]
    pub fn expr<T: ?Sized>(&mut self, node: &Ref<T>, path: PathId) -> DocsifyResult<ExprDoc> {
        self.expr_object(node.object(), path)
    }

    /// Prints any value.
    ///
    /// # Errors
    /// As [`Docsifier::expr_object`].
    pub fn value(&mut self, value: &Value, path: PathId) -> DocsifyResult<ExprDoc> {
        let doc = match value {
            Value::None => self.docs.none(),
            Value::Bool(b) => self.docs.bool(*b),
            Value::Int(i) => self.docs.int(*i),
            Value::Float(f) if f.is_finite() => self.docs.float(*f),
            Value::Float(f) => self.not_finite(*f),
            Value::DType(d) => self.dtype(*d),
            Value::Node(object) => return self.expr_object(object, path),
        };
        if self.tracks_paths_at(path) {
            self.docs.add_path(doc, path);
        }
        Ok(doc)
    }

    /// `float("inf")`: the literal alone would read as a string.
    fn not_finite(&mut self, value: f64) -> ExprDoc {
        let text = self.docs.float(value);
        let callee = self.word(words::FLOAT);
        self.docs.call_args(callee, &[text])
    }

    /// Runs `f` where the parser takes plain numbers and strings as they are, so that literal nodes must print their
    /// types.
    pub fn typed<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R {
        let before = std::mem::replace(&mut self.typed, true);
        let result = f(self);
        self.typed = before;
        result
    }

    /// Returns `true` if literal nodes must print their types ([`Docsifier::typed`]).
    pub fn is_typed(&self) -> bool {
        self.typed
    }

    /// Runs `f` in a place where the parser follows Python's rules, such as the body of a lambda or quoted text: a number on
    /// the left of a comparison swaps its sides.
    pub fn as_python<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R {
        let before = std::mem::replace(&mut self.follows_python, true);
        let result = f(self);
        self.follows_python = before;
        result
    }

    /// Runs `f` for the value of a keyword argument, which follows Python's rules in some releases.
    #[inline]
    pub fn keyword_value<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R {
        match self.syntax().keywords_follow_python {
            true => self.as_python(f),
            false => f(self),
        }
    }

    /// Returns `true` where the parser follows Python's rules ([`Docsifier::as_python`]).
    #[inline]
    pub fn follows_python(&self) -> bool {
        self.follows_python
    }

    /// Returns `true` if the text is for Python code around scripts ([`PrinterConfig::host_code`](crate::PrinterConfig::host_code)).
    #[inline]
    pub fn is_host_code(&self) -> bool {
        self.config.host_code
    }

    /// Prints a node as data, which the parser does not convert: the bare name of a function is then that function, not
    /// the node that calling it makes.
    ///
    /// # Errors
    /// As [`Docsifier::expr_object`].
    pub fn expr_as_data(&mut self, object: &Object, path: PathId) -> DocsifyResult<ExprDoc> {
        let before = self.data.replace(object.address());
        let result = self.expr_object(object, path);
        self.data = before;
        result
    }

    /// Returns `true` if the node is the printed root.
    pub fn is_root(&self, object: &Object) -> bool {
        self.root.ptr_eq(object)
    }

    /// Returns `true` if the node is an element of data ([`Docsifier::expr_as_data`]).
    pub fn is_data(&self, object: &Object) -> bool {
        self.data == Some(object.address())
    }

    /// Returns `true` if the node is the root or an element of data, so that its text must tell its type.
    pub fn is_alone(&self, object: &Object) -> bool {
        self.is_root(object) || self.is_data(object)
    }

    /// Returns `true` if the node is an item of the root, which is an array of statements: its text is among theirs and
    /// has no scope of its own.
    pub fn is_item(&self, object: &Object) -> bool {
        self.item == Some(object.address())
    }

    /// The node that a function without arguments makes: the function's bare name, or a call of it in data
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

    /// Prints strings, arrays and maps; any other node becomes a reference into the metadata section.
    fn container(&mut self, object: &Object, path: PathId) -> DocsifyResult<ExprDoc> {
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
    /// As [`Docsifier::expr_object`].
    pub fn values(&mut self, values: &[Value], path: PathId) -> DocsifyResult<Vec<ExprDoc>> {
        values
            .iter()
            .enumerate()
            .map(|(i, value)| {
                let path = self.item(path, i);
                self.value(value, path)
            })
            .collect()
    }

    /// A dictionary; keys are sorted if all are strings.
    fn map(&mut self, map: &MapNode, path: PathId) -> DocsifyResult<ExprDoc> {
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

    /// A reference to a node without text, which is added to the metadata section. In host code, a call that loads the
    /// node.
    pub fn metadata(&mut self, object: &Object) -> ExprDoc {
        let format = &self.syntax().metadata;
        let registry = self.registry;
        if self.is_host_code()
            && let Ok(json) = (format.save)(&Value::Node(object.clone()), registry)
        {
            let mut names = format.loader.split('.');
            let package = self.docs.id(names.next().unwrap_or_default());
            let loader = names.fold(package, |doc, name| self.docs.attr(doc, name));
            let json = self.docs.str(json.as_str());
            return self.docs.call_args(loader, &[json]);
        }
        let (key, index) = self.metadata.add(object, |key| (format.type_key)(key, registry));
        self.metadata_reference(&key, index as i64)
    }

    /// A reference to a place of a metadata section that the program does not have. The text cannot have another section.
    pub fn omitted_metadata(&mut self, key: &Str, index: i64) -> ExprDoc {
        self.metadata.lacks_section = true;
        self.metadata_reference(key, index)
    }

    fn metadata_reference(&mut self, key: &Str, index: i64) -> ExprDoc {
        let variable = self.syntax().metadata.variable;
        let base = self.word(variable);
        let key = self.docs.str(key.as_str());
        let list = self.docs.index(base, &[key]);
        let index = self.docs.int(index);
        self.docs.index(list, &[index])
    }

    pub(crate) fn metadata_section(&self) -> &Metadata {
        &self.metadata
    }
}

/// An owned copy of a field's value, for handlers of types declared at run time.
pub fn field_value(object: &Object, name: &str) -> Option<Value> {
    let index = object.info().field_index(name)?;
    Some(match object.field(index) {
        FieldRef::Node(o) => Value::Node(o.clone()),
        other => other.to_value(),
    })
}

/// The text of a string node.
pub fn text_of(object: &Object) -> Option<&str> {
    Str::try_ref(object).map(Str::as_str)
}

//! Plain printers: fields with their paths, and printers that need no code.
//!
//! [`fields!`](crate::fields) takes a node apart and gives each field its access path; the compiler checks the names and
//! that none is left out. [`printers!`](crate::printers) declares printers that are one line: a call with the fields as
//! arguments, an index, a name.
//!
//! ```
//! use tvmscript_docsifier::{DocsifyDialect, PrinterConfig, print, printers};
//! use tvmscript_ir_core::{Array, Dialect, Node, Object, Ref, RegistryBuilder, Str};
//!
//! #[derive(Debug, Clone, Node)]
//! #[node(key = "doc.Name")]
//! struct Name {
//!     text: Str,
//! }
//!
//! #[derive(Debug, Clone, Node)]
//! #[node(key = "doc.Sum")]
//! struct Sum {
//!     terms: Array<Ref<Name>>,
//!     scale: i64,
//! }
//!
//! printers! {
//!     in "doc";
//!     /// `x`
//!     fn name(Name { text }) = id text;
//!     /// `doc.sum(x, y, scale=2)`
//!     fn sum(Sum { terms, scale }) = call sum(*terms, scale = scale);
//! }
//!
//! let dialect =
//!     Dialect::new("doc").alias("doc").node::<Name>().docsify(name).node::<Sum>().docsify(sum).finish();
//! let registry = RegistryBuilder::new().with(dialect).build()?;
//! let terms = ["x", "y"].map(|text| Ref::new(Name { text: Str::new(text) })).into_iter().collect();
//! let node = Object::from(Ref::new(Sum { terms, scale: 2 }));
//! assert_eq!(print(&node, &registry, &PrinterConfig::default())?, "doc.sum(x, y, scale=2)");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::ops::Deref;

use tvmscript_doc::{ExprDoc, FunctionParts, StmtDoc, StmtList};
use tvmscript_ir_core::{Array, Class, DataType, Object, ObjectLike, PathId, Ref, Str};

use crate::docsifier::Docsifier;
use crate::error::{DocsifyError, DocsifyResult};
use crate::frame::Frame;
use crate::names::is_wide_identifier;
use crate::script::script;

/// A field of a node, with its access path. [`fields!`](crate::fields) makes them.
#[derive(Debug)]
pub struct NodeField<'n, T> {
    /// The value.
    pub value: &'n T,
    /// The path of the field.
    pub path: PathId,
}

impl<T> Clone for NodeField<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for NodeField<'_, T> {}

impl<T> Deref for NodeField<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        self.value
    }
}

/// A value that prints as an expression: nodes, literals, and lists and optional values of them.
pub trait PrintField {
    /// Prints the value at a path.
    ///
    /// # Errors
    /// Errors of the printers of nodes.
    fn print_field(&self, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc>;
}

macro_rules! literal {
    ($($kind:ty: |$value:ident, $d:ident| $doc:expr;)*) => {$(
        impl PrintField for $kind {
            fn print_field(&self, path: PathId, $d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
                let $value = self;
                let doc = $doc;
                Ok($d.at(doc, path))
            }
        }
    )*};
}
literal! {
    bool: |value, d| d.docs.bool(*value);
    i64: |value, d| d.docs.int(*value);
    f64: |value, d| d.docs.float(*value);
    Str: |value, d| d.docs.str(value.as_str());
    DataType: |value, d| d.dtype(*value);
}

impl<T: ?Sized> PrintField for Ref<T> {
    fn print_field(&self, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
        d.expr(self, path)
    }
}

impl PrintField for Object {
    fn print_field(&self, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
        d.expr_object(self, path)
    }
}

impl<T: PrintField> PrintField for Option<T> {
    fn print_field(&self, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
        match self {
            Some(value) => value.print_field(path, d),
            None => {
                let doc = d.docs.none();
                Ok(d.at(doc, path))
            }
        }
    }
}

impl<T: PrintField + ObjectLike> PrintField for Array<T> {
    fn print_field(&self, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
        let items = d.print_items(NodeField { value: self, path })?;
        let doc = d.docs.list(&items);
        Ok(d.at(doc, path))
    }
}

impl Docsifier<'_> {
    /// Prints the value of a field.
    ///
    /// # Errors
    /// Errors of the printers of nodes.
    pub fn print_field<T: PrintField>(&mut self, field: NodeField<'_, T>) -> DocsifyResult<ExprDoc> {
        field.value.print_field(field.path, self)
    }

    /// Prints the elements of a field.
    ///
    /// # Errors
    /// Errors of the printers of nodes.
    pub fn print_items<T: PrintField + ObjectLike>(
        &mut self,
        field: NodeField<'_, Array<T>>,
    ) -> DocsifyResult<Vec<ExprDoc>> {
        let mut docs = Vec::with_capacity(field.len());
        for (index, item) in field.value.iter().enumerate() {
            let path = self.item(field.path, index);
            docs.push(item.print_field(path, self)?);
        }
        Ok(docs)
    }

    /// Appends the statements of a field to the innermost frame.
    ///
    /// # Errors
    /// Errors of their printers.
    pub fn push_field<T: ObjectLike>(&mut self, field: NodeField<'_, Array<T>>) -> DocsifyResult<()> {
        for (index, stmt) in field.value.iter().enumerate() {
            let path = self.item(field.path, index);
            let doc = self.doc(stmt.as_object(), path)?;
            self.push_doc(doc);
        }
        Ok(())
    }

    /// Runs `f` in a frame for the names of a node's scope; returns its result and the statements of the frame.
    ///
    /// # Errors
    /// Errors of `f`.
    pub fn in_scope<R>(
        &mut self,
        node: &Object,
        f: impl FnOnce(&mut Self) -> DocsifyResult<R>,
    ) -> DocsifyResult<(R, Vec<StmtDoc>)> {
        self.with_frame(Frame::new(Some(node.clone()), ()), f)
    }

    /// Prints `variable = value`. The name lives in the frame with all uses of the variable, as in Python, where inner
    /// scopes do not end names. `hint` names variables without a name.
    ///
    /// # Errors
    /// [`DocsifyError::Unwritable`] if the variable is used or bound before.
    pub fn bind_field<T: Class>(
        &mut self,
        variable: NodeField<'_, Ref<T>>,
        hint: &str,
        value: ExprDoc,
    ) -> DocsifyResult<StmtDoc> {
        let object = variable.object();
        let hint = hint_of(object, hint);
        if self.is_defined(object) {
            let reason = format!("`{hint}` is used or bound before this statement");
            return Err(DocsifyError::unwritable(object, reason));
        }
        let frame = self.frame_of_free(object).unwrap_or(self.frame_count().saturating_sub(1));
        let name = self.in_frame(frame, |d| d.define(object, hint))?;
        let name = self.at(name, variable.path);
        Ok(self.docs.bind(name, value))
    }

    /// Defines the variables of a field as parameters `name: annotation` of a function.
    ///
    /// # Errors
    /// Errors of the annotation, and of [`Docsifier::define`].
    pub fn define_parameters<T: Class>(
        &mut self,
        variables: NodeField<'_, Array<Ref<T>>>,
        hint: &str,
        mut annotation: impl FnMut(&mut Self) -> DocsifyResult<ExprDoc>,
    ) -> DocsifyResult<Vec<StmtDoc>> {
        let mut parameters = Vec::with_capacity(variables.len());
        for (index, variable) in variables.value.iter().enumerate() {
            let name = self.define(variable.object(), hint_of(variable.object(), hint))?;
            let path = self.item(variables.path, index);
            let name = self.at(name, path);
            let annotation = annotation(self)?;
            parameters.push(self.docs.assign(name, None, Some(annotation))?);
        }
        Ok(parameters)
    }

    /// Prints a decorated function as a script, with the header of the text. As a member of another script, it has the
    /// name that it is bound to.
    ///
    /// # Errors
    /// [`DocsifyError::Unwritable`] if the name is not an identifier.
    pub fn script_function(
        &mut self,
        node: &Object,
        name: NodeField<'_, Str>,
        decorator: ExprDoc,
        parameters: &[StmtDoc],
        body: &[StmtDoc],
    ) -> DocsifyResult<StmtList> {
        let signature = Signature { decorator, parameters, returns: None, has_header: true };
        self.script_function_of(node, name, signature, body)
    }

    /// As [`Docsifier::script_function`], with a return type.
    ///
    /// # Errors
    /// As [`Docsifier::script_function`].
    pub fn script_function_of(
        &mut self,
        node: &Object,
        name: NodeField<'_, Str>,
        signature: Signature<'_>,
        body: &[StmtDoc],
    ) -> DocsifyResult<StmtList> {
        let Signature { decorator, parameters, returns, has_header } = signature;
        if !is_wide_identifier(&name) {
            let reason = format!("`{}` is not a name of a function", *name);
            return Err(DocsifyError::unwritable(node, reason));
        }
        let printed = match self.binding_name() {
            Some(bound) => self.docs.id(bound),
            None => self.docs.id(name.as_str()),
        };
        let name = self.at(printed, name.path);
        let decorators = &[decorator];
        let parts = FunctionParts { name, args: parameters, decorators, return_type: returns, body };
        let function = self.docs.function(parts)?;
        if !has_header {
            let mut stmts = self.take_declarations();
            stmts.push(function);
            return Ok(self.docs.block(&stmts));
        }
        script(self, function)
    }

    /// Prints a use of a variable. One that no statement binds is declared first, as `variable = declaration`. `hint`
    /// names variables without a name.
    ///
    /// # Errors
    /// [`DocsifyError::Undeclared`] if no open frame can declare it.
    pub fn variable(
        &mut self,
        variable: &Object,
        hint: &str,
        declaration: impl FnOnce(&mut Self) -> ExprDoc,
    ) -> DocsifyResult<ExprDoc> {
        if let Some(name) = self.defined_doc(variable)? {
            return Ok(name);
        }
        let hint = hint_of(variable, hint);
        self.declare_free(variable, hint, |d| {
            let name = d.define(variable, hint)?;
            let value = declaration(d);
            let stmt = d.docs.bind(name, value);
            d.push_stmt(stmt);
            Ok(())
        })?;
        let name = self.defined_doc(variable)?;
        name.ok_or_else(|| DocsifyError::Undeclared { name: hint.to_owned() }.into())
    }
}

/// The name of a node, or another one if it has none.
fn hint_of<'n>(node: &'n Object, other: &'n str) -> &'n str {
    node.name_cell().map_or(other, |name| name.written_or(other))
}

/// The head of a function, for [`Docsifier::script_function_of`].
#[derive(Debug, Clone, Copy)]
pub struct Signature<'a> {
    /// The decorator, without the `@`.
    pub decorator: ExprDoc,
    /// Parameters, each made by [`DocArena::assign`](crate::doc::DocArena::assign).
    pub parameters: &'a [StmtDoc],
    /// The return type.
    pub returns: Option<ExprDoc>,
    /// `true` if the text begins with the lines that import the prefixes.
    pub has_header: bool,
}

/// Takes a node apart: binds each field as a [`NodeField`] with its path below the node's. Every field has to be named;
/// `field: _` leaves one out, such as the span.
///
/// ```
/// use tvmscript_docsifier::doc::ExprDoc;
/// use tvmscript_docsifier::{Docsifier, DocsifyResult, fields};
/// use tvmscript_ir_core::{Node, PathId, Ref, Span};
///
/// #[derive(Debug, Clone, Node)]
/// #[node(key = "doc.Pair")]
/// struct Pair {
///     first: i64,
///     second: i64,
///     span: Span,
/// }
///
/// fn pair(node: &Ref<Pair>, path: PathId, d: &mut Docsifier) -> DocsifyResult<ExprDoc> {
///     fields!(d, path, node => Pair { first, second, span: _ });
///     let (first, second) = (d.print_field(first)?, d.print_field(second)?);
///     Ok(d.docs.tuple(&[first, second]))
/// }
/// ```
#[macro_export]
macro_rules! fields {
    (@bind $d:ident, $path:expr, $field:ident) => {
        let $field = $crate::NodeField { value: $field, path: $d.field($path, stringify!($field)) };
    };
    (@bind $d:ident, $path:expr, $field:ident, $skipped:tt) => {};
    ($d:ident, $path:expr, $node:ident => $class:ident { $($field:ident $(: $skipped:tt)?),* $(,)? }) => {
        let $class { $($field $(: $skipped)?),* } = &**$node;
        $($crate::fields!(@bind $d, $path, $field $(, $skipped)?);)*
    };
}

/// Declares printers of one line: functions for [`DocsifyDialect::docsify`](crate::DocsifyDialect::docsify).
///
/// The first line names the dialect whose prefix calls have: `in "toy";`. Each printer takes a node apart as
/// [`fields!`](crate::fields) does, and prints one of
///
/// | form | text |
/// |---|---|
/// | `call name(a, *b, key = c)` | the expression `Toy.name(a, b.., key=c)` |
/// | `do name(a)` | the statement `Toy.name(a)` |
/// | `index a[b]` | `a[b]` |
/// | `id a` | a name |
/// | `literal a` | a number, string or list |
#[macro_export]
macro_rules! printers {
    (
        in $dialect:expr;
        $(
            $(#[$meta:meta])*
            $vis:vis fn $name:ident($class:ident { $($field:ident $(: $skipped:tt)?),* $(,)? })
                = $form:ident $head:ident $(($($args:tt)*))? $([$($index:tt)*])?;
        )*
    ) => {$(
        $(#[$meta])*
        $vis fn $name(
            node: &$crate::__private::Ref<$class>,
            path: $crate::doc::PathId,
            d: &mut $crate::Docsifier<'_>,
        ) -> $crate::DocsifyResult<$crate::__printer!(@type $form)> {
            $crate::fields!(d, path, node => $class { $($field $(: $skipped)?),* });
            $crate::__printer!(@$form d, $dialect, $head $(($($args)*))? $([$($index)*])?)
        }
    )*};
}

/// The bodies of [`printers!`](crate::printers).
#[doc(hidden)]
#[macro_export]
macro_rules! __printer {
    (@type do) => { $crate::doc::StmtDoc };
    (@type $form:ident) => { $crate::doc::ExprDoc };
    (@call $d:ident, $dialect:expr, $name:ident ($($args:tt)*)) => {{
        #[allow(unused_mut)]
        let (mut args, mut keywords): (Vec<$crate::doc::ExprDoc>, Vec<(&str, $crate::doc::ExprDoc)>) =
            (Vec::new(), Vec::new());
        $crate::__printer!(@args $d, args, keywords, $($args)*);
        let callee = $d.prefixed($dialect, stringify!($name));
        Ok($d.docs.call(callee, &args, &keywords))
    }};
    (@do $d:ident, $dialect:expr, $name:ident $args:tt) => {{
        let call: $crate::DocsifyResult<$crate::doc::ExprDoc> = $crate::__printer!(@call $d, $dialect, $name $args);
        call.map(|call| $d.docs.expr_stmt(call))
    }};
    (@index $d:ident, $dialect:expr, $base:ident [$($index:ident),+ $(,)?]) => {{
        let base = $d.print_field($base)?;
        let indices = [$($d.print_field($index)?),+];
        Ok($d.docs.index(base, &indices))
    }};
    (@id $d:ident, $dialect:expr, $name:ident) => {{
        let name = $d.docs.id($name.as_str());
        Ok($d.at(name, $name.path))
    }};
    (@literal $d:ident, $dialect:expr, $field:ident) => {
        $d.print_field($field)
    };
    (@args $d:ident, $args:ident, $keywords:ident, $(,)?) => {};
    (@args $d:ident, $args:ident, $keywords:ident, * $field:ident $(, $($rest:tt)*)?) => {
        $args.extend($d.print_items($field)?);
        $crate::__printer!(@args $d, $args, $keywords, $($($rest)*)?);
    };
    (@args $d:ident, $args:ident, $keywords:ident, $key:ident = $field:ident $(, $($rest:tt)*)?) => {
        $keywords.push((stringify!($key), $d.print_field($field)?));
        $crate::__printer!(@args $d, $args, $keywords, $($($rest)*)?);
    };
    (@args $d:ident, $args:ident, $keywords:ident, $field:ident $(, $($rest:tt)*)?) => {
        $args.push($d.print_field($field)?);
        $crate::__printer!(@args $d, $args, $keywords, $($($rest)*)?);
    };
}

//! The printer table, (dispatch token, type) to handler, and the methods by which dialects fill it.

use std::panic::Location;
use std::sync::Arc;

use tvmscript_doc::{Doc, ExprDoc, SliceDoc, StmtDoc, StmtList};
use tvmscript_ir_core::containers::{ArrayNode, MapNode};
use tvmscript_ir_core::registry::RegistrationSite;
use tvmscript_ir_core::vectors::entry;
use tvmscript_ir_core::{Class, Dialect, Object, PathId, Ref, Resolver, Slot, Token, TypeInfo, Value};

use crate::analysis::Role;
use crate::docsifier::Docsifier;
use crate::error::DocsifyResult;
use crate::frame::Frame;
use crate::options::PrinterOption;

/// Prints one node.
pub(crate) type Handler =
    Arc<dyn Fn(&Object, PathId, &mut Docsifier<'_>) -> DocsifyResult<Doc> + Send + Sync>;

/// The result type of a printer: any doc, or always one kind.
pub trait Printed: Sized {
    /// `true` if the node never opens a scope, because its doc is part of an expression.
    const IS_EXPR: bool;
    /// Converts the result to one of any doc.
    fn printed(result: DocsifyResult<Self>) -> DocsifyResult<Doc>;
}

impl Printed for Doc {
    const IS_EXPR: bool = false;
    // Not `map`, which would copy each result right after its fields were written.
    #[inline(always)]
    fn printed(result: DocsifyResult<Doc>) -> DocsifyResult<Doc> {
        result
    }
}

macro_rules! printed {
    ($($kind:ty: $is_expr:expr),*) => {$(
        impl Printed for $kind {
            const IS_EXPR: bool = $is_expr;
            #[inline(always)]
            fn printed(result: DocsifyResult<$kind>) -> DocsifyResult<Doc> {
                result.map(Doc::from)
            }
        }
    )*};
}
printed!(ExprDoc: true, SliceDoc: true, StmtDoc: false, StmtList: false);

/// Prints a value that the parser does not convert: a literal node must not print as a plain number.
pub type DataPrinter = fn(&Value, PathId, &mut Docsifier<'_>) -> DocsifyResult<ExprDoc>;

/// Prints a map that stands alone; `None` for one that is a dictionary.
pub type MapPrinter = fn(&Object, &mut Docsifier<'_>) -> DocsifyResult<Option<Doc>>;

/// Creates the frame around a node that is printed alone.
pub type RootFrame = fn(&Object) -> Frame;

#[derive(Clone)]
struct HandlerEntry {
    handler: Handler,
    opens_scope: bool,
    place: RegistrationSite,
}

/// The printers and the root frame under one token.
#[derive(Default, Clone)]
struct TokenEntry {
    root: Option<RootFrame>,
    handlers: Vec<Option<Handler>>,
}

/// The printers of all dialects.
#[derive(Default, Clone)]
pub struct PrinterTable {
    tokens: Vec<TokenEntry>,
    /// By type, the token under which a node prints as the root.
    root_tokens: Vec<Option<Token>>,
    prefixes: Vec<(&'static str, &'static str)>,
    variables: Vec<&'static TypeInfo>,
    words: Vec<&'static str>,
    /// By type, `true` if a printer returns anything but an expression.
    scopes: Vec<bool>,
    options: Vec<&'static PrinterOption>,
    data: Option<DataPrinter>,
    map: Option<MapPrinter>,
    /// By type, the field whose span is shown in place of the node's.
    span_fields: Vec<Option<&'static str>>,
}

impl std::fmt::Debug for PrinterTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(&self.prefixes).finish()
    }
}

impl PrinterTable {
    /// Dialects and their prefixes, in order of registration.
    pub fn prefixes(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.prefixes.iter().copied()
    }

    /// Printer options of all dialects, in order of registration.
    pub fn options(&self) -> impl Iterator<Item = &'static PrinterOption> {
        self.options.iter().copied()
    }

    /// The role of a type in the analysis of scopes.
    pub(crate) fn role(&self, info: &'static TypeInfo) -> Role {
        if self.opens_scope(info) {
            return Role::Scope;
        }
        match self.is_variable(info) {
            true => Role::Variable,
            false => Role::Other,
        }
    }

    /// Returns `true` for variables, whatever their role.
    pub(crate) fn is_variable(&self, info: &TypeInfo) -> bool {
        self.variables.iter().any(|variable| info.is_a(variable))
    }

    /// Words that dialects use without a prefix.
    pub(crate) fn words(&self) -> &[&'static str] {
        &self.words
    }

    pub(crate) fn handler(&self, token: Token, info: &TypeInfo) -> Option<&Handler> {
        let find = |token: Token| self.tokens.get(token.index())?.handlers.get(info.index())?.as_ref();
        find(token).or_else(|| if token == Token::DEFAULT { None } else { find(Token::DEFAULT) })
    }

    /// The field whose span is shown for a node of this type.
    pub(crate) fn span_field(&self, info: &TypeInfo) -> Option<&'static str> {
        self.span_fields.get(info.index()).copied().flatten()
    }

    /// The printer of containers that stand alone.
    pub(crate) fn data(&self) -> Option<DataPrinter> {
        self.data
    }

    /// The printer of maps that stand alone.
    pub(crate) fn map(&self) -> Option<MapPrinter> {
        self.map
    }

    /// Returns `true` if nodes of this type print as anything but an expression.
    pub(crate) fn opens_scope(&self, info: &TypeInfo) -> bool {
        self.scopes.get(info.index()).copied().unwrap_or_default()
    }

    /// The frame around roots under a token.
    pub(crate) fn root_frame(&self, token: Token) -> Option<RootFrame> {
        self.tokens.get(token.index())?.root
    }

    /// The token under which a root prints; for a container that of its first node.
    pub(crate) fn root_token(&self, object: &Object) -> Token {
        let mut at = object.clone();
        loop {
            if let Some(root_token) = self.root_tokens.get(at.info().index()).copied().flatten() {
                return root_token;
            }
            let first = match (at.as_node::<ArrayNode>(), at.as_node::<MapNode>()) {
                (Some(array), _) => array.items().iter().find_map(|item| item.as_object().cloned()),
                (_, Some(map)) => map.entries().values().find_map(|item| item.as_object().cloned()),
                _ => None,
            };
            match first {
                Some(first) => at = first,
                None => return Token::DEFAULT,
            }
        }
    }

    /// The token and the frame for a root.
    pub(crate) fn root(&self, object: &Object) -> (Token, Option<Frame>) {
        let root_token = self.root_token(object);
        (root_token, self.root_frame(root_token).map(|make| make(object)))
    }
}

/// Registrations of one dialect, and the table they resolve to.
#[derive(Default, Clone)]
pub struct Printers {
    handlers: Vec<(&'static str, &'static TypeInfo, HandlerEntry)>,
    root_tokens: Vec<(&'static TypeInfo, &'static str)>,
    prefixes: Vec<(&'static str, &'static str, RegistrationSite)>,
    roots: Vec<(&'static str, RootFrame, RegistrationSite)>,
    options: Vec<(&'static [PrinterOption], RegistrationSite)>,
    variables: Vec<&'static TypeInfo>,
    words: Vec<&'static str>,
    data: Option<(DataPrinter, RegistrationSite)>,
    map: Option<(MapPrinter, RegistrationSite)>,
    span_fields: Vec<(&'static TypeInfo, &'static str)>,
    table: PrinterTable,
}

impl std::fmt::Debug for Printers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Printers").field("handlers", &self.handlers.len()).finish_non_exhaustive()
    }
}

impl Printers {
    /// The resolved table.
    pub fn table(&self) -> &PrinterTable {
        &self.table
    }
}

impl Slot for Printers {
    fn merge(&mut self, other: Printers, resolver: &mut Resolver) {
        let table = &mut self.table;
        for (dialect, prefix, place) in other.prefixes {
            let is_new = resolver.claim(format!("a prefix of `{dialect}`"), place);
            if is_new && resolver.claim(format!("the prefix `{prefix}`"), place) {
                table.prefixes.push((dialect, prefix));
            }
        }
        if let Some((print, place)) = other.data
            && resolver.claim("the printer of data", place)
        {
            table.data = Some(print);
        }
        if let Some((print, place)) = other.map
            && resolver.claim("the printer of maps", place)
        {
            table.map = Some(print);
        }
        for (options, place) in other.options {
            for option in options {
                if resolver.claim(format!("the printer's option `{}`", option.name), place) {
                    table.options.push(option);
                }
            }
        }
        for (name, make, place) in other.roots {
            let token = resolver.token(name);
            if resolver.claim(format!("the root frame of `{name}`"), place) {
                entry(&mut table.tokens, token.index()).root = Some(make);
            }
        }
        table.variables.extend(other.variables);
        table.words.extend(other.words);
        for (info, field) in other.span_fields {
            *entry(&mut table.span_fields, info.index()) = Some(field);
        }
        for (info, name) in other.root_tokens {
            entry(&mut table.root_tokens, info.index()).get_or_insert(resolver.token(name));
        }
        for (name, info, HandlerEntry { handler, opens_scope, place }) in other.handlers {
            let token = resolver.token(name);
            if resolver.claim(format!("the printer of `{}` under the token `{name}`", info.key()), place) {
                *entry(&mut entry(&mut table.tokens, token.index()).handlers, info.index()) = Some(handler);
                *entry(&mut table.scopes, info.index()) |= opens_scope;
            }
        }
    }
}

/// Printer registrations of a dialect.
pub trait DocsifyDialect: Sized {
    /// The node registered last.
    type Node: 'static;

    /// Prints the last node under every token without a rule of its own. As the root, the node prints under this
    /// dialect's token.
    fn docsify<D: Printed>(
        self,
        handler: impl Fn(&Ref<Self::Node>, PathId, &mut Docsifier<'_>) -> DocsifyResult<D> + Send + Sync + 'static,
    ) -> Self
    where
        Self::Node: Class;

    /// Prints the last node under one token only.
    fn docsify_under<D: Printed>(
        self,
        token: &'static str,
        handler: impl Fn(&Ref<Self::Node>, PathId, &mut Docsifier<'_>) -> DocsifyResult<D> + Send + Sync + 'static,
    ) -> Self
    where
        Self::Node: Class;

    /// Makes this dialect's token the one under which the last node prints as the root.
    fn root_token(self) -> Self
    where
        Self::Node: Class;

    /// Marks the last node as a variable, whose uses the analysis of scopes records.
    ///
    /// [`Docsifier::frame_of_free`], [`Docsifier::declare_free`], [`Docsifier::may_define`] and
    /// [`Docsifier::declare_outside`] need the uses. Without the mark, a node without children has none: it can only be
    /// declared in a frame that declares free variables ([`Frame::fragment`]), and any scope may define it. The mark
    /// does not declare or print anything; the node's printer does.
    fn variable(self) -> Self
    where
        Self::Node: Class;

    /// Shows the span of this field, if known, where the statement of the last node shows a span.
    fn span_of_field(self, field: &'static str) -> Self
    where
        Self::Node: Class;

    /// Marks a type without a Rust struct as a variable ([`DocsifyDialect::variable`]).
    fn variable_info(self, info: &'static TypeInfo) -> Self;

    /// Prints nodes of a type without a Rust struct.
    fn docsify_info<D: Printed>(
        self,
        info: &'static TypeInfo,
        handler: impl Fn(&Object, PathId, &mut Docsifier<'_>) -> DocsifyResult<D> + Send + Sync + 'static,
    ) -> Self;

    /// Prints nodes of a type without a Rust struct, under one token only.
    fn docsify_info_under<D: Printed>(
        self,
        token: &'static str,
        info: &'static TypeInfo,
        handler: impl Fn(&Object, PathId, &mut Docsifier<'_>) -> DocsifyResult<D> + Send + Sync + 'static,
    ) -> Self;

    /// Sets the prefix of the dialect's names (`T`).
    fn alias(self, prefix: &'static str) -> Self;

    /// Registers names that the dialect's text uses without a prefix, such as `range` ([`Docsifier::word`]). Variables
    /// in scope of a use are renamed.
    fn words(self, words: &'static [&'static str]) -> Self;

    /// Sets the frame around a node of this dialect that is printed alone.
    fn root_frame(self, make: RootFrame) -> Self;

    /// Sets the printer of arrays and maps that stand alone, for elements of any dialect.
    fn data_printer(self, print: DataPrinter) -> Self;

    /// Sets the printer of maps that stand alone and whose values are no expressions, such as functions by name.
    fn map_printer(self, print: MapPrinter) -> Self;

    /// Adds printer options.
    fn printer_options(self, options: &'static [PrinterOption]) -> Self;
}

impl<N: 'static> DocsifyDialect for Dialect<N> {
    type Node = N;

    #[track_caller]
    fn docsify<D: Printed>(
        self,
        handler: impl Fn(&Ref<N>, PathId, &mut Docsifier<'_>) -> DocsifyResult<D> + Send + Sync + 'static,
    ) -> Self
    where
        N: Class,
    {
        self.root_token().docsify_under("", handler)
    }

    #[track_caller]
    fn docsify_under<D: Printed>(
        mut self,
        token: &'static str,
        handler: impl Fn(&Ref<N>, PathId, &mut Docsifier<'_>) -> DocsifyResult<D> + Send + Sync + 'static,
    ) -> Self
    where
        N: Class,
    {
        let entry =
            HandlerEntry { handler: erase(handler), opens_scope: !D::IS_EXPR, place: Location::caller() };
        self.slot_mut::<Printers>().handlers.push((token, N::type_info(), entry));
        self
    }

    fn span_of_field(mut self, field: &'static str) -> Self
    where
        N: Class,
    {
        self.slot_mut::<Printers>().span_fields.push((N::type_info(), field));
        self
    }

    fn root_token(mut self) -> Self
    where
        N: Class,
    {
        let root_token = self.name();
        self.slot_mut::<Printers>().root_tokens.push((N::type_info(), root_token));
        self
    }

    fn variable(mut self) -> Self
    where
        N: Class,
    {
        self.slot_mut::<Printers>().variables.push(N::type_info());
        self
    }

    fn variable_info(mut self, info: &'static TypeInfo) -> Self {
        self.slot_mut::<Printers>().variables.push(info);
        self
    }

    #[track_caller]
    fn docsify_info<D: Printed>(
        mut self,
        info: &'static TypeInfo,
        handler: impl Fn(&Object, PathId, &mut Docsifier<'_>) -> DocsifyResult<D> + Send + Sync + 'static,
    ) -> Self {
        let root_token = self.name();
        self.slot_mut::<Printers>().root_tokens.push((info, root_token));
        self.docsify_info_under("", info, handler)
    }

    #[track_caller]
    fn docsify_info_under<D: Printed>(
        mut self,
        token: &'static str,
        info: &'static TypeInfo,
        handler: impl Fn(&Object, PathId, &mut Docsifier<'_>) -> DocsifyResult<D> + Send + Sync + 'static,
    ) -> Self {
        let handler: Handler = Arc::new(move |object, path, d| D::printed(handler(object, path, d)));
        let entry = HandlerEntry { handler, opens_scope: !D::IS_EXPR, place: Location::caller() };
        self.slot_mut::<Printers>().handlers.push((token, info, entry));
        self
    }

    #[track_caller]
    fn alias(mut self, prefix: &'static str) -> Self {
        let (name, place) = (self.name(), Location::caller());
        self.slot_mut::<Printers>().prefixes.push((name, prefix, place));
        self
    }

    fn words(mut self, words: &'static [&'static str]) -> Self {
        self.slot_mut::<Printers>().words.extend(words);
        self
    }

    #[track_caller]
    fn root_frame(mut self, make: RootFrame) -> Self {
        let (name, place) = (self.name(), Location::caller());
        self.slot_mut::<Printers>().roots.push((name, make, place));
        self
    }

    #[track_caller]
    fn data_printer(mut self, print: DataPrinter) -> Self {
        let place = Location::caller();
        self.slot_mut::<Printers>().data = Some((print, place));
        self
    }

    #[track_caller]
    fn map_printer(mut self, print: MapPrinter) -> Self {
        let place = Location::caller();
        self.slot_mut::<Printers>().map = Some((print, place));
        self
    }

    #[track_caller]
    fn printer_options(mut self, options: &'static [PrinterOption]) -> Self {
        let place = Location::caller();
        self.slot_mut::<Printers>().options.push((options, place));
        self
    }
}

/// Erases the node type of a handler. Monomorphized per handler, so that a node costs one indirect call.
fn erase<N: Class, D: Printed>(
    handler: impl Fn(&Ref<N>, PathId, &mut Docsifier<'_>) -> DocsifyResult<D> + Send + Sync + 'static,
) -> Handler {
    Arc::new(move |object, path, d| match object.downcast_ref::<N>() {
        Some(node) => D::printed(handler(node, path, d)),
        None => unreachable!("handlers are found by the node's own type"),
    })
}

//! The state of one print, and dispatch.

use std::any::{Any, TypeId};
use std::rc::Rc;

use hashbrown::HashMap;
use tvmscript_doc::{Doc, DocArena, ExprDoc, StmtDoc, StmtList, Sym};
use tvmscript_ir_core::containers::{ArrayNode, MapNode, ShapeNode};
use tvmscript_ir_core::{DataType, Object, PathId, PathStep, Registry, Str, Value, with_stack};
use tvmscript_ir_core::{FieldRef, Ref};

use crate::config::PrinterConfig;
use crate::error::{DocsifyError, Result};
use crate::frame::{ExitCallback, Frame};
use crate::free_vars::CommonPrefix;
use crate::metadata::Metadata;
use crate::names::Namer;
use crate::stmts::Stmts;
use crate::table::{PrinterTable, Printers, Token};

/// How a defined node is written where it is used.
pub(crate) enum Definition {
    /// A name, its symbol among the docs, and the number of the frame that has it.
    Name(Box<str>, Sym, u32),
    /// An expression made anew at each use (`A.data`).
    Doc(DocFactory),
}

/// Makes the expression that stands for a node, at each use.
pub type DocFactory = Rc<dyn Fn(&mut Docsifier<'_>) -> Result<ExprDoc>>;

/// The state of one print.
pub struct Docsifier<'r> {
    /// The docs made so far.
    pub docs: DocArena,
    registry: &'r Registry,
    table: &'r PrinterTable,
    config: &'r PrinterConfig,
    root: Object,
    frames: Vec<Frame>,
    /// For each node that an open frame prints, the outermost such frame.
    open: HashMap<usize, usize>,
    /// Statements handed back last, not yet part of a frame.
    loose: Option<Stmts>,
    binding_names: Vec<Sym>,
    states: Vec<(TypeId, Box<dyn Any>)>,
    tokens: Vec<Token>,
    names: Namer,
    defined: HashMap<usize, Definition>,
    metadata: Metadata,
    prefixes: Vec<PrefixEntry>,
    clashes: Vec<&'static str>,
    common_prefix: Option<CommonPrefix>,
    cache: HashMap<TypeId, Box<dyn Any>>,
    typed: bool,
    tracks_paths: bool,
    pub(crate) found_paths: Vec<PathId>,
}

struct PrefixEntry {
    name: &'static str,
    prefix: Box<str>,
    used: bool,
}

static EMPTY_TABLE: std::sync::LazyLock<PrinterTable> = std::sync::LazyLock::new(PrinterTable::default);

impl<'r> Docsifier<'r> {
    /// A print of `root`.
    ///
    /// # Errors
    /// [`DocsifyError::BadName`] when a prefix or the module alias is no identifier.
    pub fn new(registry: &'r Registry, config: &'r PrinterConfig, root: &Object) -> Result<Docsifier<'r>> {
        let table = match registry.slot::<Printers>().and_then(Printers::table) {
            Some(table) => table,
            None => &EMPTY_TABLE,
        };
        let mut names = Namer::new();
        let mut prefixes = Vec::new();
        let check = |what: &dyn Fn() -> String, name: &str| match crate::names::is_identifier(name) {
            true => Ok(()),
            false => Err(DocsifyError::BadName { what: what(), name: name.to_owned() }),
        };
        for (name, prefix) in table.prefixes() {
            let prefix = config.prefixes.get(name).map_or(prefix, String::as_str);
            check(&|| format!("prefix of `{name}`"), prefix)?;
            names.reserve(prefix);
            prefixes.push(PrefixEntry { name, prefix: prefix.into(), used: false });
        }
        if !config.module_alias.is_empty() {
            check(&|| "module alias".to_owned(), &config.module_alias)?;
            names.reserve(&config.module_alias);
        }
        // Nearly every doc makes text; so this is room enough for the longest one.
        let max_docs = config.max_bytes.clamp(1 << 12, DocArena::DEFAULT_MAX_DOCS as usize) as u32;
        Ok(Docsifier {
            docs: DocArena::with_max_docs(max_docs),
            registry,
            table,
            config,
            root: root.clone(),
            frames: Vec::new(),
            open: HashMap::new(),
            loose: None,
            binding_names: Vec::new(),
            states: Vec::new(),
            tokens: vec![Token::DEFAULT],
            names,
            defined: HashMap::new(),
            metadata: Metadata::default(),
            prefixes,
            clashes: Vec::new(),
            common_prefix: None,
            cache: HashMap::new(),
            typed: false,
            tracks_paths: config.tracks_paths(),
            found_paths: Vec::new(),
        })
    }

    /// A print as [`Docsifier::new`] makes it, in which no variable gets one of these names.
    ///
    /// # Errors
    /// As [`Docsifier::new`].
    pub fn with_reserved(
        registry: &'r Registry,
        config: &'r PrinterConfig,
        root: &Object,
        words: &[&'static str],
    ) -> Result<Docsifier<'r>> {
        let mut d = Docsifier::new(registry, config, root)?;
        for word in words {
            d.names.reserve(word);
        }
        Ok(d)
    }

    /// What a dialect finds out about the whole root, once per print.
    pub fn cache<T: Any>(&mut self, make: impl FnOnce(&Object) -> T) -> &T {
        let root = &self.root;
        let entry = self.cache.entry(TypeId::of::<T>()).or_insert_with(|| Box::new(make(root)));
        match entry.downcast_ref::<T>() {
            Some(value) => value,
            None => unreachable!("entries are stored under their own type"),
        }
    }

    /// The options of this print.
    pub fn config(&self) -> &'r PrinterConfig {
        self.config
    }

    /// The dialects of this print.
    pub fn registry(&self) -> &'r Registry {
        self.registry
    }

    pub(crate) fn table(&self) -> &'r PrinterTable {
        self.table
    }

    // --- paths -----------------------------------------------------------------------------------------------

    /// The path of a field.
    #[inline]
    pub fn field(&mut self, path: PathId, name: &'static str) -> PathId {
        if self.tracks_paths { self.docs.child_path(path, PathStep::Field(name)) } else { PathId::ROOT }
    }

    /// The path of an element.
    #[inline]
    pub fn item(&mut self, path: PathId, index: usize) -> PathId {
        if self.tracks_paths {
            self.docs.child_path(path, PathStep::Index(index as u32))
        } else {
            PathId::ROOT
        }
    }

    /// Says that a doc stands for a field of the node at `path`, beside whatever it stands for already.
    #[inline]
    pub fn at_field(&mut self, doc: ExprDoc, path: PathId, name: &'static str) -> ExprDoc {
        if self.tracks_paths {
            let path = self.docs.child_path(path, PathStep::Field(name));
            self.docs.add_path(doc, path);
        }
        doc
    }

    /// Says that a doc stands for the node at `path`, beside whatever it stands for already.
    #[inline]
    pub fn at(&mut self, doc: ExprDoc, path: PathId) -> ExprDoc {
        if self.tracks_paths {
            self.docs.add_path(doc, path);
        }
        doc
    }

    /// The path of a map's entry.
    pub fn entry(&mut self, path: PathId, key: &Value) -> PathId {
        if self.tracks_paths { self.docs.child_path(path, PathStep::Key(key.clone())) } else { PathId::ROOT }
    }

    // --- dispatch --------------------------------------------------------------------------------------------

    /// Prints a node by the rule of the current token, else the default one, else as a reference into the metadata.
    ///
    /// # Errors
    /// Whatever the handler says.
    pub fn doc(&mut self, object: &Object, path: PathId) -> Result<Doc> {
        // A graph that shares its parts may stand for more text than there is room for.
        self.docs.check()?;
        with_stack(|| {
            let doc = match self.table.handler(self.token(), object.info()) {
                Some(handler) => handler(object, path, self)?,
                None => self.container(object, path)?.into(),
            };
            if self.tracks_paths {
                self.decorate(object, doc, path);
            }
            Ok(doc)
        })
    }

    /// Prints a node that is an expression.
    ///
    /// # Errors
    /// [`DocsifyError::NotAnExpression`], or whatever the handler says.
    #[inline]
    pub fn expr_object(&mut self, object: &Object, path: PathId) -> Result<ExprDoc> {
        match self.doc(object, path)? {
            Doc::Expr(doc) => Ok(doc),
            _ => Err(DocsifyError::NotAnExpression { key: object.info().key() }),
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
            Value::Float(f) => self.docs.float(*f),
            Value::DType(d) => self.dtype(*d),
            Value::Node(object) => return self.expr_object(object, path),
        };
        if self.tracks_paths {
            self.docs.add_path(doc, path);
        }
        Ok(doc)
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

    /// A data type as a string literal.
    pub fn dtype(&mut self, dtype: DataType) -> ExprDoc {
        self.docs.str(&*dtype.to_string())
    }

    /// Strings, arrays, maps, and whatever no dialect prints.
    fn container(&mut self, object: &Object, path: PathId) -> Result<ExprDoc> {
        if let Some(text) = object.downcast_ref::<tvmscript_ir_core::containers::StrNode>() {
            let text = Value::Node(text.object().clone());
            let text = text.as_str().unwrap_or_default();
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
            let at = self.entry(path, key);
            let key = self.value(key, at)?;
            docs.push((key, self.value(value, at)?));
        }
        Ok(self.docs.dict(&docs))
    }

    /// A reference to a node that the text cannot say, kept in the metadata section.
    pub fn metadata(&mut self, object: &Object) -> ExprDoc {
        let (key, index) = self.metadata.add(object);
        let base = self.word("metadata");
        let key = self.docs.str(key);
        let list = self.docs.index(base, &[key]);
        let index = self.docs.int(index as i64);
        self.docs.index(list, &[index])
    }

    pub(crate) fn metadata_section(&self) -> &Metadata {
        &self.metadata
    }

    fn decorate(&mut self, object: &Object, doc: Doc, path: PathId) {
        let config = self.config;
        if config.obj_to_underline.iter().any(|o| o.ptr_eq(object)) {
            self.found_paths.push(path);
        }
        let stmt = match doc {
            Doc::Expr(doc) => {
                self.docs.add_path(doc, path);
                return;
            }
            Doc::Slice(doc) => {
                self.docs.add_path(doc, path);
                return;
            }
            Doc::Stmt(doc) => {
                self.docs.add_path(doc, path);
                Some(doc)
            }
            // Statements that go on to the enclosing block carry their own paths; behind header lines, the last one counts.
            Doc::Block(list) => {
                let last = self.docs.stmts(list).last().copied();
                if let Some(last) = last {
                    self.docs.add_path(last, path);
                }
                last
            }
        };
        let Some(stmt) = stmt else { return };
        self.annotate(object, stmt, path);
    }

    /// Puts the comments on a statement that were asked for at this node or path.
    pub fn annotate(&mut self, object: &Object, stmt: StmtDoc, path: PathId) {
        if !self.tracks_paths {
            return;
        }
        let config = self.config;
        for (annotated, text) in &config.obj_to_annotate {
            if annotated.ptr_eq(object) {
                self.docs.add_comment(stmt, text);
            }
        }
        if !config.path_to_annotate.is_empty() {
            let here = self.docs.paths().to_path(path);
            for (annotated, text) in &config.path_to_annotate {
                if *annotated == here {
                    self.docs.add_comment(stmt, text);
                }
            }
        }
    }

    /// Whether a comment will be put on this node, so that it needs a statement of its own.
    pub fn is_annotated(&self, object: &Object, path: PathId) -> bool {
        if !self.tracks_paths {
            return false;
        }
        let config = self.config;
        config.obj_to_annotate.iter().any(|(o, _)| o.ptr_eq(object))
            || (!config.path_to_annotate.is_empty() && {
                let here = self.docs.paths().to_path(path);
                config.path_to_annotate.iter().any(|(p, _)| *p == here)
            })
    }

    // --- tokens and prefixes ---------------------------------------------------------------------------------

    /// The current dispatch token.
    #[inline]
    pub fn token(&self) -> Token {
        self.tokens.last().copied().unwrap_or(Token::DEFAULT)
    }

    /// Runs `f` under the token of this name; unknown names are the default.
    pub fn with_token<R>(&mut self, name: &str, f: impl FnOnce(&mut Self) -> R) -> R {
        let token = self.table.token(name).unwrap_or(Token::DEFAULT);
        self.with_token_id(token, f)
    }

    pub(crate) fn with_token_id<R>(&mut self, token: Token, f: impl FnOnce(&mut Self) -> R) -> R {
        self.tokens.push(token);
        let result = f(self);
        self.tokens.pop();
        result
    }

    /// The prefix of a dialect (`T`), which is then listed in the header.
    pub fn prefix(&mut self, name: &str) -> ExprDoc {
        match self.prefixes.iter_mut().find(|p| p.name == name) {
            Some(entry) => {
                entry.used = true;
                self.docs.id(&*entry.prefix)
            }
            None => self.docs.id(name),
        }
    }

    /// A name of the language itself or of the script (`range`, `metadata`), which no variable around may have. Where one
    /// has it, the print must be made anew with the name reserved: see [`Docsifier::clashes`].
    pub fn word(&mut self, word: &'static str) -> ExprDoc {
        if self.names.is_taken(word) && !self.names.is_reserved(word) && !self.clashes.contains(&word) {
            self.clashes.push(word);
        }
        self.docs.id(word)
    }

    /// The words that were needed where a variable has their name.
    pub fn clashes(&self) -> &[&'static str] {
        &self.clashes
    }

    /// A name of a dialect (`T.block`).
    pub fn prefixed(&mut self, dialect: &str, name: &str) -> ExprDoc {
        let prefix = self.prefix(dialect);
        self.docs.attr(prefix, name)
    }

    /// The dialects whose prefix was used so far, with it.
    pub fn used_prefixes(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.prefixes.iter().filter(|p| p.used).map(|p| (p.name, &*p.prefix))
    }

    // --- frames ----------------------------------------------------------------------------------------------

    /// Runs `f` inside a frame and gives its result and the frame's statements. The frame closes also on errors.
    ///
    /// # Errors
    /// Whatever `f` says.
    pub fn with_frame<R>(
        &mut self,
        frame: Frame,
        f: impl FnOnce(&mut Self) -> Result<R>,
    ) -> Result<(R, Vec<StmtDoc>)> {
        self.with_open_frame(frame, f).map(|(result, stmts)| (result, stmts.into_vec()))
    }

    /// As [`Docsifier::with_frame`], for statements that go on to the enclosing block ([`Docsifier::loose`]).
    ///
    /// # Errors
    /// Whatever `f` says.
    pub fn with_open_frame<R>(
        &mut self,
        frame: Frame,
        f: impl FnOnce(&mut Self) -> Result<R>,
    ) -> Result<(R, Stmts)> {
        let index = self.frames.len();
        if let Some(object) = &frame.object {
            self.open.entry(object.address()).or_insert(index);
        }
        self.frames.push(frame);
        let result = f(self);
        let exits = std::mem::take(&mut self.frame_mut().exits);
        for exit in exits {
            exit(self);
        }
        let Some(frame) = self.frames.pop() else { unreachable!("frames open and close in pairs") };
        if let Some(object) = &frame.object
            && self.open.get(&object.address()) == Some(&index)
        {
            self.open.remove(&object.address());
        }
        for address in frame.defined {
            if let Some(Definition::Name(name, ..)) = self.defined.remove(&address) {
                self.names.release(&name);
            }
        }
        Ok((result?, frame.stmts))
    }

    /// Statements for the enclosing block, as a doc to hand back. Whoever gets it must add it to a frame before the next
    /// doc is made ([`Docsifier::push_doc`]).
    pub fn loose(&mut self, stmts: Stmts) -> Doc {
        self.loose = Some(stmts);
        Doc::Block(StmtList::default())
    }

    /// The innermost frame.
    ///
    /// # Panics
    /// Outside any frame: a mistake of a handler that is called without one, never of the printed node.
    pub fn frame_mut(&mut self) -> &mut Frame {
        match self.frames.last_mut() {
            Some(frame) => frame,
            None => unreachable!("every print opens a frame first"),
        }
    }

    /// Adds a statement to the innermost frame.
    pub fn push_stmt(&mut self, stmt: StmtDoc) {
        self.frame_mut().stmts.push(stmt);
    }

    /// Adds a node's doc to the innermost frame, as statements.
    pub fn push_doc(&mut self, doc: Doc) {
        match doc {
            Doc::Stmt(stmt) => self.push_stmt(stmt),
            Doc::Expr(expr) => {
                let stmt = self.docs.expr_stmt(expr);
                self.push_stmt(stmt);
            }
            Doc::Block(list) if list.is_empty() => {
                if let Some(stmts) = self.loose.take() {
                    self.frame_mut().stmts.append(stmts);
                }
            }
            Doc::Block(list) => {
                let Docsifier { frames, docs, .. } = self;
                if let Some(frame) = frames.last_mut() {
                    frame.stmts.extend(docs.stmts(list).iter().copied());
                }
            }
            Doc::Slice(_) => {}
        }
    }

    /// The open frames, innermost first.
    pub fn frames(&self) -> impl DoubleEndedIterator<Item = &Frame> + ExactSizeIterator {
        self.frames.iter().rev()
    }

    /// The data of the innermost frame that holds an `F`.
    pub fn frame_data<F: Any>(&self) -> Option<&F> {
        self.frames.iter().rev().find_map(|f| f.data.downcast_ref::<F>())
    }

    /// The data of the innermost frame that holds an `F`, to change.
    pub fn frame_data_mut<F: Any>(&mut self) -> Option<&mut F> {
        self.frames.iter_mut().rev().find_map(|f| f.data.downcast_mut::<F>())
    }

    /// Runs `callback` when the innermost frame closes.
    pub fn on_exit(&mut self, callback: ExitCallback) {
        self.frame_mut().exits.push(callback);
    }

    // --- names -----------------------------------------------------------------------------------------------

    /// Names a node in the innermost frame: the hint's identifier, made unique. A node that has a name keeps it.
    ///
    /// # Errors
    /// When an expression stands for the node, and cannot be made.
    pub fn define(&mut self, object: &Object, hint: &str) -> Result<ExprDoc> {
        if let Some(doc) = self.defined_doc(object)? {
            return Ok(doc);
        }
        let name = match self.config.show_object_address {
            true => self.names.take(&format!("{}_{:#x}", crate::names::sanitize(hint), object.address())),
            false => self.names.take(hint),
        };
        let sym = self.docs.sym(&name);
        let frame = self.frames.len().saturating_sub(1) as u32;
        self.defined.insert(object.address(), Definition::Name(name, sym, frame));
        self.frame_mut().defined.push(object.address());
        Ok(self.docs.id(sym))
    }

    /// Lets an expression stand for a node while the innermost frame is open (`A.data`). A node that is defined keeps its
    /// definition.
    pub fn define_by_doc(&mut self, object: &Object, doc: DocFactory) {
        if self.is_defined(object) {
            return;
        }
        self.defined.insert(object.address(), Definition::Doc(doc));
        self.frame_mut().defined.push(object.address());
    }

    /// How a defined node is written.
    ///
    /// # Errors
    /// When an expression stands for the node, and cannot be made.
    #[inline]
    pub fn defined_doc(&mut self, object: &Object) -> Result<Option<ExprDoc>> {
        match self.defined.get(&object.address()) {
            None => Ok(None),
            Some(Definition::Name(_, sym, _)) => Ok(Some(self.docs.id(*sym))),
            Some(Definition::Doc(make)) => make.clone()(self).map(Some),
        }
    }

    /// The number of the frame that has the node's name.
    pub fn defining_frame(&self, object: &Object) -> Option<usize> {
        match self.defined.get(&object.address())? {
            Definition::Name(_, _, frame) => Some(*frame as usize),
            Definition::Doc(_) => None,
        }
    }

    /// How many frames are open; the innermost has the number before.
    pub fn frame_count(&self) -> usize {
        self.frames.len()
    }

    /// Whether the node is defined.
    #[inline]
    pub fn is_defined(&self, object: &Object) -> bool {
        self.defined.contains_key(&object.address())
    }

    /// Takes a name so that no variable gets it while the print lasts.
    pub fn reserve_name(&mut self, name: &str) {
        self.names.reserve(name);
    }

    /// Declares a free variable: names it in the frame where all its uses can see it, and lets `declare` make the
    /// statements, which go to that frame at its current end. `declare` runs with that frame innermost.
    ///
    /// # Errors
    /// [`DocsifyError::Undeclared`] when no open frame can declare it.
    pub fn declare_free(
        &mut self,
        object: &Object,
        hint: &str,
        declare: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        self.declare_free_within(object, hint, 0, declare)
    }

    /// As [`Docsifier::declare_free`], in the frame of this number or further in: for a variable whose declaration speaks of
    /// what that frame defines.
    ///
    /// # Errors
    /// As [`Docsifier::declare_free`].
    pub fn declare_free_within(
        &mut self,
        object: &Object,
        hint: &str,
        outermost: usize,
        declare: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let frame =
            self.frame_of_free(object).ok_or_else(|| DocsifyError::Undeclared { name: hint.to_owned() })?;
        self.in_frame(frame.max(outermost), declare)
    }

    /// Runs `f` with the frame of this number innermost; the frames further in are open again afterwards.
    pub fn in_frame<R>(&mut self, frame: usize, f: impl FnOnce(&mut Self) -> R) -> R {
        let frame = frame.min(self.frames.len().saturating_sub(1));
        let inner = self.frames.split_off(frame + 1);
        let result = f(self);
        self.frames.extend(inner);
        result
    }

    /// The number of the frame that declares a free variable: the innermost around all its uses.
    pub fn frame_of_free(&mut self, object: &Object) -> Option<usize> {
        let open = &self.open;
        let prefix = match &self.common_prefix {
            Some(prefix) => prefix,
            None => self.common_prefix.insert(CommonPrefix::new(&self.root, |o| self.table.is_variable(o))),
        };
        prefix
            .around(object.address())
            .find_map(|address| open.get(&address).copied())
            .or_else(|| self.frames.iter().rposition(|f| f.declares_free))
    }

    /// Whether all uses of a variable lie inside a node.
    pub fn is_around_all_uses(&mut self, node: &Object, variable: &Object) -> bool {
        let prefix = match &self.common_prefix {
            Some(prefix) => prefix,
            None => self.common_prefix.insert(CommonPrefix::new(&self.root, |o| self.table.is_variable(o))),
        };
        prefix.around(variable.address()).any(|address| address == node.address())
    }

    /// The node inside which free variables are looked for.
    pub fn root(&self) -> &Object {
        &self.root
    }

    /// Looks for the places of free variables inside `root` from now on, instead of inside the printed node. Gives the
    /// former root, to be set again.
    pub fn set_root(&mut self, root: &Object) -> Object {
        if !self.root.ptr_eq(root) {
            self.common_prefix = None;
            self.cache.clear();
        }
        std::mem::replace(&mut self.root, root.clone())
    }

    // --- what dialects keep ----------------------------------------------------------------------------------

    /// What a dialect keeps during this print, made on first use.
    pub fn state<S: Any>(&mut self, make: impl FnOnce(&PrinterConfig) -> S) -> &mut S {
        let id = TypeId::of::<S>();
        let at = match self.states.iter().position(|(other, _)| *other == id) {
            Some(at) => at,
            None => {
                self.states.push((id, Box::new(make(self.config))));
                self.states.len() - 1
            }
        };
        match self.states[at].1.downcast_mut::<S>() {
            Some(state) => state,
            None => unreachable!("states are stored under their own type"),
        }
    }

    /// Runs `f` while what it prints is bound to `name`: a function of a module takes that name.
    pub fn with_binding_name<R>(&mut self, name: &str, f: impl FnOnce(&mut Self) -> R) -> R {
        let name = self.docs.sym(name);
        self.binding_names.push(name);
        let result = f(self);
        self.binding_names.pop();
        result
    }

    /// The name that what is printed now is bound to: the innermost one, or the option `name`.
    pub fn binding_name(&mut self) -> Option<Sym> {
        match self.binding_names.last() {
            Some(name) => Some(*name),
            None => self.config.name.as_deref().map(|name| self.docs.sym(name)),
        }
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
    use tvmscript_ir_core::ObjectLike;
    Str::try_ref(object).map(Str::as_str)
}

impl std::fmt::Debug for Docsifier<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Docsifier")
            .field("root", &self.root)
            .field("frames", &self.frames)
            .finish_non_exhaustive()
    }
}

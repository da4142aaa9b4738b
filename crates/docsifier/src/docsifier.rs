//! The state of one print: a façade over its parts.
//!
//! [`Dispatch`] finds printers, [`Frames`] holds the open scopes, [`Definitions`] the defined nodes, [`Metadata`] the
//! nodes without text, and [`Region`] the results of analyses. Handlers use the methods of [`Docsifier`], which combine
//! them.

mod define;
mod fragment;
mod paths;
mod scopes;
mod values;

use std::any::{Any, TypeId};
use std::rc::Rc;

use tvmscript_doc::{DocArena, ExprDoc, StmtDoc, Sym};
use tvmscript_ir_core::vectors::find_or_push;
use tvmscript_ir_core::{AccessPath, Object, PathId, Registry, Release, Syntax, Token};

use crate::analysis::Region;
use crate::config::PrinterConfig;
use crate::definitions::Definitions;
use crate::dispatch::Dispatch;
use crate::error::{DocsifyError, DocsifyResult};
use crate::frame::Frames;
use crate::messages::Messages;
use crate::metadata::Metadata;
use crate::path_index::WantedPaths;
use crate::preamble::Preamble;
use crate::prefixes::{Prefix, Prefixes};
use crate::shared::Shared;
use crate::stmts::Stmts;
use crate::table::{PrinterTable, Printers};

pub use values::{field_value, text_of};

/// Number of docs after which the unfolded size of the root is checked.
const SIZE_CHECK_DOCS: usize = 1 << 19;

/// Builds the expression for a defined node, at each use.
pub type DocFactory = Rc<dyn Fn(&mut Docsifier<'_>) -> DocsifyResult<ExprDoc>>;

/// The state of one print.
pub struct Docsifier<'r> {
    /// The docs made so far.
    pub docs: DocArena,
    registry: &'r Registry,
    config: &'r PrinterConfig,
    root: Object,
    region: Region,
    /// Number of regions so far.
    regions: usize,
    pub(crate) shared: Shared,
    /// `true` if scopes of variables may be assumed ([`Docsifier::assume_scopes`]).
    assumes: bool,
    assumed_wrongly: bool,
    /// In debug builds, [`Docsifier::is_deceived`] of a region that is closed.
    pub(crate) inner_is_deceived: bool,
    dispatch: Dispatch<'r>,
    prefixes: Prefixes,
    frames: Frames,
    /// Statements returned to the enclosing block, not yet in a frame.
    returned: Option<Stmts>,
    definitions: Definitions,
    metadata: Metadata,
    binding_names: Vec<Sym>,
    states: Vec<(TypeId, Box<dyn Any>)>,
    typed: bool,
    follows_python: bool,
    /// Address of the node that is being printed as data.
    data: Option<usize>,
    tracks_paths: bool,
    /// The paths to record, if not all.
    wanted_paths: Option<Box<WantedPaths>>,
    /// Statements before the script.
    preamble: Preamble,
    /// `true` if the root is a list of scripts or statements: one header stands before all.
    pub(crate) lists_scripts: bool,
    /// Address of the item of this list that is being printed.
    pub(crate) item: Option<usize>,
    /// `true` if one of them is a script.
    pub(crate) has_scripts: bool,
    /// `true` once the header is written.
    pub(crate) has_header: bool,
    /// Lines of code before the header.
    pub(crate) first_lines: Vec<&'static str>,
    pub(crate) messages: Messages,
    /// Number of docs at which the size of the root is checked next.
    next_size_check: usize,
}

static EMPTY_TABLE: std::sync::LazyLock<PrinterTable> = std::sync::LazyLock::new(PrinterTable::default);

impl<'r> Docsifier<'r> {
    /// Starts a print of `root`.
    ///
    /// # Errors
    /// As [`PrinterConfig::check`].
    pub fn new(
        registry: &'r Registry,
        config: &'r PrinterConfig,
        root: &Object,
    ) -> DocsifyResult<Docsifier<'r>> {
        let registry = config.dialects(registry)?;
        config.check_for(registry)?;
        let table = match registry.slot::<Printers>().map(Printers::table) {
            Some(table) => table,
            None => &EMPTY_TABLE,
        };
        // Nearly every doc produces text, so a short text has few docs.
        let longest = u32::try_from(config.max_bytes).unwrap_or(u32::MAX);
        let max_docs = config.max_docs.min(longest.max(1 << 12));
        let mut docs = DocArena::with_max_docs(max_docs);
        docs.limit_text(config.max_bytes);
        let words: Vec<&'static str> = [registry.release().syntax.metadata.variable]
            .into_iter()
            .chain(table.words().iter().copied())
            .collect();
        let mut definitions = Definitions::new(&words);
        let prefixes = Prefixes::new(table, config);
        for prefix in prefixes.iter() {
            definitions.reserve(docs.sym(&prefix.prefix));
        }
        if !config.module_alias.is_empty() {
            definitions.reserve(docs.sym(&config.module_alias));
        }
        Ok(Docsifier {
            docs,
            registry,
            config,
            root: root.clone(),
            region: Region::new(root.clone(), 0),
            regions: 1,
            shared: Shared::default(),
            assumes: false,
            assumed_wrongly: false,
            inner_is_deceived: false,
            dispatch: Dispatch::new(registry, table),
            prefixes,
            frames: Frames::default(),
            returned: None,
            definitions,
            metadata: Metadata::default(),
            binding_names: Vec::new(),
            states: Vec::new(),
            typed: false,
            follows_python: false,
            data: None,
            tracks_paths: config.has_messages() || config.has_margins() || config.on_node.is_some(),
            wanted_paths: None,
            preamble: Preamble::default(),
            lists_scripts: false,
            item: None,
            has_scripts: false,
            has_header: false,
            first_lines: Vec::new(),
            messages: Messages::default(),
            next_size_check: SIZE_CHECK_DOCS,
        })
    }

    /// Records the access path of every doc, as underlining does.
    pub fn track_paths(&mut self) {
        self.tracks_paths = true;
    }

    /// Records the access paths of the parts at `paths` and of the nodes around them, unless all paths are recorded.
    pub(crate) fn track_only(&mut self, paths: &[AccessPath]) {
        if !self.tracks_paths {
            self.tracks_paths = true;
            self.wanted_paths = Some(Box::new(WantedPaths::new(&mut self.docs, paths)));
        }
    }

    /// Returns `true` if docs of the node at `path` record their access paths.
    #[inline]
    pub fn tracks_paths_at(&self, path: PathId) -> bool {
        self.tracks_paths && self.wanted_paths.as_ref().is_none_or(|wanted| wanted.contains(path))
    }

    /// Runs `f` without recording access paths, for nodes that the text needs but the root does not contain (`min +
    /// extent`).
    pub fn untracked<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R {
        let before = std::mem::replace(&mut self.tracks_paths, false);
        let result = f(self);
        self.tracks_paths = before;
        result
    }

    /// Resolves conflicts between variables and words of the text.
    ///
    /// # Errors
    /// [`DocsifyError::TakenWord`] if a variable has a word that no dialect registered.
    pub(crate) fn resolve_words(&mut self) -> DocsifyResult<()> {
        match self.definitions.resolve_words(&mut self.docs) {
            None => Ok(()),
            Some(word) => Err(DocsifyError::TakenWord { word }.into()),
        }
    }

    /// The options of this print.
    pub fn config(&self) -> &'r PrinterConfig {
        self.config
    }

    /// The release of this print.
    pub fn release(&self) -> &'static Release {
        self.registry.release()
    }

    /// The syntax of the release.
    pub fn syntax(&self) -> &'static Syntax {
        &self.release().syntax
    }

    /// The registry of this print.
    pub fn registry(&self) -> &'r Registry {
        self.registry
    }

    pub(crate) fn table(&self) -> &'r PrinterTable {
        self.dispatch.table()
    }

    /// The current dispatch token.
    #[inline]
    pub fn token(&self) -> Token {
        self.dispatch.token()
    }

    /// The names of the open dispatch tokens, innermost first. The last one is the default, whose name is empty.
    pub fn tokens(&self) -> impl DoubleEndedIterator<Item = &'static str> {
        self.dispatch.tokens()
    }

    /// Returns `true` if the rules of the token with this name apply.
    pub fn is_under(&self, name: &str) -> bool {
        self.dispatch.is_under(name)
    }

    /// Runs `f` under the token with this name; an unknown name is the default token.
    pub fn with_token<R>(&mut self, name: &str, f: impl FnOnce(&mut Self) -> R) -> R {
        self.with_token_id(self.dispatch.named(name), f)
    }

    pub(crate) fn with_token_id<R>(&mut self, token: Token, f: impl FnOnce(&mut Self) -> R) -> R {
        self.dispatch.enter(token);
        let result = f(self);
        self.dispatch.leave();
        result
    }

    /// The prefix of a dialect (`T`). The header then imports it.
    pub fn prefix(&mut self, name: &str) -> ExprDoc {
        let prefix = self.prefixes.take(name).unwrap_or(name);
        self.docs.id(prefix)
    }

    /// A name of the language or of the script (`range`, `metadata`), which no variable in scope may have. Dialects
    /// register theirs with [`crate::DocsifyDialect::words`].
    pub fn word(&mut self, word: &'static str) -> ExprDoc {
        let name = self.docs.sym(word);
        self.definitions.need_word(word, name);
        self.docs.id(name)
    }

    /// A qualified name of a dialect (`Toy.region`).
    pub fn prefixed(&mut self, dialect: &str, name: &str) -> ExprDoc {
        let prefix = self.prefix(dialect);
        let name = self.release().renames.function_name(dialect, name);
        self.docs.attr(prefix, name)
    }

    /// Adds a statement between the header and the script, unless there is one with this key. Those of one group
    /// print in the order of their keys. `import` is a line of the header that the statement needs.
    pub fn add_preamble(
        &mut self,
        key: &str,
        import: Option<&'static str>,
        stmt: impl FnOnce(&mut Self) -> StmtDoc,
    ) {
        if !self.preamble.contains(key) {
            let stmt = stmt(self);
            self.preamble.add(key, import, stmt);
        }
    }

    /// Ends a group of [`Docsifier::add_preamble`], after a definition of a module.
    pub fn close_preamble_group(&mut self) {
        self.preamble.close_group();
    }

    /// Adds a line of code that begins the text, once.
    pub fn add_first_line(&mut self, line: &'static str) {
        if !self.first_lines.contains(&line) {
            self.first_lines.push(line);
        }
    }

    pub(crate) fn take_preamble(&mut self) -> Preamble {
        std::mem::take(&mut self.preamble)
    }

    /// The prefixes used so far.
    pub(crate) fn used_prefixes(&self) -> impl Iterator<Item = &Prefix> {
        self.prefixes.used()
    }

    /// A dialect's state of this print, created on first use.
    pub fn state<S: Any>(&mut self, make: impl FnOnce(&PrinterConfig) -> S) -> &mut S {
        let id = TypeId::of::<S>();
        let make = || -> (TypeId, Box<dyn Any>) { (id, Box::new(make(self.config))) };
        let (_, state) = find_or_push(&mut self.states, |(other, _)| *other == id, make);
        match state.downcast_mut::<S>() {
            Some(state) => state,
            None => unreachable!("states are stored under their own type"),
        }
    }

    /// Runs `f` with a name that its result is bound to: a function of a module prints under that name.
    pub fn with_binding_name<R>(&mut self, name: Sym, f: impl FnOnce(&mut Self) -> R) -> R {
        self.binding_names.push(name);
        let result = f(self);
        self.binding_names.pop();
        result
    }

    /// The name that the current node is bound to: the innermost one, or the option `name`.
    pub fn binding_name(&mut self) -> Option<Sym> {
        match self.binding_names.last() {
            Some(name) => Some(*name),
            None => self.config.name.as_deref().map(|name| self.docs.sym(name)),
        }
    }
}

impl std::fmt::Debug for Docsifier<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Docsifier")
            .field("root", &self.root)
            .field("frames", &self.frames.len())
            .finish_non_exhaustive()
    }
}

//! Print options: generic ones, and one typed value per dialect.

use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::sync::Arc;

use hashbrown::HashMap;
use tvmscript_doc::{AccessPath, DocArena};
use tvmscript_ir_core::{Object, PathId, Registry, Release, Session, SourceComments, SourceTexts};

use crate::docsifier::Docsifier;
use crate::error::{DocsifyError, DocsifyResult};
use crate::names::is_identifier;
use crate::table::{PrinterTable, Printers};

/// Default name of a module inside its own functions.
const DEFAULT_ALIAS: &str = "cls";

/// Python names that printed text uses in every dialect.
const PYTHON_WORDS: [&str; 2] = ["range", "float"];

/// Print options. Dialects add theirs as typed values ([`PrinterConfig::with_part`]).
#[derive(Debug, Clone)]
pub struct PrinterConfig {
    /// The name of the printed function or module.
    pub name: Option<String>,
    /// Prints the metadata section instead of a comment that it is omitted.
    pub show_meta: bool,
    /// Prefixes by dispatch token, where they differ from the dialect's default.
    pub prefixes: BTreeMap<String, String>,
    /// The module's name inside its own functions; empty for the module's real name.
    pub module_alias: String,
    /// The release to print in. Defaults to the first release of the registry.
    pub release: Option<&'static Release>,
    /// Keeps the generated declarations when a bare expression is printed.
    pub verbose_expr: bool,
    /// Prints for Python code around scripts, which no script parser reads: what Python's operators would not build is a call.
    pub host_code: bool,
    /// Spaces per indentation level.
    pub indent_spaces: u32,
    /// Line width; longer lines are broken inside brackets.
    pub max_width_columns: Option<u32>,
    /// Prints line numbers.
    pub print_line_numbers: bool,
    /// Number of lines kept around underlined text.
    pub num_context_lines: Option<u32>,
    /// Uses short forms where they exist.
    pub syntax_sugar: bool,
    /// Appends each variable's address to its name.
    pub show_object_address: bool,
    /// Paths to underline.
    pub path_to_underline: Vec<AccessPath>,
    /// Paths to underline only if some text stands for exactly this part.
    pub path_to_underline_if_printed: Vec<AccessPath>,
    /// Paths to annotate with a comment.
    pub path_to_annotate: Vec<(AccessPath, String)>,
    /// Nodes to underline, by identity.
    pub obj_to_underline: Vec<Object>,
    /// Nodes to annotate with a comment, by identity.
    pub obj_to_annotate: Vec<(Object, String)>,
    /// Writes the span of each statement's node at the end of its line, as a marker that parsing reads back
    /// ([`Span::to_marker`](tvmscript_ir_core::Span::to_marker)). The texts supply the lines of byte ranges.
    pub show_spans: Option<SourceTexts>,
    /// Comments of the source to print again, at the statements that come from theirs.
    pub keep_comments: Option<SourceComments>,
    /// Called with each node before it is printed, for debuggers: what is defined, in which frames and under which tokens
    /// ([`Docsifier::definitions`], [`Docsifier::frames`], [`Docsifier::tokens`]).
    pub on_node: Option<NodeCallback>,
    /// Maximum length of the text.
    pub max_bytes: usize,
    /// Maximum number of expression docs, and of statement docs, of one print. A shared node has docs at each of its
    /// uses.
    pub max_docs: u32,
    /// The options of dialects ([`PrinterConfig::with_part`]).
    pub parts: DialectOptions,
}

/// A function that is called with each node before its printer, and with the state of the print at that moment.
///
/// A print may start over ([`crate::print()`]); the callback then sees nodes again.
#[derive(Clone)]
pub struct NodeCallback(Arc<NodeFunction>);

type NodeFunction = dyn Fn(&Object, PathId, &mut Docsifier<'_>) + Send + Sync;

impl NodeCallback {
    /// Makes a callback of a function.
    pub fn new(
        function: impl Fn(&Object, PathId, &mut Docsifier<'_>) + Send + Sync + 'static,
    ) -> NodeCallback {
        NodeCallback(Arc::new(function))
    }

    pub(crate) fn call(&self, object: &Object, path: PathId, d: &mut Docsifier<'_>) {
        (self.0)(object, path, d);
    }
}

impl std::fmt::Debug for NodeCallback {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a callback")
    }
}

/// Options of dialects, one value per type.
#[derive(Default, Clone)]
pub struct DialectOptions(HashMap<TypeId, Arc<dyn Any + Send + Sync>>);

impl std::fmt::Debug for DialectOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} parts", self.0.len())
    }
}

impl Default for PrinterConfig {
    fn default() -> Self {
        PrinterConfig {
            name: None,
            show_meta: false,
            prefixes: BTreeMap::new(),
            module_alias: DEFAULT_ALIAS.to_owned(),
            release: None,
            verbose_expr: false,
            host_code: false,
            indent_spaces: 4,
            max_width_columns: None,
            print_line_numbers: false,
            num_context_lines: None,
            syntax_sugar: true,
            show_object_address: false,
            path_to_underline: Vec::new(),
            path_to_underline_if_printed: Vec::new(),
            path_to_annotate: Vec::new(),
            obj_to_underline: Vec::new(),
            obj_to_annotate: Vec::new(),
            show_spans: None,
            keep_comments: None,
            on_node: None,
            max_bytes: tvmscript_doc::python::DEFAULT_MAX_BYTES,
            max_docs: DocArena::DEFAULT_MAX_DOCS,
            parts: DialectOptions::default(),
        }
    }
}

impl PrinterConfig {
    /// The configuration of a session: its release and limits.
    pub fn of(session: &Session<'_>) -> PrinterConfig {
        PrinterConfig {
            release: session.release,
            max_bytes: session.limits.max_printed_bytes,
            max_docs: session.limits.max_docs,
            ..PrinterConfig::default()
        }
    }

    /// Sets a dialect's options.
    #[must_use]
    pub fn with_part<P: Any + Send + Sync>(mut self, part: P) -> PrinterConfig {
        self.parts.0.insert(TypeId::of::<P>(), Arc::new(part));
        self
    }

    /// A dialect's options for modification, initially their defaults.
    pub fn part_mut<P: Any + Default + Clone + Send + Sync>(&mut self) -> &mut P {
        let part = self.parts.0.entry(TypeId::of::<P>()).or_insert_with(|| Arc::new(P::default()));
        if Arc::get_mut(part).is_none() {
            *part = Arc::new(part.downcast_ref::<P>().cloned().unwrap_or_default());
        }
        match Arc::get_mut(part).and_then(|part| part.downcast_mut::<P>()) {
            Some(part) => part,
            None => unreachable!("parts are kept by their type, and this handle is the only one"),
        }
    }

    /// A dialect's options, or their defaults.
    pub fn part<P: Any + Default + Clone + Send + Sync>(&self) -> P {
        self.parts.0.get(&TypeId::of::<P>()).and_then(|p| p.downcast_ref::<P>()).cloned().unwrap_or_default()
    }

    /// Checks that text printed with these options reads back: names are identifiers and do not conflict, and every
    /// option that the header must record has a readable value.
    ///
    /// # Errors
    /// [`DocsifyError::BadName`], [`DocsifyError::NameClash`], [`DocsifyError::BadOption`] or
    /// [`DocsifyError::UnknownRelease`].
    pub fn check(&self, registry: &Registry) -> DocsifyResult<()> {
        self.check_for(self.dialects(registry)?)
    }

    /// Checks the options for the dialects of a release.
    pub(crate) fn check_for(&self, registry: &Registry) -> DocsifyResult<()> {
        let Some(table) = registry.slot::<Printers>().map(Printers::table) else { return Ok(()) };
        self.check_names(table, registry.release())?;
        if self.indent_spaces == 0 {
            let reason = "blocks are indented by at least one space".to_owned();
            return Err(DocsifyError::BadOption { option: "indent".to_owned(), reason }.into());
        }
        self.header_values(table).map(drop)
    }

    /// The dialects as the release has them.
    ///
    /// # Errors
    /// [`DocsifyError::UnknownRelease`]
    pub(crate) fn dialects<'r>(&self, registry: &'r Registry) -> DocsifyResult<&'r Registry> {
        registry.select_release(self.release).map_err(|error| DocsifyError::UnknownRelease(error).into())
    }

    /// The prefix of a dialect's names.
    pub(crate) fn prefix<'a>(&'a self, dialect: &str, default: &'a str) -> &'a str {
        self.prefixes.get(dialect).map_or(default, String::as_str)
    }

    fn check_names(&self, table: &PrinterTable, release: &Release) -> DocsifyResult<()> {
        if self.prefixes.is_empty() && self.module_alias == DEFAULT_ALIAS {
            return Ok(());
        }
        let clash = |what: String, name: &str, holder: String| -> DocsifyResult<()> {
            Err(DocsifyError::NameClash { what, name: name.to_owned(), holder }.into())
        };
        let check = |what: String, name: &str| -> DocsifyResult<()> {
            if !is_identifier(name) {
                return Err(DocsifyError::BadName { what, name: name.to_owned() }.into());
            }
            if PYTHON_WORDS.contains(&name) || release.syntax.words().contains(&name) {
                return clash(what, name, "a word of every script".to_owned());
            }
            Ok(())
        };
        let mut taken: Vec<(&str, &str)> = Vec::new();
        for (dialect, default) in table.prefixes() {
            let prefix = self.prefix(dialect, default);
            let what = || format!("prefix of `{dialect}`");
            check(what(), prefix)?;
            if let Some((other, _)) = taken.iter().find(|(_, taken)| *taken == prefix) {
                return clash(what(), prefix, format!("the prefix of `{other}`"));
            }
            taken.push((dialect, prefix));
        }
        let alias = self.module_alias.as_str();
        if alias.is_empty() {
            return Ok(());
        }
        check("module alias".to_owned(), alias)?;
        match taken.iter().find(|(_, taken)| *taken == alias) {
            Some((other, _)) => clash("module alias".to_owned(), alias, format!("the prefix of `{other}`")),
            None => Ok(()),
        }
    }

    /// The option values that the header records, as `option=value`.
    pub(crate) fn header_values(&self, table: &PrinterTable) -> DocsifyResult<Vec<String>> {
        let mut values = Vec::new();
        if self.show_object_address {
            values.push("show_object_address=True".to_owned());
        }
        // Without values every option of a dialect has its default.
        if self.parts.0.is_empty() {
            return Ok(values);
        }
        for option in table.options() {
            let Some(header) = option.header else { continue };
            let name = option.name.replace('-', "_");
            match header(self) {
                Ok(None) => {}
                Ok(Some(value)) => values.push(format!("{name}={value}")),
                Err(reason) => return Err(DocsifyError::BadOption { option: name, reason }.into()),
            }
        }
        Ok(values)
    }

    /// Returns `true` if statements have spans or comments beside them.
    pub(crate) fn has_margins(&self) -> bool {
        self.show_spans.is_some() || self.keep_comments.as_ref().is_some_and(|comments| !comments.is_empty())
    }

    /// Returns `true` if anything is to be underlined or annotated.
    pub(crate) fn has_messages(&self) -> bool {
        !(self.path_to_underline.is_empty()
            && self.path_to_underline_if_printed.is_empty()
            && self.path_to_annotate.is_empty()
            && self.obj_to_underline.is_empty()
            && self.obj_to_annotate.is_empty())
    }
}

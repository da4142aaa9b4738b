//! Dialects described in a TOML file and loaded at run time.
//!
//! A file declares nodes, operators and statements, each with its text. From it follow printing and parsing, both JSON
//! forms, equality, hash, visitors, differences, stubs and a reference page, as for a dialect that is written in Rust. No
//! code runs while a file is loaded.
//!
//! ```
//! use tvmscript_dialect_file::DialectFile;
//! use tvmscript_ir_core::RegistryBuilder;
//!
//! let text = r#"
//! [dialect]
//! name = "toy"
//! prefix = "Toy"
//!
//! [statement.trace]
//! doc = "Logs a message."
//! fields = { label = "str", level = { kind = "int", default = 0 } }
//! assembly = "Toy.trace({label}, level={level})"
//! "#;
//! let base = RegistryBuilder::new().build()?;
//! let file = DialectFile::load(text, &base).map_err(|errors| errors[0].to_string())?;
//! let registry = RegistryBuilder::new().with(file.dialect()).build()?;
//! assert!(registry.node("toy.Trace").is_some());
//!
//! let wrong = text.replace("{level}", "{levl}");
//! let errors = DialectFile::load(&wrong, &base).unwrap_err();
//! assert_eq!(errors[0].to_string(), "the assembly of `trace` has the placeholder `{levl}`, which is not a field");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The crate knows no dialect: classes of others are named by their type keys, and looked up in the registry that a file is
//! loaded on top of.
#![warn(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing))]

mod call;
mod description;
mod edition;
mod error;
mod function;
mod irdl;
mod key;
mod kind;
mod load;
mod lower;
mod node;
mod operators;
mod print;
mod rule;
mod source;
mod statement;
mod template;
mod traits;
mod upgrade;

use toml::de::DeTable;
use tvmscript_docsifier::DocsifyDialect as _;
use tvmscript_ir_core::{Dialect, ObjectLike, Registry, TypeInfo};
use tvmscript_irbuilder::BuildDialect as _;
use tvmscript_pass::PassError;
use tvmscript_python_syntax::ast;
use tvmscript_script_parser::{DecoratorRule, ParseDialect as _, Parser, WholeTextReader, defaults};

pub use edition::Editions;
pub use error::{DescriptionError, DescriptionErrorKind};
pub use irdl::{IrdlError, from_irdl};
pub use key::ContentKey;
pub use lower::{Lower, lower};
pub use traits::Traits;

use crate::description::Description;
use crate::load::Loaded;
use crate::node::Gives;
use crate::source::{Mistakes, Section};
use crate::template::Form;

/// Maximum size of a file in bytes.
pub const MAX_BYTES: usize = 4 << 20;

/// Options of loading a description.
#[derive(Clone, Copy)]
pub struct LoadOptions<'o> {
    /// Reads a file that the description names, by its path relative to the description.
    pub read: &'o dyn Fn(&str) -> Option<String>,
    /// The editions whose entries are loaded.
    pub editions: Editions<'o>,
}

impl Default for LoadOptions<'_> {
    fn default() -> Self {
        LoadOptions { read: &|_| None, editions: Editions::Newest }
    }
}

impl std::fmt::Debug for LoadOptions<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LoadOptions").field("editions", &self.editions).finish_non_exhaustive()
    }
}

/// A dialect that was loaded from a file.
///
/// Types live as long as the process. A text that is loaded again, on top of the same dialects, gives the same types.
#[derive(Debug, Clone, Copy)]
pub struct DialectFile {
    loaded: &'static Loaded,
}

impl DialectFile {
    /// Loads a description. `base` holds the dialects that it may refer to and has to go together with.
    ///
    /// # Errors
    /// Fails with all mistakes, each with its place in the text.
    pub fn load(text: &str, base: &Registry) -> Result<DialectFile, Vec<DescriptionError>> {
        DialectFile::load_with(text, base, &LoadOptions::default())
    }

    /// As [`DialectFile::load`], with options.
    ///
    /// # Errors
    /// As [`DialectFile::load`].
    pub fn load_with(
        text: &str,
        base: &Registry,
        options: &LoadOptions<'_>,
    ) -> Result<DialectFile, Vec<DescriptionError>> {
        let mut mistakes = Mistakes::default();
        if text.len() > MAX_BYTES {
            mistakes.add(DescriptionErrorKind::TooMany { what: "bytes", limit: MAX_BYTES }, &(0..0));
            return Err(mistakes.0);
        }
        let (root, errors) = DeTable::parse_recoverable(text);
        for error in &errors {
            let span = error.span().unwrap_or(0..0);
            let at = |offset: usize| u32::try_from(offset.min(text.len())).unwrap_or(u32::MAX);
            let kind = DescriptionErrorKind::Syntax { message: error.message().to_owned() };
            mistakes.add(kind, &(at(span.start)..at(span.end)));
        }
        if !errors.is_empty() {
            return Err(mistakes.0);
        }
        let section = Section::root(&root, text);
        let description = Description::read(&section, options.read, options.editions, &mut mistakes);
        let templates = description.iter().flat_map(|description| &description.entries);
        let templates = templates.filter_map(|entry| entry.lower.as_ref()).map(|lower| lower.text.as_str());
        let key = ContentKey::of(std::iter::once(text).chain(templates));
        let loaded = description
            .and_then(|description| load::load(description, key, options.editions, base, &mut mistakes));
        match loaded {
            Some(loaded) if mistakes.0.is_empty() => Ok(DialectFile { loaded }),
            _ => {
                mistakes.0.sort_by_key(|error| error.range().start);
                Err(mistakes.0)
            }
        }
    }

    /// The name of the dialect, with which its type keys begin.
    pub fn name(&self) -> &'static str {
        self.loaded.name
    }

    /// The prefix of the dialect in scripts.
    pub fn prefix(&self) -> &'static str {
        self.loaded.prefix
    }

    /// The edition; empty if the file names none.
    pub fn edition(&self) -> &'static str {
        &self.loaded.edition
    }

    /// The documentation of the dialect.
    pub fn doc(&self) -> &'static str {
        &self.loaded.doc
    }

    /// The content key of the file.
    pub fn key(&self) -> ContentKey {
        self.loaded.key
    }

    /// The types of its nodes, in the order of the tables.
    pub fn types(&self) -> &'static [&'static TypeInfo] {
        &self.loaded.types
    }

    /// The traits of a node's type; none for types of other dialects.
    pub fn traits(&self, info: &TypeInfo) -> Traits {
        let at = self.loaded.types.iter().position(|own| std::ptr::eq(*own, info));
        at.and_then(|at| self.loaded.traits.get(at)).copied().unwrap_or_default()
    }

    /// Number of nodes, abstract ones included.
    pub fn node_count(&self) -> usize {
        self.loaded.types.len()
    }

    /// Number of functions that scripts can call.
    pub fn function_count(&self) -> usize {
        self.loaded.functions.len()
    }

    /// Rewrites nodes of earlier editions to those that replace them. The file has to be loaded with [`Editions::All`].
    ///
    /// # Errors
    /// Fails if a replaced node breaks a check, or a class that a field requires.
    pub fn upgrade<T: ObjectLike>(&self, root: T) -> Result<T, PassError> {
        upgrade::upgrade(root, &self.loaded.replaced)
    }

    /// The pass that lowers its nodes; `None` if the file lowers none.
    pub fn lowering(&self) -> Option<Lower> {
        self.loaded.texts.iter().any(|text| text.lower.is_some()).then_some(Lower(*self))
    }

    /// The dialect, for a registry.
    #[track_caller]
    pub fn dialect(&self) -> Dialect {
        let loaded = self.loaded;
        let mut dialect = Dialect::new(loaded.name).alias(loaded.prefix).namespace(&[loaded.prefix]);
        for info in &loaded.types {
            dialect = dialect.node_info(info);
        }
        for text in loaded.texts.iter().copied() {
            let info = text.info;
            if text.is_variable {
                dialect = dialect.variable_info(info);
            }
            dialect = match (text.gives, text.form) {
                (_, Form::Text { .. }) => {
                    dialect.docsify_info(info, move |node, path, d| print::whole_text(text, node, path, d))
                }
                (Gives::Value, _) => {
                    dialect.docsify_info(info, move |node, path, d| print::expression(text, node, path, d))
                }
                (Gives::Statement, Form::Function { .. }) => dialect
                    .docsify_info(info, move |node, path, d| function::print(loaded, text, node, path, d)),
                (Gives::Statement, _) => {
                    dialect.docsify_info(info, move |node, path, d| print::statement(text, node, path, d))
                }
            };
        }
        for (name, define) in &loaded.decorators {
            dialect = dialect.decorator(name, DecoratorRule::Described { define: *define });
        }
        // The statements of functions with a decorator of another dialect are read by that dialect.
        let wholes = loaded.statements.iter().filter(|text| matches!(text.form, Form::Text { .. }));
        if !loaded.decorators.is_empty() || wholes.clone().next().is_some() {
            dialect = dialect
                .parse::<ast::ExprStmt>(function::expression)
                .parse::<ast::With>(defaults::with)
                .parse::<ast::For>(defaults::for_frame)
                .fragments(defaults::fragment);
            let find =
                |form: fn(&Form) -> bool| loaded.statements.iter().copied().find(|text| form(&text.form));
            let bind = find(|form| matches!(form, Form::Bind { .. }));
            dialect = dialect.parse::<ast::Assign>(move |p, id, stmt| statement::assign(bind, p, id, stmt));
            if let Some(text) = bind.filter(|text| text.annotation.is_some()) {
                dialect = dialect
                    .parse::<ast::AnnAssign>(move |p, id, stmt| statement::annotated(text, p, id, stmt));
            }
            if let Some(text) = find(|form| matches!(form, Form::Return { .. })) {
                dialect =
                    dialect.parse::<ast::Return>(move |p, id, stmt| statement::returned(text, p, id, stmt));
            }
            if let Some(text) = find(|form| matches!(form, Form::If { .. })) {
                dialect = dialect.parse::<ast::If>(move |p, id, stmt| statement::branch(text, p, id, stmt));
            }
        }
        for text in wholes.copied() {
            let read: WholeTextReader =
                Box::leak(Box::new(move |p: &mut Parser<'_>, body: &[ast::StmtId]| {
                    statement::whole_text(text, p, body)
                }));
            dialect = dialect.whole_text(text.lines, read);
        }
        if !loaded.operations.is_empty() {
            for info in loaded.types.iter().filter(|info| info.is_concrete()) {
                dialect = dialect.operator_info(info, operators::apply);
            }
        }
        dialect
            .functions(&loaded.functions)
            .predefined_functions(&loaded.words)
            .python_modules(loaded.modules)
            .absent_names(&loaded.absent)
    }
}

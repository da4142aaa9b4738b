//! Programs that were read, and their parts.

use std::ops::Deref;
use std::sync::Arc;

use tvmscript::diagnostics::{Anchor, Diagnostic, Severity};
use tvmscript::ir_core::{Array, ObjectLike as _, SourceComments, SourceTexts, SpanKind};
use tvmscript::{Object, ParseOptions, Parsed, Registry, Release, SourceGuard, SourceId, Span, Value};

use crate::diagnostics::Findings;

/// The dialects that a program is read with. They live as long as the process, like the types of their nodes.
pub(crate) struct Dialects(&'static Registry);

impl Dialects {
    /// Those of the library.
    pub(crate) fn shared() -> Dialects {
        Dialects(tvmscript::registry())
    }

    /// Those of the library with others.
    pub(crate) fn of(registry: Registry) -> Dialects {
        Dialects(Box::leak(Box::new(registry)))
    }

    pub(crate) fn forever(&self) -> &'static Registry {
        self.0
    }
}

impl Deref for Dialects {
    type Target = Registry;
    fn deref(&self) -> &Registry {
        self.0
    }
}

/// The text or file that nodes come from.
pub(crate) struct Origin {
    pub(crate) dialects: Arc<Dialects>,
    pub(crate) release: &'static Release,
    /// Name of the text for messages.
    pub(crate) name: Arc<str>,
    pub(crate) text: Arc<str>,
    /// Source of the spans; `None` for JSON.
    source: Option<SourceId>,
    other_texts: SourceTexts,
    pub(crate) comments: SourceComments,
    /// Keep the spans of the nodes.
    _sources: Vec<SourceGuard>,
}

impl Origin {
    /// The origin of nodes without text.
    pub(crate) fn without_text(dialects: Arc<Dialects>, release: &'static Release, name: &str) -> Origin {
        Origin {
            dialects,
            release,
            name: name.into(),
            text: "".into(),
            source: None,
            other_texts: SourceTexts::new(),
            comments: SourceComments::default(),
            _sources: Vec::new(),
        }
    }

    /// The dialects as the release has them.
    pub(crate) fn of_release(&self) -> &Registry {
        self.dialects.of_release(self.release).unwrap_or(&self.dialects)
    }

    /// The lines of the text and of the modules that it imports.
    pub(crate) fn texts(&self) -> SourceTexts {
        match self.source {
            Some(source) => self.other_texts.clone().with(source, &self.text),
            None => self.other_texts.clone(),
        }
    }

    /// The range of a span in the text: for a node that a helper made, the call in the text.
    pub(crate) fn range(&self, span: Span) -> Option<std::ops::Range<u32>> {
        let mut at = span;
        loop {
            at = match at.kind() {
                SpanKind::Range { source, start_bytes, end_bytes } if Some(source) == self.source => {
                    return Some(start_bytes..end_bytes);
                }
                SpanKind::CallSite { caller, .. } => caller,
                _ => break,
            };
        }
        let stmt = self.comments.stmts_of(span).into_iter().next()?;
        let stmt = self.comments.stmts().get(stmt)?;
        Some(stmt.start_bytes..stmt.end_bytes)
    }

    /// Moves the labels on parts of a root to ranges of the text, where they have one.
    pub(crate) fn locate(&self, root: &Object, mut diagnostic: Diagnostic) -> Diagnostic {
        for label in &mut diagnostic.labels {
            if let Some(range) = self.range(label.at.span(root)) {
                label.at = Anchor::Text(range);
            }
        }
        diagnostic
    }
}

/// A node with its origin.
#[derive(Clone)]
pub(crate) struct Part {
    pub(crate) node: Object,
    pub(crate) origin: Arc<Origin>,
}

impl Part {
    /// Another node of the same origin.
    pub(crate) fn with(&self, node: Object) -> Part {
        Part { node, origin: Arc::clone(&self.origin) }
    }

    /// Finds what is not well-formed.
    pub(crate) fn check(&self) -> Vec<Diagnostic> {
        let origin = &self.origin;
        let may_be_ill_formed = origin.release.syntax.may_be_ill_formed && origin.source.is_some();
        let severity = if may_be_ill_formed { Severity::Note } else { Severity::Error };
        let found = origin.of_release().check(&self.node).into_iter();
        found.map(|found| Diagnostic { severity, ..origin.locate(&self.node, found) }).collect()
    }
}

/// One function, module or other node of a text.
pub(crate) struct Script {
    /// Name of its definition; empty if it has none.
    pub(crate) name: String,
    pub(crate) node: Object,
    is_checked: bool,
}

/// A text that was read.
pub(crate) struct Program {
    pub(crate) scripts: Vec<Script>,
    pub(crate) origin: Arc<Origin>,
}

impl Program {
    /// Parses a text.
    pub(crate) fn parse(
        dialects: Arc<Dialects>,
        name: &str,
        text: &str,
        options: &ParseOptions,
    ) -> (Program, Findings) {
        let parsed = tvmscript::parse(name, text, &dialects, options);
        let Parsed {
            scripts, errors, warnings, source, named_sources, other_texts, comments, release, ..
        } = parsed;
        let sources = named_sources.iter().chain([&source]).map(|source| source.release_on_drop()).collect();
        let origin = Origin {
            dialects,
            release,
            name: name.into(),
            text: text.into(),
            source: Some(source),
            other_texts,
            comments,
            _sources: sources,
        };
        let scripts = scripts.into_iter().map(|script| Script {
            name: script.name.unwrap_or_default(),
            node: script.node,
            is_checked: script.is_checked,
        });
        let program = Program { scripts: scripts.collect(), origin: Arc::new(origin) };
        let mut found: Vec<Diagnostic> = errors.iter().chain(&warnings).map(Diagnostic::erased).collect();
        found.sort_by_key(|diagnostic| (diagnostic.range().start, diagnostic.range().end));
        let findings = Findings::in_text(found, &program.origin);
        (program, findings)
    }

    /// A script with the program as its origin.
    pub(crate) fn part(&self, index: usize) -> Option<Part> {
        Some(Part { node: self.scripts.get(index)?.node.clone(), origin: Arc::clone(&self.origin) })
    }

    /// The only script, or the array of all.
    pub(crate) fn whole(&self) -> Part {
        let node = match self.scripts.as_slice() {
            [one] => one.node.clone(),
            many => {
                let values = many.iter().map(|script| Value::Node(script.node.clone()));
                Array::<Value>::of_values(values).into_object()
            }
        };
        Part { node, origin: Arc::clone(&self.origin) }
    }

    /// Finds what is not well-formed in the scripts whose decorator does not disable the check.
    pub(crate) fn check(&self) -> Vec<Diagnostic> {
        let checked = self.scripts.iter().filter(|script| script.is_checked);
        checked
            .flat_map(|script| Part { node: script.node.clone(), origin: Arc::clone(&self.origin) }.check())
            .collect()
    }
}

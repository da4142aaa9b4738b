//! Rewriting until no rule applies.
//!
//! A [`Rewriter`] applies [`RewriteRule`]s to the nodes of a graph, children first, until none applies. Subgraphs in
//! which nothing changed are not visited again. Any function from a node to its replacement is a rule.
//!
//! ```
//! use tvmscript_ir_core::{Node, Object, Ref};
//! use tvmscript_pass::Rewriter;
//!
//! #[derive(Debug, Clone, Node)]
//! #[node(key = "doc.Not")]
//! struct Not {
//!     of: Option<Ref<Not>>,
//! }
//!
//! let not = |of| Ref::new(Not { of });
//! let twice = |node: &Object| {
//!     let inner = node.as_node::<Not>().and_then(|not| not.of.as_ref()?.of.clone());
//!     Ok(inner.map(Object::from))
//! };
//! let one = not(None);
//! let three = not(Some(not(Some(one.clone()))));
//! assert!(Rewriter::new().with_rule(twice).run(three)?.ptr_eq(&one));
//! # Ok::<(), tvmscript_pass::PassError>(())
//! ```

use tvmscript_ir_core::{Descend, Mutator, Object, ObjectLike, PtrSet, mutate};
use tvmscript_si_builder::SIBuilder;

use crate::PassError;

/// A local rewrite.
pub trait RewriteRule {
    /// Returns the replacement of a node, or nothing if the rule does not apply. The children of the node are rewritten
    /// already.
    ///
    /// # Errors
    /// An error ends the rewriting.
    fn apply(&self, node: &Object) -> Result<Option<Object>, PassError>;
}

impl<F: Fn(&Object) -> Result<Option<Object>, PassError>> RewriteRule for F {
    fn apply(&self, node: &Object) -> Result<Option<Object>, PassError> {
        self(node)
    }
}

/// Default of [`Rewriter::with_max_rewrites`].
const MAX_REWRITES: usize = 10_000_000;

/// Applies rules until none applies.
pub struct Rewriter<'r> {
    rules: Vec<Box<dyn RewriteRule + 'r>>,
    max_rewrites: usize,
    fills_spans: bool,
}

impl Default for Rewriter<'_> {
    fn default() -> Self {
        Rewriter { rules: Vec::new(), max_rewrites: MAX_REWRITES, fills_spans: true }
    }
}

impl<'r> Rewriter<'r> {
    /// Creates a rewriter without rules.
    pub fn new() -> Rewriter<'r> {
        Rewriter::default()
    }

    /// Adds a rule. The first one that applies to a node wins.
    #[must_use]
    pub fn with_rule(mut self, rule: impl RewriteRule + 'r) -> Self {
        self.rules.push(Box::new(rule));
        self
    }

    /// Sets the number of applications after which rewriting fails, for rules that undo each other.
    #[must_use]
    pub fn with_max_rewrites(self, max_rewrites: usize) -> Self {
        Rewriter { max_rewrites, ..self }
    }

    /// Sets if replacements have the spans of the nodes that they replace, as
    /// [`PassContext::fills_spans`](crate::PassContext::fills_spans) says in a pass.
    #[must_use]
    pub fn with_filled_spans(self, fills_spans: bool) -> Self {
        Rewriter { fills_spans, ..self }
    }

    /// Rewrites a graph. By default a replacement has the spans of the nodes that it replaces: those of the matched
    /// subgraph that are not part of the replacement.
    ///
    /// # Errors
    /// Fails with the error of a rule, if a replacement does not fit its place, and if the limit of rewrites is reached.
    pub fn run<T: ObjectLike>(&self, mut root: T) -> Result<T, PassError> {
        let mut round =
            Round { rewriter: self, normal: PtrSet::default(), open: Vec::new(), rewrites: 0, failed: None };
        loop {
            let before = round.rewrites;
            root = mutate(root, &mut round)?;
            if let Some(error) = round.failed {
                return Err(error);
            }
            if round.rewrites == before {
                return Ok(root);
            }
        }
    }
}

impl std::fmt::Debug for Rewriter<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rewriter").field("rules", &self.rules.len()).finish_non_exhaustive()
    }
}

/// One walk over the graph.
struct Round<'r, 'w> {
    rewriter: &'w Rewriter<'r>,
    /// Roots of subgraphs to which no rule applies.
    normal: PtrSet,
    /// Number of rewrites before each open node.
    open: Vec<usize>,
    rewrites: usize,
    failed: Option<PassError>,
}

impl Round<'_, '_> {
    /// Returns the replacement by the first rule that applies.
    fn replacement(&self, node: &Object) -> Result<Option<Object>, PassError> {
        for rule in &self.rewriter.rules {
            if let Some(new) = rule.apply(node)? {
                return Ok(Some(new));
            }
        }
        Ok(None)
    }

    /// Gives the nodes of a replacement the spans of what they replace.
    fn with_spans(&self, old: &Object, new: Object) -> Result<Object, PassError> {
        if !self.rewriter.fills_spans || new.span().is_known() {
            return Ok(new);
        }
        let builder = SIBuilder::from_subgraph(old, [&new]);
        Ok(builder.recursively_fill_span(new, [] as [&Object; 0])?)
    }
}

impl Mutator for Round<'_, '_> {
    fn enter(&mut self, node: &Object) -> Descend {
        if self.failed.is_some() || self.normal.contains(node) {
            return Descend::Keep;
        }
        self.open.push(self.rewrites);
        Descend::Into
    }

    fn leave(&mut self, node: Object) -> Object {
        let before = self.open.pop().unwrap_or_default();
        if self.failed.is_some() {
            return node;
        }
        let new = self.replacement(&node).and_then(|new| match new {
            Some(_) if self.rewrites >= self.rewriter.max_rewrites => Err(PassError::unsupported(format!(
                "more than {} rewrites; the rules may undo each other",
                self.rewriter.max_rewrites
            ))),
            Some(new) => self.with_spans(&node, new).map(Some),
            None => Ok(None),
        });
        match new {
            Ok(Some(new)) => {
                self.rewrites += 1;
                new
            }
            Ok(None) => {
                if before == self.rewrites {
                    self.normal.insert(node.clone());
                }
                node
            }
            Err(error) => {
                self.failed = Some(error.at(&node));
                node
            }
        }
    }
}

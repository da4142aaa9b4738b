//! Docs of several nodes in one arena: the parts of a text that is not the script of one root.

use std::rc::Rc;

use tvmscript_doc::{DocArena, Expr, ExprDoc, StmtDoc};
use tvmscript_ir_core::Object;

use super::Docsifier;
use crate::config::PrinterConfig;
use crate::error::{DocsifyError, DocsifyResult};
use crate::script::in_own_frame;

impl<'r> Docsifier<'r> {
    /// Makes the docs of a node as if it were the root, in which other nodes have the given docs. No variable of the
    /// fragment takes a name that these docs use.
    ///
    /// # Errors
    /// If the node has no text, or only one that refers to the metadata section.
    pub fn fragment(
        &mut self,
        node: &Object,
        known: &[(Object, ExprDoc)],
        config: &'r PrinterConfig,
    ) -> DocsifyResult<Vec<StmtDoc>> {
        let root = std::mem::replace(&mut self.root, node.clone());
        let region = self.enter_region(node);
        let config = std::mem::replace(&mut self.config, config);
        let states = std::mem::take(&mut self.states);
        let metadata = std::mem::take(&mut self.metadata);
        let made = in_own_frame(self, node, |d| {
            for (node, doc) in known {
                d.hold_name(*doc);
                let doc = *doc;
                d.define_by_doc(node, Rc::new(move |_| Ok(doc)))?;
            }
            Ok(())
        });
        let needs_metadata = !self.metadata.is_empty();
        (self.root, self.region, self.config) = (root, region, config);
        (self.states, self.metadata) = (states, metadata);
        let (_, stmts) = made?;
        match needs_metadata {
            true => Err(DocsifyError::unwritable(node, "its text refers to the metadata section")),
            false => Ok(stmts),
        }
    }

    /// Ends the print. Returns its docs, whose names are final.
    ///
    /// # Errors
    /// If a variable has a word that no dialect registered, or there are too many docs.
    pub fn into_docs(mut self) -> DocsifyResult<DocArena> {
        self.resolve_words()?;
        self.docs.check()?;
        Ok(self.docs)
    }

    /// Keeps the name that an expression begins with (`A` of `A.data`) from variables of the innermost frame.
    fn hold_name(&mut self, mut doc: ExprDoc) {
        let name = loop {
            match self.docs.expr(doc) {
                Expr::Id(name) => break name,
                Expr::Attr { value, .. } | Expr::Index { value, .. } => doc = value,
                _ => return,
            }
        };
        let (_, frame) = self.frames.innermost();
        self.definitions.hold(name, &mut frame.scope);
    }
}

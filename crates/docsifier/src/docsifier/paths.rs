//! Access paths on docs, and the comments and underlines that are asked for by node or path.

use tvmscript_doc::{Doc, ExprDoc, StmtDoc};
use tvmscript_ir_core::{Object, PathId, PathStep, Value};

use super::Docsifier;

impl Docsifier<'_> {
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

    pub(super) fn decorate(&mut self, object: &Object, doc: Doc, path: PathId) {
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
}

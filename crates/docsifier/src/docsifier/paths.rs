//! Access paths of docs, and the comments and underlines requested by node or path.

use tvmscript_doc::{Doc, ExprDoc, SliceDoc, StmtDoc};
use tvmscript_ir_core::{Object, PathId, PathStep, Value};

use super::Docsifier;

impl Docsifier<'_> {
    /// The path `step` below `parent`.
    #[inline]
    fn child_path(&mut self, parent: PathId, step: impl FnOnce() -> PathStep) -> PathId {
        if !self.tracks_paths {
            return PathId::ROOT;
        }
        match &mut self.wanted_paths {
            None => self.docs.child_path(parent, step()),
            Some(wanted) if !wanted.contains(parent) => parent,
            Some(wanted) => wanted.child(&mut self.docs, parent, step()),
        }
    }

    /// The path of a field; [`field!`](tvmscript_ir_core::field) gives its name.
    #[inline]
    pub fn field(&mut self, path: PathId, name: &'static str) -> PathId {
        self.child_path(path, || PathStep::Field(name))
    }

    /// The path of an element.
    #[inline]
    pub fn item(&mut self, path: PathId, index: usize) -> PathId {
        self.child_path(path, || PathStep::Index(index as u32))
    }

    /// The path of a map's entry.
    pub fn entry(&mut self, path: PathId, key: &Value) -> PathId {
        self.child_path(path, || PathStep::Key(key.clone()))
    }

    /// The path of the key of a map's entry.
    pub fn key_itself(&mut self, path: PathId, key: &Value) -> PathId {
        self.child_path(path, || PathStep::KeyItself(key.clone()))
    }

    /// Records that a doc stands for a field of the node at `path`, in addition to earlier paths.
    #[inline]
    pub fn at_field(&mut self, doc: ExprDoc, path: PathId, name: &'static str) -> ExprDoc {
        let path = self.field(path, name);
        self.at(doc, path)
    }

    /// Records that a doc stands for the node at `path`, in addition to earlier paths.
    #[inline]
    pub fn at(&mut self, doc: ExprDoc, path: PathId) -> ExprDoc {
        if self.tracks_paths_at(path) {
            self.docs.add_path(doc, path);
        }
        doc
    }

    /// Records that a statement stands for the node at `path`, in addition to earlier paths.
    #[inline]
    pub fn at_stmt(&mut self, stmt: StmtDoc, path: PathId) -> StmtDoc {
        if self.tracks_paths_at(path) {
            self.docs.add_path(stmt, path);
        }
        stmt
    }

    /// Records that a slice stands for the node at `path`, in addition to earlier paths.
    #[inline]
    pub fn at_slice(&mut self, slice: SliceDoc, path: PathId) -> SliceDoc {
        if self.tracks_paths_at(path) {
            self.docs.add_path(slice, path);
        }
        slice
    }

    pub(super) fn decorate(&mut self, object: &Object, doc: Doc, path: PathId) {
        self.find_object(object, path);
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
            // Statements returned to the enclosing block carry their own paths; after header lines, the last statement
            // is the node's.
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

    /// Records the paths of nodes that messages refer to.
    fn find_object(&mut self, object: &Object, path: PathId) {
        let config = self.config;
        let find = |objects: &mut dyn Iterator<Item = &Object>| -> Vec<usize> {
            objects.enumerate().filter(|(_, o)| o.ptr_eq(object)).map(|(index, _)| index).collect()
        };
        if !config.obj_to_underline.is_empty() {
            let found = find(&mut config.obj_to_underline.iter());
            self.messages.underlined.extend(found.into_iter().map(|index| (index, path)));
        }
        if !config.obj_to_annotate.is_empty() {
            for index in find(&mut config.obj_to_annotate.iter().map(|(o, _)| o)) {
                self.messages.printed_objects.entry(index).or_insert(path);
            }
        }
    }

    /// Adds the comments requested for this node or path to a statement.
    pub fn annotate(&mut self, object: &Object, stmt: StmtDoc, path: PathId) {
        if !self.tracks_paths_at(path) {
            return;
        }
        let config = self.config;
        for (index, (annotated, text)) in config.obj_to_annotate.iter().enumerate() {
            if annotated.ptr_eq(object) {
                self.add_message(stmt, text);
                self.messages.placed_objects.insert(index);
            }
        }
        if !config.path_to_annotate.is_empty() {
            let here = self.docs.paths().to_path(path);
            for (index, (annotated, text)) in config.path_to_annotate.iter().enumerate() {
                if *annotated == here {
                    self.add_message(stmt, text);
                    self.messages.placed_paths.insert(index);
                }
            }
        }
    }

    /// Returns `true` if a comment is requested for this node, so that it needs a statement of its own.
    pub fn is_annotated(&self, object: &Object, path: PathId) -> bool {
        if !self.tracks_paths_at(path) {
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

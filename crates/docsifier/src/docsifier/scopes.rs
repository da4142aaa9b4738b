//! Opening and closing frames, and access to their contents.

use std::any::Any;

use tvmscript_doc::{Doc, StmtDoc, StmtList};

use super::Docsifier;
use crate::error::DocsifyResult;
use crate::frame::{ExitCallback, Frame};
use crate::stmts::Stmts;

impl Docsifier<'_> {
    /// Runs `f` inside a frame. Returns its result and the frame's statements. The frame closes on errors too.
    ///
    /// # Errors
    /// Errors of `f`.
    pub fn with_frame<R>(
        &mut self,
        frame: Frame,
        f: impl FnOnce(&mut Self) -> DocsifyResult<R>,
    ) -> DocsifyResult<(R, Vec<StmtDoc>)> {
        self.with_open_frame(frame, f).map(|(result, stmts)| (result, stmts.into_vec()))
    }

    /// As [`Docsifier::with_frame`], for statements that become part of the enclosing block ([`Docsifier::loose`]).
    ///
    /// # Errors
    /// Errors of `f`.
    pub fn with_open_frame<R>(
        &mut self,
        frame: Frame,
        f: impl FnOnce(&mut Self) -> DocsifyResult<R>,
    ) -> DocsifyResult<(R, Stmts)> {
        self.frames.open(frame);
        let result = f(self);
        let exits = std::mem::take(&mut self.frame_mut().exits);
        for exit in exits {
            exit(self);
        }
        let Some(mut frame) = self.frames.close() else { unreachable!("frames open and close in pairs") };
        if !frame.keeps_names
            && let Some(keeper) = self.frames.name_keeper()
        {
            keeper.scope.keep(&mut frame.scope);
        }
        self.definitions.close(&frame.scope);
        Ok((result?, frame.stmts))
    }

    /// Wraps statements for the enclosing block in a doc. The caller must add it to a frame ([`Docsifier::push_doc`])
    /// before it makes the next doc.
    pub fn loose(&mut self, stmts: Stmts) -> Doc {
        self.returned = Some(stmts);
        Doc::Block(StmtList::default())
    }

    /// The innermost frame.
    ///
    /// # Panics
    /// Panics outside any frame, which no handler is.
    pub fn frame_mut(&mut self) -> &mut Frame {
        self.frames.innermost().1
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
                if let Some(stmts) = self.returned.take() {
                    self.frame_mut().stmts.append(stmts);
                }
            }
            Doc::Block(list) => {
                let Docsifier { frames, docs, .. } = self;
                if let Some(frame) = frames.innermost_mut() {
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

    /// Number of the outermost frame that declares free variables ([`Frame::fragment`]).
    pub fn outermost_free_frame(&self) -> Option<usize> {
        self.frames.iter().position(|frame| frame.declares_free)
    }

    /// The data of the innermost frame that holds an `F`.
    pub fn frame_data<F: Any>(&self) -> Option<&F> {
        self.frames.iter().rev().find_map(|f| f.data.downcast_ref::<F>())
    }

    /// As [`Docsifier::frame_data`], for modification.
    pub fn frame_data_mut<F: Any>(&mut self) -> Option<&mut F> {
        self.frames.data_mut()
    }

    /// Runs `callback` when the innermost frame closes.
    pub fn on_exit(&mut self, callback: ExitCallback) {
        self.frame_mut().exits.push(callback);
    }

    /// Number of open frames. The innermost has this number minus one.
    pub fn frame_count(&self) -> usize {
        self.frames.len()
    }

    /// Runs `f` with the frame of this number as the innermost; inner frames are suspended meanwhile. Statements that
    /// `f` pushes and names that it defines belong to that frame; for a name used after an inner scope see
    /// [`Docsifier::frame_of_free`].
    pub fn in_frame<R>(&mut self, frame: usize, f: impl FnOnce(&mut Self) -> R) -> R {
        let inner = self.frames.suspend_inside(frame);
        let result = f(self);
        self.frames.resume(inner);
        result
    }
}

//! Opening and closing frames, and what they hold.

use std::any::Any;

use tvmscript_doc::{Doc, StmtDoc, StmtList};

use super::Docsifier;
use crate::error::Result;
use crate::frame::{ExitCallback, Frame};
use crate::stmts::Stmts;

impl Docsifier<'_> {
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
        self.frames.open(frame);
        let result = f(self);
        let exits = std::mem::take(&mut self.frame_mut().exits);
        for exit in exits {
            exit(self);
        }
        let Some(frame) = self.frames.close() else { unreachable!("frames open and close in pairs") };
        self.definitions.close(&frame.scope);
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
                if let Some(stmts) = self.loose.take() {
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

    /// The number of the frame around a fragment, if one is around ([`Frame::fragment`]).
    pub fn outermost_free_frame(&self) -> Option<usize> {
        self.frames.iter().position(|frame| frame.declares_free)
    }

    /// The data of the innermost frame that holds an `F`.
    pub fn frame_data<F: Any>(&self) -> Option<&F> {
        self.frames.iter().rev().find_map(|f| f.data.downcast_ref::<F>())
    }

    /// The data of the innermost frame that holds an `F`, to change.
    pub fn frame_data_mut<F: Any>(&mut self) -> Option<&mut F> {
        self.frames.data_mut()
    }

    /// Runs `callback` when the innermost frame closes.
    pub fn on_exit(&mut self, callback: ExitCallback) {
        self.frame_mut().exits.push(callback);
    }

    /// How many frames are open; the innermost has the number before.
    pub fn frame_count(&self) -> usize {
        self.frames.len()
    }

    /// Runs `f` with the frame of this number innermost; the frames further in are open again afterwards.
    pub fn in_frame<R>(&mut self, frame: usize, f: impl FnOnce(&mut Self) -> R) -> R {
        let inner = self.frames.suspend_inside(frame);
        let result = f(self);
        self.frames.resume(inner);
        result
    }
}

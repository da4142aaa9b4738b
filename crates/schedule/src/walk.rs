//! Walks over the loops and blocks of a statement.

use tvmscript_ir_core::{Ref, with_stack};
use tvmscript_tir::{BlockRealize, For, StmtRef, StmtView as _};

/// A loop or a block in a statement.
#[derive(Clone, Copy)]
pub(crate) enum Found<'s> {
    Loop(&'s Ref<For>),
    Block(&'s Ref<BlockRealize>),
}

impl<'s> Found<'s> {
    /// The statement, if it is a loop or a block.
    pub(crate) fn of(stmt: &'s StmtRef) -> Option<Found<'s>> {
        if let Some(found) = stmt.downcast_ref::<For>() {
            return Some(Found::Loop(found));
        }
        stmt.downcast_ref::<BlockRealize>().map(Found::Block)
    }

    /// The statement that it iterates.
    pub(crate) fn body(self) -> &'s StmtRef {
        match self {
            Found::Loop(found) => &found.body,
            Found::Block(found) => &found.block.body,
        }
    }

    /// The statement with another body.
    pub(crate) fn with_body(self, body: StmtRef) -> StmtRef {
        match self {
            Found::Loop(found) => {
                let mut new = found.clone();
                new.make_mut().body = body;
                new.upcast()
            }
            Found::Block(found) => {
                let mut new = found.clone();
                new.make_mut().block.make_mut().body = body;
                new.upcast()
            }
        }
    }

    /// The node that has a handle: a loop, or the block itself.
    pub(crate) fn address(self) -> usize {
        match self {
            Found::Loop(found) => found.object().address(),
            Found::Block(found) => found.block.object().address(),
        }
    }
}

/// Calls `f` for the outermost loops and blocks of a statement, the statement itself among them, in order. Init
/// statements of blocks are not part of the tree.
pub(crate) fn topmost<'s>(stmt: &'s StmtRef, f: &mut impl FnMut(Found<'s>)) {
    match Found::of(stmt) {
        Some(found) => f(found),
        None => stmt.kind().for_each_child(|child| with_stack(|| topmost(child, f))),
    }
}

/// Calls `f` for the outermost blocks of a statement, in order.
pub(crate) fn topmost_blocks<'s>(stmt: &'s StmtRef, f: &mut impl FnMut(&'s Ref<BlockRealize>)) {
    topmost(stmt, &mut |found| match found {
        Found::Block(block) => f(block),
        Found::Loop(outer) => with_stack(|| topmost_blocks(&outer.body, f)),
    });
}

/// Calls `f` for all blocks of a statement, outer ones first.
pub(crate) fn all_blocks<'s>(stmt: &'s StmtRef, f: &mut impl FnMut(&'s Ref<BlockRealize>)) {
    topmost_blocks(stmt, &mut |block| {
        f(block);
        with_stack(|| all_blocks(&block.block.body, f));
    });
}

//! A view of a statement as an enum.

use tvmscript_ir_core::class_view;
use tvmscript_ir_core::view::for_each_node_below_rev;

use super::*;

class_view! {
    /// The known statement nodes, and `Other` for those of other dialects.
    StmtKind by StmtView of Stmt:
    LetStmt, AttrStmt, AssertStmt, BufferStore, BufferRealize, Allocate, AllocateConst, DeclBuffer, SeqStmt, Evaluate,
    IfThenElse, For, While, Block, BlockRealize,
}

impl<'a> StmtKind<'a> {
    /// Calls `f` for each statement directly below this one.
    #[inline]
    pub fn for_each_child(self, mut f: impl FnMut(&'a StmtRef)) {
        match self {
            StmtKind::BufferStore(_) | StmtKind::Evaluate(_) => {}
            // A statement of another dialect.
            StmtKind::Other(s) => for_each_node_below_rev(s.object(), |_, node| {
                node.downcast_ref::<Stmt>().into_iter().for_each(&mut f);
            }),
            StmtKind::SeqStmt(s) => s.seq.iter().for_each(f),
            StmtKind::LetStmt(s) => f(&s.body),
            StmtKind::AttrStmt(s) => f(&s.body),
            StmtKind::AssertStmt(s) => f(&s.body),
            StmtKind::BufferRealize(s) => f(&s.body),
            StmtKind::Allocate(s) => f(&s.body),
            StmtKind::AllocateConst(s) => f(&s.body),
            StmtKind::DeclBuffer(s) => f(&s.body),
            StmtKind::For(s) => f(&s.body),
            StmtKind::While(s) => f(&s.body),
            StmtKind::IfThenElse(s) => {
                f(&s.then_case);
                s.else_case.iter().for_each(f);
            }
            StmtKind::Block(s) => {
                s.init.iter().for_each(&mut f);
                f(&s.body);
            }
            StmtKind::BlockRealize(s) => f(s.block.upcast_ref()),
        }
    }
}

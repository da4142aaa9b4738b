//! A view of a statement as an enum, so that `match` stays pleasant while the set of nodes stays open.

use std::sync::OnceLock;

use tvmscript_ir_core::{Class, Ref};

use super::*;

macro_rules! kinds {
    ($($name:ident),* $(,)?) => {
        /// The known statement nodes, and `Other` for those of other dialects.
        #[derive(Debug, Clone, Copy)]
        pub enum StmtKind<'a> {
            $(#[allow(missing_docs)] $name(&'a $name),)*
            /// A node that this crate does not know.
            Other(&'a StmtRef),
        }

        #[derive(Clone, Copy)]
        #[repr(u8)]
        enum Tag { Other, $($name,)* }

        fn tags() -> &'static [Tag] {
            static TAGS: OnceLock<Vec<Tag>> = OnceLock::new();
            TAGS.get_or_init(|| {
                let known = [$(($name::type_info().index(), Tag::$name),)*];
                let len = known.iter().map(|(i, _)| i + 1).max().unwrap_or(0);
                let mut tags = vec![Tag::Other; len];
                for (index, tag) in known {
                    tags[index] = tag;
                }
                tags
            })
        }

        impl StmtView for Ref<Stmt> {
            #[inline]
            fn kind(&self) -> StmtKind<'_> {
                let tag = tags().get(self.object().info().index()).copied().unwrap_or(Tag::Other);
                match tag {
                    $(Tag::$name => self.as_node::<$name>().map_or(StmtKind::Other(self), StmtKind::$name),)*
                    Tag::Other => StmtKind::Other(self),
                }
            }
        }
    };
}

/// The view of a statement.
pub trait StmtView {
    /// Which node this is.
    fn kind(&self) -> StmtKind<'_>;
}

kinds! {
    LetStmt, AttrStmt, AssertStmt, BufferStore, BufferRealize, Allocate, AllocateConst, DeclBuffer, SeqStmt, Evaluate,
    IfThenElse, For, While, Block, BlockRealize,
}

impl<'a> StmtKind<'a> {
    /// Calls `f` for each statement directly below, in order.
    #[inline]
    pub fn for_each_child(self, mut f: impl FnMut(&'a StmtRef)) {
        match self {
            StmtKind::BufferStore(_) | StmtKind::Evaluate(_) | StmtKind::Other(_) => {}
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

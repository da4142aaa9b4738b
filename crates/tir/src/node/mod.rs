//! The nodes of the dialect, with constructors that check and never fold.

mod block;
mod buffer;
mod expr;
mod function;
mod kind;
mod loops;
mod stmt;

pub use block::{Block, BlockRealize, BufferRegion, MatchBufferRegion};
pub use buffer::{AUTO_WITHOUT_STRIDES, Buffer, BufferParts, BufferType, DEFAULT_ALIGNMENT};
#[cfg(feature = "build")]
pub(crate) use expr::element_type;
pub use expr::{BufferLoad, IterType, IterVar, ProducerLoad, Reduce};
pub use function::PrimFunc;
pub use kind::{StmtKind, StmtView};
pub use loops::{For, ForKind, While};
pub use stmt::{
    Allocate, AllocateConst, AssertStmt, AttrStmt, BufferRealize, BufferStore, DeclBuffer, Evaluate,
    IfThenElse, LetStmt, SeqStmt, Stmt, StmtRef, flatten,
};
pub use tvmscript_prim::IndexMap;

//! TIR to text: one printer a node, one file a family.
//!
//! The text is TVM's, byte for byte, wherever TVM's reader makes the same IR of it again; elsewhere a stricter form stands
//! that reads back. Expressions of `prim` print here, too: they have no text of their own.

mod alloc;
mod attr;
mod binary;
mod block;
mod buffer;
mod buffer_decl;
mod call;
mod expr;
mod function;
mod literal;
mod loops;
mod reduce;
mod state;
mod stmt;
mod types;
mod var;

pub use state::TirOptions;
pub use stmt::body;

use tvmscript_docsifier::doc::ExprDoc;
use tvmscript_docsifier::{Docsifier, DocsifyDialect, DocsifyError, Frame, Result};
use tvmscript_ir::print::ModuleOrder;
use tvmscript_ir::{GlobalVar, IRModule, Target};
use tvmscript_ir_core::{Dialect, PathId, Ref};
use tvmscript_prim as prim;

use crate::node::*;

/// The printers of this dialect and of the shared expressions.
pub(crate) fn register(dialect: Dialect) -> Dialect {
    let dialect = dialect
        .alias("T")
        .root_frame(|_| Frame::fragment(()))
        .printer_options(state::OPTIONS)
        .words(&[loops::RANGE]);
    statements(expressions(dialect))
        .on::<prim::PrimType>()
        .docsify(types::prim_type)
        .on::<prim::PointerType>()
        .docsify(types::pointer_type)
        .on::<prim::TupleType>()
        .docsify(types::tuple_type)
        .on::<prim::Range>()
        .docsify_under("tir", types::range)
        .on::<Target>()
        .docsify(types::target)
        .on::<GlobalVar>()
        .docsify_under("tir", tvmscript_ir::print::function_reference)
        .on::<IRModule>()
        .docsify_under("tir", module)
        .finish()
}

fn expressions(dialect: Dialect) -> Dialect {
    dialect
        .on::<prim::IntImm>()
        .docsify(literal::int_imm)
        .on::<prim::FloatImm>()
        .docsify(literal::float_imm)
        .on::<prim::StringImm>()
        .docsify(literal::string_imm)
        .on::<prim::Var>()
        .docsify(var::var)
        .variable()
        .docsify_info(prim::size_var_type(), |object, path, d| var::size_var(object, path, d).map(Into::into))
        .on::<prim::Cast>()
        .docsify(expr::cast)
        .on::<prim::Add>()
        .docsify(binary::add)
        .on::<prim::Sub>()
        .docsify(binary::sub)
        .on::<prim::Mul>()
        .docsify(binary::mul)
        .on::<prim::Div>()
        .docsify(binary::div)
        .on::<prim::Mod>()
        .docsify(binary::truncmod)
        .on::<prim::FloorDiv>()
        .docsify(binary::floordiv)
        .on::<prim::FloorMod>()
        .docsify(binary::floormod)
        .on::<prim::Min>()
        .docsify(binary::min)
        .on::<prim::Max>()
        .docsify(binary::max)
        .on::<prim::EQ>()
        .docsify(binary::eq)
        .on::<prim::NE>()
        .docsify(binary::ne)
        .on::<prim::LT>()
        .docsify(binary::lt)
        .on::<prim::LE>()
        .docsify(binary::le)
        .on::<prim::GT>()
        .docsify(binary::gt)
        .on::<prim::GE>()
        .docsify(binary::ge)
        .on::<prim::And>()
        .docsify(binary::and)
        .on::<prim::Or>()
        .docsify(binary::or)
        .on::<prim::Not>()
        .docsify(binary::not)
        .on::<prim::Select>()
        .docsify(expr::select)
        .on::<prim::Ramp>()
        .docsify(expr::ramp)
        .on::<prim::Broadcast>()
        .docsify(expr::broadcast)
        .on::<prim::Shuffle>()
        .docsify(expr::shuffle)
        .on::<prim::Let>()
        .docsify(expr::let_expr)
        .on::<prim::Call>()
        .docsify(call::call)
        .on::<prim::CommReducer>()
        .docsify(reduce::comm_reducer)
        .on::<Reduce>()
        .docsify(reduce::reduce)
        .on::<IndexMap>()
        .docsify(reduce::index_map)
        .on::<IterVar>()
        .docsify(var::iter_var)
        .on::<Buffer>()
        .docsify(buffer::buffer)
        .variable()
        .on::<BufferLoad>()
        .docsify(buffer::load)
        .on::<ProducerLoad>()
        .docsify(buffer::producer_load)
        .on::<BufferRegion>()
        .docsify(buffer::region)
        .finish()
}

fn statements(dialect: Dialect) -> Dialect {
    dialect
        .on::<BufferStore>()
        .docsify(buffer::store)
        .on::<MatchBufferRegion>()
        .docsify(buffer::match_region)
        .on::<LetStmt>()
        .docsify(stmt::let_stmt)
        .on::<AttrStmt>()
        .docsify(attr::attr_stmt)
        .on::<AssertStmt>()
        .docsify(stmt::assert_stmt)
        .on::<BufferRealize>()
        .docsify(alloc::buffer_realize)
        .on::<Allocate>()
        .docsify(alloc::allocate)
        .on::<AllocateConst>()
        .docsify(alloc::allocate_const)
        .on::<DeclBuffer>()
        .docsify(alloc::decl_buffer)
        .on::<SeqStmt>()
        .docsify(stmt::seq)
        .on::<Evaluate>()
        .docsify(stmt::evaluate)
        .on::<IfThenElse>()
        .docsify(stmt::if_then_else)
        .on::<For>()
        .docsify(loops::for_loop)
        .on::<While>()
        .docsify(stmt::while_loop)
        .on::<Block>()
        .docsify(block::block)
        .on::<BlockRealize>()
        .docsify(block::realize)
        .on::<PrimFunc>()
        .docsify(function::prim_func)
        .module_order(1)
        .finish()
}

/// A module where TIR names it.
fn module(node: &Ref<IRModule>, _: PathId, d: &mut Docsifier<'_>) -> Result<ExprDoc> {
    d.defined_doc(node.object())?.ok_or_else(|| DocsifyError::Undeclared { name: "Module".to_owned() }.into())
}

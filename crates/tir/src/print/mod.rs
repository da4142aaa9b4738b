//! Printers of TIR, one per node and one file per family.
//!
//! The text is TVM's, byte for byte, wherever TVM's parser recreates the same IR from it. Elsewhere a stricter form
//! is printed that parses back. The shared expressions of `prim` have no text of their own and print here too.

mod alloc;
mod attr;
mod binary;
mod bits;
mod block;
mod buffer;
mod buffer_decl;
mod call;
mod expr;
pub mod forms;
pub mod function;
mod loops;
mod reduce;
mod state;
mod stmt;
mod types;
mod var;

/// Parts of statements, for the printers of dialects that extend this one.
pub mod parts {
    pub use super::alloc::annotations_kwarg;
    pub use super::attr::attribute_node;
    pub use super::buffer::define as define_buffer;
    pub use super::buffer_decl::{
        Inline, declaration, full_annotation, has_default_offset, has_default_pointer,
    };
    pub use super::expr::items;
    pub use super::function::{FunctionHead, attributes, function_with, implicit_root, root_body};
    pub use super::state::TirDocsifier;
    pub use super::stmt::{Scope, may_be_concise};
    pub use super::var::{creation as variable_creation, define as define_variable};
}

pub use state::TirOptions;
pub use stmt::body;

use tvmscript_docsifier::doc::{Doc, ExprDoc};
use tvmscript_docsifier::{Docsifier, DocsifyDialect, DocsifyError, DocsifyResult, Frame};
use tvmscript_ir::print::ModuleOrder;
use tvmscript_ir::{GlobalVar, IRModule, Target};
use tvmscript_ir_core::{Dialect, PathId, Ref};
use tvmscript_prim as prim;

use crate::node::*;

/// Registers one printer per node.
macro_rules! printers {
    ($dialect:expr; $($node:ty => $printer:path $(, $option:ident($($arg:expr)?))*;)*) => {
        $dialect$(.on::<$node>().docsify($printer)$(.$option($($arg)?))*)*
    };
}

/// Registers the printers of this dialect and of the shared expressions.
pub(crate) fn register(dialect: Dialect) -> Dialect {
    let dialect = dialect
        .alias("T")
        .root_frame(|_| Frame::fragment(()))
        .printer_options(state::OPTIONS)
        .words(&[loops::RANGE])
        .on::<prim::Range>()
        .docsify_under("tir", types::range)
        .on::<GlobalVar>()
        .docsify_under("tir", tvmscript_ir::print::function_reference)
        .on::<IRModule>()
        .docsify_under("tir", module)
        .finish();
    statements(expressions(dialect))
}

fn expressions(dialect: Dialect) -> Dialect {
    printers! { dialect.docsify_info(prim::size_var_type(), |object, path, d| var::size_var(object, path, d).map(Doc::from));
        prim::PrimType => types::prim_type;
        prim::PointerType => types::pointer_type;
        prim::TupleType => types::tuple_type;
        Target => types::target;
        prim::IntImm => expr::int_imm;
        prim::FloatImm => expr::float_imm;
        prim::StringImm => expr::string_imm;
        prim::Var => var::var, variable();
        prim::Cast => expr::cast;
        prim::Add => binary::add;
        prim::Sub => binary::sub;
        prim::Mul => binary::mul;
        prim::Div => binary::div;
        prim::Mod => binary::truncmod;
        prim::FloorDiv => binary::floordiv;
        prim::FloorMod => binary::floormod;
        prim::Min => binary::min;
        prim::Max => binary::max;
        prim::EQ => binary::eq;
        prim::NE => binary::ne;
        prim::LT => binary::lt;
        prim::LE => binary::le;
        prim::GT => binary::gt;
        prim::GE => binary::ge;
        prim::And => binary::and;
        prim::Or => binary::or;
        prim::Not => binary::not;
        prim::Select => expr::select;
        prim::Ramp => expr::ramp;
        prim::Broadcast => expr::broadcast;
        prim::Shuffle => expr::shuffle;
        prim::Let => expr::let_expr;
        prim::Call => call::call;
        prim::UnknownCall => expr::unknown_call;
        prim::CommReducer => reduce::comm_reducer;
        Reduce => reduce::reduce;
        IndexMap => reduce::index_map;
        IterVar => var::iter_var;
        Buffer => buffer::buffer, variable();
        BufferLoad => forms::load;
        ProducerLoad => buffer::producer_load;
        BufferRegion => buffer::region;
    }
    .finish()
}

fn statements(dialect: Dialect) -> Dialect {
    printers! { dialect;
        BufferStore => forms::store;
        MatchBufferRegion => buffer::match_region;
        LetStmt => stmt::let_stmt;
        AttrStmt => forms::attribute;
        AssertStmt => stmt::assert_stmt;
        BufferRealize => alloc::buffer_realize;
        Allocate => alloc::allocate;
        AllocateConst => alloc::allocate_const;
        DeclBuffer => alloc::decl_buffer;
        SeqStmt => stmt::seq;
        Evaluate => stmt::evaluate;
        IfThenElse => stmt::if_then_else;
        For => loops::for_loop;
        While => stmt::while_loop;
        Block => block::block;
        BlockRealize => block::realize;
        PrimFunc => function::prim_func, module_order(1);
    }
    .finish()
}

/// A module, where TIR refers to it.
fn module(node: &Ref<IRModule>, _: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    d.defined_doc(node.object())?.ok_or_else(|| DocsifyError::Undeclared { name: "Module".to_owned() }.into())
}

//! The printer of modules and of the nodes that all dialects share.
//!
//! Functions of a module print by their dialect's printer; this module orders them by the ranks that dialects register
//! with [`ModuleForm, ModuleOrder::module_order`].

mod as_written;
mod constants;
mod data;
mod module;
mod name;
mod shared;
mod small;

pub use as_written::call_as_written;
pub use constants::{ConstantOptions, elided, tensor_call};
pub use data::{data, data_dict};
pub use module::{ModuleForm, ModuleFrame, ModuleOrder};
pub use name::{function_name, function_name_doc, function_reference, type_variable};
pub use small::{range_call, range_with, target_config, tvm_name};

use crate::DictAttrs;
use tvmscript_docsifier::{DocsifyDialect, Frame};
use tvmscript_ir_core::Dialect;
use tvmscript_prim::Op;
use tvmscript_prim::{FuncType, Range};

use crate::node::{DummyGlobalInfo, GlobalVar, IRModule, Omitted, VDevice};

/// Registers the printers of this dialect.
pub(crate) fn register(dialect: Dialect) -> Dialect {
    dialect
        .alias("I")
        .root_frame(|_| Frame::fragment(()))
        .printer_options(constants::OPTIONS)
        .data_printer(data::data)
        .map_printer(module::functions)
        .words(&[small::TVM])
        .on::<IRModule>()
        .docsify(module::module)
        .on::<DictAttrs>()
        .docsify(small::dict_attrs)
        .on::<GlobalVar>()
        .docsify(small::global_var)
        .on::<DummyGlobalInfo>()
        .docsify(small::dummy_global_info)
        .on::<VDevice>()
        .docsify(small::vdevice)
        .on::<Op>()
        .docsify(small::op)
        .on::<FuncType>()
        .docsify(small::func_type)
        .on::<Omitted>()
        .docsify(small::omitted)
        .on::<Range>()
        .docsify_under("ir", small::range)
        .root_token()
        .finish()
}

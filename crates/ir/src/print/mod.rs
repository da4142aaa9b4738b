//! Modules and what every dialect refers to, as text.
//!
//! Functions of a module print by their own dialect's printer; this module only orders them. A dialect says where its
//! functions stand with [`ModuleOrder::module_order`].

mod constants;
mod data;
mod module;
mod name;
mod small;

pub use constants::{ConstantOptions, elided, tensor_call};
pub use data::{data, data_dict};
pub use module::{ModuleFrame, ModuleOrder};
pub use name::{function_name, function_name_doc, function_reference};
pub use small::{range_call, range_with, target_config, tvm_name};

use crate::DictAttrs;
use tvmscript_docsifier::{DocsifyDialect, Frame};
use tvmscript_ir_core::Dialect;
use tvmscript_prim::Op;
use tvmscript_prim::{FuncType, Range};

use crate::node::{DummyGlobalInfo, GlobalVar, IRModule, VDevice};

/// The printers of this dialect.
pub(crate) fn register(dialect: Dialect) -> Dialect {
    dialect
        .alias("I")
        .root_frame(|_| Frame::fragment(()))
        .printer_options(constants::OPTIONS)
        .data_printer(data::data)
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
        .on::<Range>()
        .docsify_under("ir", small::range)
        .home()
        .finish()
}

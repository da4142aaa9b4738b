//! Names of scripts: the statements as functions, and the modules to import.

use tvmscript_ir_core::Dialect;
use tvmscript_irbuilder::BuildDialect as _;
use tvmscript_script_parser::{Member, ParseDialect as _, PythonModule};
use tvmscript_tir::parse::python;

use crate::build::{ALLOC_BUFFER, BIND, DECL_BUFFER, LAUNCH_THREAD};

/// Registers the functions, and the namespace for imports.
pub(super) fn register(dialect: Dialect) -> Dialect {
    static MODULES: &[PythonModule] = &[
        PythonModule::new(&["tvm.script", "tvm.script.parser", "tvm.script.ir_builder"])
            .members(&[("tirx", Member::Namespace)]),
        PythonModule::new(&[
            "tvm.tirx",
            "tvm.tirx.buffer",
            "tvm.tirx.expr",
            "tvm.tirx.function",
            "tvm.tirx.op",
        ])
        .names(python::SAME)
        .members(python::MEMBERS),
    ];
    dialect
        .namespace(&["tirx"])
        .functions(&[&BIND, &ALLOC_BUFFER, &DECL_BUFFER, &LAUNCH_THREAD])
        .functions_as(&[("sblock_alloc_buffer", &tvmscript_tir::build::buffer::ALLOC_BUFFER)])
        .python_modules(MODULES)
}

//! Lookup of operators named by scripts.

use tvmscript_ir_core::registry::DeclaredNames;
use tvmscript_ir_core::{Class, Ref};
use tvmscript_irbuilder::{BuildResult, Builder};
use tvmscript_prim::{Op, UnknownOperator};

/// Returns the operator with this name.
///
/// # Errors
/// [`UnknownOperator`] if the builder's registry declares operators and no dialect declares this one.
/// # Source
/// `Op::Get`, `src/ir/op.cc`.
pub fn operator(name: &str) -> BuildResult<Ref<Op>> {
    match Builder::context::<DeclaredNames>() {
        Some(names) if !names.allow(Op::type_info(), name) => {
            Err(UnknownOperator { name: name.to_owned() }.into())
        }
        _ => Ok(Op::get(name)),
    }
}

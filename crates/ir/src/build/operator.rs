//! Lookup of operators named by scripts.

use tvmscript_ir_core::registry::DeclaredNames;
use tvmscript_ir_core::{Class, Ref};
use tvmscript_irbuilder::{BuildResult, Builder};
use tvmscript_prim::{Op, UnknownOperator};

/// Returns the operator with this name, which may be that of the release.
///
/// # Errors
/// [`UnknownOperator`] if the builder's registry declares operators and no dialect declares this one.
/// # Source
/// `Op::Get`, `src/ir/op.cc`.
pub fn operator(name: &str) -> BuildResult<Ref<Op>> {
    let Some(names) = Builder::context::<DeclaredNames>() else { return Ok(Op::get(name)) };
    if names.allow(Op::type_info(), name) {
        return Ok(Op::get(name));
    }
    let own = Builder::release().renames.operators.own_name(name);
    match names.allow(Op::type_info(), &own) {
        true => Ok(Op::get(&own)),
        false => Err(UnknownOperator { name: name.to_owned() }.into()),
    }
}

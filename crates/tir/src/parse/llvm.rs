//! `T.llvm_lookup_intrinsic_id`, which would need LLVM to look up the number of an intrinsic.

use tvmscript_ir_core::{Span, Str};
use tvmscript_irbuilder::{BuildError, CallArgs, FromScript, ScriptValue, Signature};
use tvmscript_prim::StringImm;
use tvmscript_script_parser::{EvalErrorKind, Parser};

/// Returns the name of the intrinsic as a constant, and notes that it is not looked up.
///
/// TVM stores the number of the LLVM version it links with, and treats a name there as that number.
pub(super) fn lookup_intrinsic_id(p: &mut Parser<'_>, args: CallArgs) -> Result<ScriptValue, BuildError> {
    let signature = Signature::new("llvm_lookup_intrinsic_id", &["name"]);
    let name: Str = signature.bind(args)?.required(0, Str::from_script)?;
    let message = format!("the number of `{name}` is not looked up without LLVM: the name is kept");
    p.note(Span::current(), EvalErrorKind::Dialect { message });
    Ok(StringImm::new(name).into())
}

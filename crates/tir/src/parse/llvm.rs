//! `T.llvm_lookup_intrinsic_id`: the number of an intrinsic of LLVM, which only LLVM knows.

use tvmscript_ir_core::{Span, Str};
use tvmscript_irbuilder::{BuildError, CallArgs, FromScript, ScriptValue, Signature};
use tvmscript_prim::StringImm;
use tvmscript_script_parser::{ParseErrorKind, Parser};

/// Gives the intrinsic's name as a constant, and notes that it is not looked up.
///
/// TVM puts the number of the LLVM that it is linked with into the IR; it reads a name there as that number.
pub(super) fn lookup_intrinsic_id(p: &mut Parser<'_>, args: CallArgs) -> Result<ScriptValue, BuildError> {
    let signature = Signature::new("llvm_lookup_intrinsic_id", &["name"]);
    let name: Str = signature.bind(args)?.required(0, Str::from_script)?;
    let message =
        format!("the number of `{name}` is not looked up, since there is no LLVM here: the name is kept");
    p.note(Span::current(), ParseErrorKind::Dialect { message });
    Ok(StringImm::new(name).into())
}

//! Masked accesses: `T.masked_load("float32x4", A, T.Ramp(0, 1, 4), mask)`, where older releases have `predicate=`.

use tvmscript_ir_core::{Array, DataType, Ref};
use tvmscript_irbuilder::{BuildError, CallArgs, FromScript, Result, ScriptValue};
use tvmscript_prim::{Expr, PrimExprExt as _};
use tvmscript_tir::build::args::{ExprArg, NodeArg};
use tvmscript_tir::build::stmt;
use tvmscript_tir::{Buffer, BufferLoad};

/// `T.masked_load("float32x4", A, i, T.Ramp(0, 1, 4), mask)`
pub(super) fn load(args: CallArgs) -> Result<ScriptValue> {
    let mut args = Args::of("masked_load", args)?;
    let dtype = DataType::from_script(args.take("a type")?).map_err(|error| error.at_position(0))?;
    let buffer = args.buffer()?;
    let (indices, mask) = args.indices_and_mask()?;
    let load = BufferLoad::try_new(buffer, indices, Some(mask))?;
    let found = load.dtype();
    match found == dtype {
        true => Ok(load.into()),
        false => {
            let found = format!("elements of type `{found}`");
            Err(BuildError::expected(format!("a load of type `{dtype}`"), found).at_position(0))
        }
    }
}

/// `T.masked_store(B, value, T.Ramp(0, 1, 4), mask)`
pub(super) fn store(args: CallArgs) -> Result<ScriptValue> {
    let mut args = Args::of("masked_store", args)?;
    let buffer = args.buffer()?;
    let at = args.at;
    let value = ExprArg::convert(args.take("a value")?).map_err(|error| error.at_position(at))?;
    let (indices, mask) = args.indices_and_mask()?;
    stmt::store(&buffer, value, indices, Some(mask))?;
    Ok(ScriptValue::None)
}

/// The arguments that are left, and the position of the first.
struct Args {
    rest: std::vec::IntoIter<ScriptValue>,
    at: usize,
}

impl Args {
    fn of(name: &str, args: CallArgs) -> Result<Args> {
        match args.keywords.first() {
            Some((keyword, _)) => {
                Err(BuildError::message(format!("`T.{name}` has no argument named `{keyword}`")))
            }
            None => Ok(Args { rest: Vec::from_iter(args.positional).into_iter(), at: 0 }),
        }
    }

    fn take(&mut self, expected: &str) -> Result<ScriptValue> {
        self.at += 1;
        self.rest.next().ok_or_else(|| BuildError::expected(expected, "no further argument"))
    }

    fn buffer(&mut self) -> Result<Ref<Buffer>> {
        let at = self.at;
        let value = self.take("a buffer")?;
        Ok(<NodeArg<Buffer>>::from_script(value).map_err(|error| error.at_position(at))?.0)
    }

    fn indices_and_mask(self) -> Result<(Array<Expr>, Expr)> {
        let first = self.at;
        let convert = |(i, value)| ExprArg::convert(value).map_err(|error| error.at_position(first + i));
        let mut exprs: Vec<Expr> = self.rest.enumerate().map(convert).collect::<Result<_>>()?;
        let mask = exprs.pop().ok_or_else(|| BuildError::expected("a mask", "no further argument"))?;
        Ok((Array::new(exprs), mask))
    }
}

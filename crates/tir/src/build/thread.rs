//! Threads: `T.env_thread`, `T.launch_thread`.

use tvmscript_arith::Analyzer;
use tvmscript_ir_core::{DataType, Ref, Str};
use tvmscript_irbuilder::{BuildError, BuildResult, Builder, FrameOf, ScriptValue, script_fn};
use tvmscript_prim::ops::undetermined::determine;
use tvmscript_prim::{Expr, IntImm, PrimExprExt, Range, Var, ops};

use super::args::ExprArg;
use super::frame::{FrameKind, TirFrame, wrong_frame};
use crate::node::{IterType, IterVar};

/// A thread variable of a function; the first launch sets its domain.
#[derive(Debug)]
pub struct EnvThread {
    var: Ref<Var>,
    tag: Str,
    launched: Option<Ref<IterVar>>,
}

fn with_threads<R>(function: &str, f: impl FnOnce(&mut Vec<EnvThread>) -> BuildResult<R>) -> BuildResult<R> {
    let mut f = Some(f);
    let done = Builder::find(|frame: &mut TirFrame| match &mut frame.kind {
        FrameKind::PrimFunc(func) => f.take().map(|f| f(&mut func.env_threads)),
        _ => None,
    })?;
    done.unwrap_or_else(|| Err(wrong_frame(function, "inside a function")))
}

/// Returns `true` if two extents are equal after simplification.
fn proves_equal(a: &Expr, b: &Expr) -> bool {
    match (a.as_node::<IntImm>(), b.as_node::<IntImm>()) {
        (Some(x), Some(y)) => x.value == y.value,
        _ => Analyzer::new().can_prove_equal(a, b),
    }
}

/// Declares a thread variable to be launched later.
#[script_fn]
pub fn env_thread(thread_tag: Str, #[default = DataType::INT32] dtype: DataType) -> BuildResult<Ref<Var>> {
    let var = Var::new("", dtype);
    with_threads("T.env_thread", |threads| {
        threads.push(EnvThread { var: var.clone(), tag: thread_tag, launched: None });
        Ok(())
    })?;
    Ok(var)
}

/// Declares that a variable is a thread's, without a name for the thread, unless it is one already.
///
/// # Errors
/// Outside of a function.
pub fn declare_thread(var: &Ref<Var>) -> BuildResult<()> {
    with_threads("T.launch_thread", |threads| {
        if !threads.iter().any(|thread| thread.var.ptr_eq(var)) {
            threads.push(EnvThread { var: var.clone(), tag: Str::new(""), launched: None });
        }
        Ok(())
    })
}

/// Launches threads for the rest of the scope, with an existing thread variable or a new one for a tag.
#[script_fn]
pub fn launch_thread(thread: ScriptValue, extent: ExprArg) -> BuildResult<FrameOf<TirFrame, Ref<Var>>> {
    launched(thread, extent)
}

/// The frame of [`launch_thread`].
///
/// # Errors
/// If the variable is none of a thread, or the thread is launched with another extent.
pub fn launched(thread: ScriptValue, extent: ExprArg) -> BuildResult<FrameOf<TirFrame, Ref<Var>>> {
    let extent = determine(extent.0, DataType::INT32);
    let var = match &thread {
        ScriptValue::Str(tag) => try_env_thread(tag.clone(), extent.dtype())?,
        other => match other.as_node::<Var>() {
            Some(var) => var.clone(),
            None => {
                let error = BuildError::expected("a thread's name or variable", other.type_name());
                return Err(error.at_position(0));
            }
        },
    };
    let thread = with_threads("T.launch_thread", |threads| {
        let Some(entry) = threads.iter_mut().find(|t| t.var.ptr_eq(&var)) else {
            let error = BuildError::message(format!("`{}` is not a thread variable", var.name.get()));
            return Err(error.at_position(0).with_help("create one with `T.env_thread(\"threadIdx.x\")`"));
        };
        if let Some(launched) = &entry.launched {
            let before = launched.dom.as_ref().map(|d| d.extent.clone());
            let same = before.as_ref().is_some_and(|b| {
                tvmscript_ir_core::equal::structural_equal(b.object(), extent.object())
                    || proves_equal(b, &extent)
            });
            if !same {
                let message = format!("thread `{}` is launched with two extents", entry.tag);
                return Err(BuildError::message(message).at_position(1));
            }
            return Ok(launched.clone());
        }
        let dom_extent = ops::cast(var.dtype, extent.clone())?;
        let dom = Range::try_from_extent(dom_extent)?;
        let launched = IterVar::try_new(Some(dom), var.clone(), IterType::ThreadIndex, entry.tag.clone())?;
        entry.launched = Some(launched.clone());
        Ok(launched)
    })?;
    let key = thread.launch_key();
    Ok(FrameOf::new(TirFrame::new(FrameKind::LaunchThread { thread, key: key.into(), extent })))
}

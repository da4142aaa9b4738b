//! Sources of the nodes that a frontend makes.

use tvmscript_ir_core::RewriteError;
use tvmscript_si_builder::{Expression, Fillable, SpanSource};

use crate::{BaseFunc, GlobalVar, RelaxExpr};

impl Expression for RelaxExpr {}
impl Expression for BaseFunc {}
impl Expression for GlobalVar {}

/// Environment variable that switches [`set_span`] off.
pub const SPAN_FILLING: &str = "TVM_SPANFILLING";

/// Returns `false` if the environment variable `TVM_SPANFILLING` is `0`.
pub fn span_filling() -> bool {
    std::env::var_os(SPAN_FILLING).is_none_or(|value| value != "0")
}

/// Fills the nodes that a frontend made for one operator or layer with its name or span, unless [`span_filling`] is off;
/// see [`tvmscript_si_builder::set_span`].
///
/// ```
/// use tvmscript_ir::{GlobalVar, set_span, span_filling};
///
/// let function = set_span(GlobalVar::new("main"), "model.tflite")?;
/// assert_eq!(function.span.is_known(), span_filling());
/// # Ok::<(), tvmscript_ir_core::RewriteError>(())
/// ```
///
/// # Errors
/// Fails if a node of the graph breaks its invariants.
pub fn set_span<F: Fillable>(target: F, source: impl Into<SpanSource>) -> Result<F, RewriteError> {
    if span_filling() { tvmscript_si_builder::set_span(target, source) } else { Ok(target) }
}

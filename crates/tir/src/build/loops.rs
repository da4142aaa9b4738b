//! Loops: `T.serial` and its variants, `T.grid`, `T.While`.

use tvmscript_ir::build::AsWritten;
use tvmscript_ir_core::equal::structural_equal;
use tvmscript_ir_core::{DataType, Map, Ref, Span, Str, Value};
use tvmscript_irbuilder::{BuildError, BuildResult, Builder, FrameOf, HostObject, ScriptValue, script_fn};
use tvmscript_prim::ops::undetermined::determine;
use tvmscript_prim::{Expr, IntImm, PrimExprExt, Range, Var};

use super::args::{Domain, ExprArg, LoopStart, NodeArg, Shape};
#[cfg(feature = "parse")]
use super::frame::loop_domain;
use super::frame::{FrameKind, TirFrame};
use crate::error::check_kind;
use crate::extent;
use crate::node::{For, ForKind, IterType, IterVar, StmtRef};

/// One loop, or several nested ones.
#[derive(Debug)]
pub struct ForFrame {
    pub(crate) name: &'static str,
    vars: Vec<Ref<Var>>,
    domains: Vec<Ref<Range>>,
    kind: ForKind,
    thread: Option<Str>,
    annotations: Map<Str, Value>,
    step: Option<Expr>,
    single: bool,
    /// The value of entering the loops, if it is not just their variables.
    given: Option<ScriptValue>,
}

impl ForFrame {
    /// The loop variables.
    pub fn vars(&self) -> &[Ref<Var>] {
        &self.vars
    }

    pub(crate) fn value(&self) -> ScriptValue {
        if let Some(given) = &self.given {
            return given.clone();
        }
        match &self.vars[..] {
            [var] if self.single => var.clone().into(),
            vars => ScriptValue::list(vars.iter().map(|v| v.clone().into()).collect()),
        }
    }

    pub(crate) fn domain_of(&self, var: &Ref<Var>) -> Option<Ref<Range>> {
        self.vars.iter().zip(&self.domains).find(|(v, _)| v.ptr_eq(var)).map(|(_, domain)| domain.clone())
    }

    /// Loops over `other` in place of the variable `var`, which nothing uses yet.
    #[cfg(feature = "parse")]
    fn replace(&mut self, var: &Ref<Var>, other: &Ref<Var>) -> bool {
        let found = self.vars.iter_mut().find(|own| own.ptr_eq(var));
        found.map(|own| *own = other.clone()).is_some()
    }

    pub(crate) fn close(self, mut body: StmtRef) -> BuildResult<StmtRef> {
        let ForFrame { vars, domains, kind, thread, annotations, step, .. } = self;
        for (var, domain) in vars.into_iter().zip(domains).rev() {
            let thread_binding = match &thread {
                Some(tag) => {
                    // Upstream's name.
                    let thread_var = Var::new("iter", var.dtype);
                    Some(IterVar::try_new(None, thread_var, IterType::ThreadIndex, tag.clone())?)
                }
                None => None,
            };
            body = For::try_new(For {
                span: Span::current(),
                loop_var: var,
                min: domain.min.clone(),
                extent: domain.extent.clone(),
                kind,
                body,
                thread_binding,
                annotations: annotations.clone(),
                step: step.clone(),
            })?;
        }
        Ok(body)
    }
}

/// Context of releases whose loops have an end instead of an extent: `range(1, n)` is read as it stands.
#[derive(Debug)]
pub struct EndsAsWritten;

/// The loop over `start..stop`, or from zero with one bound. The extent is simplified, as in TVM, unless a range is
/// given. Creates the variable unless it is given.
pub fn one_loop(
    name: &'static str,
    kind: ForKind,
    start: LoopStart,
    stop: Option<Expr>,
    annotations: Option<Map<Str, Value>>,
    step: Option<Expr>,
    var: Option<NodeArg<Var>>,
) -> BuildResult<FrameOf<TirFrame, Ref<Var>>> {
    let has_ends = Builder::context::<EndsAsWritten>().is_some();
    let (min, extent) = match (start, stop) {
        (LoopStart::Bound(start), Some(stop)) if has_ends => {
            let extent = extent::length_as_written(&start, stop)?;
            (start, extent)
        }
        (LoopStart::Bound(start), Some(stop)) => {
            let is_kept = tvmscript_prim::ops::is_zero(&start) && Builder::context::<AsWritten>().is_some();
            let extent = if is_kept { stop } else { extent::length(&start, stop)? };
            (start, extent)
        }
        (LoopStart::Bound(stop), None) => {
            let zero = Range::zero_of(&stop).map_err(|e| BuildError::from(e).at_position(0))?;
            let is_kept = has_ends || Builder::context::<AsWritten>().is_some();
            (zero, if is_kept { stop } else { extent::simplify(&stop) })
        }
        (LoopStart::Range(range), None) => (range.min.clone(), range.extent.clone()),
        (LoopStart::Range(_), Some(_)) => {
            return Err(BuildError::message("a loop over a range takes no `stop`").at_position(1));
        }
    };
    let bits = min.dtype().bits.max(extent.dtype().bits);
    let var = match var {
        Some(NodeArg(var)) => var,
        None => Var::new("v", DataType { bits, ..min.dtype() }),
    };
    let frame = ForFrame {
        name,
        vars: vec![var],
        domains: vec![Range::from_min_extent(min, extent)],
        kind,
        thread: None,
        annotations: annotations.unwrap_or_default(),
        step,
        single: true,
        given: None,
    };
    Ok(FrameOf::new(TirFrame::new(FrameKind::For(Box::new(frame)))))
}

macro_rules! loop_functions {
    ($($(#[$doc:meta])* $function:ident, $name:literal, $kind:ident;)*) => {$(
        $(#[$doc])*
        #[script_fn]
        pub fn $function(
            start: LoopStart,
            #[default = None] stop: Option<ExprArg>,
            #[kw_only]
            #[default = None]
            annotations: Option<Map<Str, Value>>,
            #[kw_only]
            #[default = None]
            step: Option<ExprArg>,
            #[kw_only]
            #[default = None]
            var: Option<NodeArg<Var>>,
        ) -> BuildResult<FrameOf<TirFrame, Ref<Var>>> {
            one_loop($name, ForKind::$kind, start, stop.map(|s| s.0), annotations, step.map(|s| s.0), var)
        }
    )*};
}
loop_functions! {
    /// A sequential loop.
    serial, "T.serial", Serial;
    /// A loop that runs on several CPU threads.
    parallel, "T.parallel", Parallel;
    /// A vectorized loop.
    vectorized, "T.vectorized", Vectorized;
    /// An unrolled loop.
    unroll, "T.unroll", Unrolled;
}

/// Context: the step of a loop may be any integer expression, also a negative number.
#[derive(Debug, Clone, Copy)]
pub struct VariableStep;

/// Python's `range`. The step must be a positive literal, or with [`VariableStep`] an integer other than 0.
#[script_fn]
pub fn range(
    start: LoopStart,
    #[default = None] stop: Option<ExprArg>,
    #[default = None] step: Option<ExprArg>,
    #[kw_only]
    #[default = None]
    annotations: Option<Map<Str, Value>>,
) -> BuildResult<FrameOf<TirFrame, Ref<Var>>> {
    if let Some(ExprArg(step)) = &step {
        let any_step = Builder::context::<VariableStep>().is_some();
        let message = match step.as_node::<IntImm>() {
            Some(literal) if literal.value > 0 || any_step && literal.value < 0 => None,
            Some(literal) => Some(format!("the step of `range` must be positive, not {}", literal.value)),
            None if !any_step => Some("the step of `range` must be a literal".to_owned()),
            None if !step.dtype().is_scalar() || !(step.dtype().is_int() || step.dtype().is_uint()) => {
                Some(format!("the step of `range` must be an integer, not `{}`", step.dtype()))
            }
            None => None,
        };
        if let Some(message) = message {
            return Err(BuildError::message(message).at_position(2));
        }
    }
    one_loop("range", ForKind::Serial, start, stop.map(|s| s.0), annotations, step.map(|s| s.0), None)
}

/// A loop bound to device threads: `(extent, "tag")` or `(start, stop, "tag")`.
#[script_fn]
pub fn thread_binding(
    start: LoopStart,
    #[default = None] stop: Option<ExprArg>,
    #[default = None] thread: Option<Str>,
    #[kw_only]
    #[default = None]
    annotations: Option<Map<Str, Value>>,
    #[kw_only]
    #[default = None]
    var: Option<NodeArg<Var>>,
) -> BuildResult<FrameOf<TirFrame, Ref<Var>>> {
    let (stop, thread) = match (stop, thread) {
        (Some(stop), None) => match stop.0.as_node::<tvmscript_prim::StringImm>() {
            Some(tag) => (None, Some(tag.value.clone())),
            None => (Some(stop), None),
        },
        other => other,
    };
    let Some(thread) = thread else {
        return Err(BuildError::message("`T.thread_binding` needs the name of a thread")
            .with_help("give one, such as thread=\"threadIdx.x\""));
    };
    let mut frame = one_loop(
        "T.thread_binding",
        ForKind::ThreadBinding,
        start,
        stop.map(|s| s.0),
        annotations,
        None,
        var,
    )?;
    if let Some(TirFrame { kind: FrameKind::For(loops), .. }) = frame.frame_mut() {
        loops.thread = Some(thread);
    }
    Ok(frame)
}

/// Nested loops from zero, one per extent.
#[script_fn(name = "grid")]
pub fn grid_(#[args] extents: Vec<ExprArg>) -> BuildResult<FrameOf<TirFrame>> {
    let domain = |(i, ExprArg(extent)): (usize, ExprArg)| {
        let extent = determine(extent, DataType::INT32);
        Range::try_from_extent(extent).map(Domain).map_err(|e| BuildError::from(e).at_position(i))
    };
    Ok(grid_of(extents.into_iter().enumerate().map(domain).collect::<BuildResult<_>>()?))
}

/// Nested loops over the shape to which the given shapes broadcast, as in NumPy. They give the list of their variables,
/// and for each shape the list of the indices of its element.
#[script_fn]
pub fn broadcast_grid(#[args] shapes: Vec<Shape>) -> BuildResult<FrameOf<TirFrame>> {
    let rank = shapes.iter().map(|shape| shape.0.len()).max().unwrap_or_default();
    let is_one = |extent: &Expr| extent.as_node::<IntImm>().is_some_and(|literal| literal.value == 1);
    let mut common: Vec<Option<Expr>> = vec![None; rank];
    for (position, shape) in shapes.iter().enumerate() {
        let skipped = rank - shape.0.len();
        for (dimension, (extent, slot)) in shape.0.iter().zip(common.iter_mut().skip(skipped)).enumerate() {
            match slot {
                Some(known) if structural_equal(known.object(), extent.object()) => {}
                Some(known) if !is_one(known) && !is_one(extent) => {
                    let message = format!(
                        "dimension {dimension} of shape {position} does not broadcast to the dimension of the others"
                    );
                    return Err(BuildError::message(message).at_position(position));
                }
                Some(known) if !is_one(known) => {}
                slot => *slot = Some(extent.clone()),
            }
        }
    }
    let domains = common.into_iter().flatten().map(|extent| Ok(Domain(Range::try_from_extent(extent)?)));
    let mut frame = grid_of(domains.collect::<BuildResult<_>>()?);
    if let Some(TirFrame { kind: FrameKind::For(loops), .. }) = frame.frame_mut() {
        let indices = |shape: &Shape| {
            let vars = loops.vars.iter().skip(rank - shape.0.len());
            let index = |(extent, var): (&Expr, &Ref<Var>)| match is_one(extent) {
                true => Ok(Range::zero_of(extent)?),
                false => Ok(var.clone().upcast()),
            };
            let indices: BuildResult<Vec<Expr>> = shape.0.iter().zip(vars).map(index).collect();
            Ok(ScriptValue::list(indices?.into_iter().map(ScriptValue::from).collect()))
        };
        let vars = ScriptValue::list(loops.vars.iter().map(|var| var.clone().into()).collect());
        let lists: Vec<ScriptValue> = shapes.iter().map(indices).collect::<BuildResult<_>>()?;
        loops.given = Some(ScriptValue::tuple(std::iter::once(vars).chain(lists)));
    }
    Ok(frame)
}

/// A loop that is run while the script is read: its body is repeated for each number, which is a plain `int`.
#[derive(Debug)]
pub struct StaticRange {
    start: i64,
    stop: i64,
    step: i64,
}

impl StaticRange {
    /// The numbers in order.
    pub fn numbers(&self) -> impl Iterator<Item = i64> + use<> {
        let StaticRange { start, stop, step } = *self;
        let is_before = move |at: &i64| if step > 0 { *at < stop } else { *at > stop };
        std::iter::successors(Some(start), move |at| at.checked_add(step)).take_while(is_before)
    }
}

impl HostObject for StaticRange {
    fn type_name(&self) -> &str {
        "a static range"
    }
}

/// A range whose loop is unrolled while the script is read.
#[script_fn]
pub fn static_range(
    start: i64,
    #[default = None] stop: Option<i64>,
    #[default = 1] step: i64,
) -> BuildResult<ScriptValue> {
    if step == 0 {
        return Err(BuildError::message("the step of a range is not zero").at_position(2));
    }
    let (start, stop) = stop.map_or((0, start), |stop| (start, stop));
    Ok(ScriptValue::host(StaticRange { start, stop, step }))
}

/// Nested loops, one per domain.
pub(crate) fn grid_of(domains: Vec<Domain>) -> FrameOf<TirFrame> {
    let domains: Vec<Ref<Range>> = domains.into_iter().map(|domain| domain.0).collect();
    let vars: Vec<Ref<Var>> = domains.iter().map(|domain| Var::new("v", domain.extent.dtype())).collect();
    let single = vars.len() == 1;
    let frame = ForFrame {
        name: "T.grid",
        vars,
        domains,
        kind: ForKind::Serial,
        thread: None,
        annotations: Map::default(),
        step: None,
        single,
        given: None,
    };
    FrameOf::new(TirFrame::new(FrameKind::For(Box::new(frame))))
}

/// Makes the open loop over `var` one over `known`, a variable that statements before the loop use. Returns `false` if an
/// open loop is over `known`.
#[cfg(feature = "parse")]
pub(crate) fn loop_over(known: &Ref<Var>, var: &Ref<Var>) -> BuildResult<bool> {
    if loop_domain(known)?.is_some() {
        return Ok(false);
    }
    let replaced = Builder::find(|frame: &mut TirFrame| match &mut frame.kind {
        FrameKind::For(loops) => loops.replace(var, known).then_some(()),
        _ => None,
    })?;
    Ok(replaced.is_some())
}

/// A `while` loop.
#[script_fn(name = "While")]
pub fn while_(condition: ExprArg) -> BuildResult<FrameOf<TirFrame>> {
    let condition = determine(condition.0, DataType::BOOL);
    let found = condition.dtype();
    check_kind("the condition", "a scalar", found, found.is_scalar())
        .map_err(|e| BuildError::from(e).at_position(0))?;
    Ok(FrameOf::new(TirFrame::new(FrameKind::While { condition })))
}

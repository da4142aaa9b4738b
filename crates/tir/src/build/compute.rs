//! `T.compute`: a tensor computed element by element, as loops and a block; `T.sum`, `T.max`, `T.min` over axes.
//!
//! `C = T.compute((n, m), lambda i, j: value)` allocates `C` and builds what this text builds:
//!
//! ```text
//! C = T.alloc_buffer((n, m), dtype)
//! for i, j in T.grid(n, m):
//!     with T.block("C"):
//!         v_i, v_j = T.axis.remap("SS", [i, j])
//!         C[v_i, v_j] = value
//! ```
//!
//! A reduction adds loops, axes and an initialization. The form of the block is that of TVM's `te.create_prim_func`.

use tvmscript_ir::build::parameter_names;
use tvmscript_ir_core::{Array, DataType, Object, PtrMap, Ref, Span, Str, any_node, substitute};
use tvmscript_irbuilder::{
    BuildError, BuildErrorKind, BuildResult, Builder, CallArgs, FromScript, ScriptValue, script_fn,
};
use tvmscript_prim::error::PrimResult;
use tvmscript_prim::{CommReducer, Expr, IntImm, PrimExprExt, Range, Select, Var, ops};

use super::args::{Domain, ExprArg, NodeArg, Shape};
use super::block::{self, push_axis};
use super::buffer::{Declaration, allocate_in_scope};
use super::frame::{FrameKind, TirFrame};
use super::loops::grid_of;
use crate::node::*;

/// Computes a tensor element by element, or several of the same shape if the function returns a tuple.
#[script_fn]
pub fn compute(
    shape: Shape,
    fcompute: ScriptValue,
    #[default = None] name: Option<Str>,
) -> BuildResult<ScriptValue> {
    let names = axis_names(&fcompute, shape.0.len());
    let axes: Vec<Ref<Var>> = names
        .iter()
        .zip(shape.0.iter())
        .map(|(name, extent)| Var::new(format!("v_{name}"), extent.dtype()))
        .collect();
    let (values, is_tuple) = call(&fcompute, &axes)?;
    let computation = Computation::new(&shape.0, axes, names, values)?;
    let buffers = computation.allocate(&shape.0, name.as_ref())?;
    computation.build(&buffers, name.clone().unwrap_or_else(|| Str::new("")))?;
    if name.is_none()
        && let Some(first) = buffers.first()
    {
        await_name(first)?;
    }
    match (is_tuple, buffers.as_slice()) {
        (false, [buffer]) => Ok(buffer.clone().into()),
        _ => Ok(ScriptValue::tuple(buffers.into_iter().map(ScriptValue::from))),
    }
}

/// Names for the axes: those of the parameters if there is one for each dimension.
fn axis_names(function: &ScriptValue, rank: usize) -> Vec<String> {
    let names = parameter_names(function);
    match names.len() == rank {
        true => names,
        false => (0..rank).map(|index| format!("i{index}")).collect(),
    }
}

/// The values that the function returns for an element, and whether they are in a tuple.
fn call(function: &ScriptValue, axes: &[Ref<Var>]) -> BuildResult<(Vec<Expr>, bool)> {
    let args = CallArgs::positional(axes.iter().map(|axis| axis.clone().into()));
    let result = match function {
        ScriptValue::Function(function) => function.call(args)?,
        ScriptValue::Host(host) if host.is_callable() => host.call(args)?,
        other => {
            return Err(BuildError::expected("a function of the indices", other.type_name()).at_position(1));
        }
    };
    let convert = |value| ExprArg::convert(value).map_err(|error| error.at_position(1));
    match result.items() {
        Some(items) if items.is_empty() => {
            Err(BuildError::expected("a value for each element", "an empty tuple").at_position(1))
        }
        Some(items) => Ok((items.into_iter().map(convert).collect::<BuildResult<_>>()?, true)),
        None => Ok((vec![convert(result)?], false)),
    }
}

/// An axis with its loop.
struct Axis {
    /// Name of the loop variable.
    name: String,
    var: Ref<Var>,
    dom: Ref<Range>,
    kind: IterType,
}

/// The computation of a block.
struct Computation {
    axes: Vec<Axis>,
    outputs: Vec<Output>,
    dtypes: Vec<DataType>,
}

/// Buffers that are stored to together.
enum Output {
    /// One value.
    Plain(Expr),
    /// As many values as the reducer combines.
    Reduction { combiner: Ref<CommReducer>, source: Vec<Expr>, init: Vec<Expr>, condition: Expr },
}

impl Computation {
    fn new(
        shape: &Array<Expr>,
        vars: Vec<Ref<Var>>,
        names: Vec<String>,
        values: Vec<Expr>,
    ) -> BuildResult<Computation> {
        let dtypes: Vec<DataType> = values.iter().map(PrimExprExt::dtype).collect();
        let mut axes = Vec::with_capacity(vars.len());
        for ((var, name), extent) in vars.into_iter().zip(names).zip(shape.iter()) {
            let dom =
                Range::try_from_extent(extent.clone()).map_err(|e| BuildError::from(e).at_position(0))?;
            axes.push(Axis { name, var, dom, kind: IterType::DataPar });
        }
        let reductions: Vec<Option<&Reduce>> = values.iter().map(|value| value.as_node::<Reduce>()).collect();
        let Some(first) = reductions.iter().flatten().next() else {
            values.iter().try_for_each(no_reduction_inside)?;
            let outputs = values.into_iter().map(Output::Plain).collect();
            return Ok(Computation { axes, outputs, dtypes });
        };
        let same_axes = |reduce: &Reduce| {
            reduce.axis.len() == first.axis.len()
                && reduce.axis.iter().zip(first.axis.iter()).all(|(a, b)| a.ptr_eq(b))
        };
        if !reductions.iter().all(|reduce| reduce.is_some_and(same_axes)) {
            let message = "the values of one computation are all reductions over the same axes, or none is";
            return Err(BuildError::message(message).at_position(1));
        }
        // Each computation has axes of its own, since a variable belongs to one block.
        let mut own = PtrMap::<Object>::default();
        for axis in first.axis.iter() {
            let name = axis.var.name.get();
            let var = Var::new(format!("v_{name}"), axis.var.dtype);
            own.insert(axis.var.object().clone(), var.object().clone());
            let Some(dom) = axis.dom.clone() else {
                return Err(BuildError::message(format!("the axis `{name}` has no domain")).at_position(1));
            };
            axes.push(Axis { name: name.to_string(), var, dom, kind: IterType::CommReduce });
        }
        let renew = |expr: &Expr| -> BuildResult<Expr> {
            no_reduction_inside(expr)?;
            substitute(expr.clone(), &own).map_err(|error| BuildError::message(error.to_string()))
        };
        let mut outputs = Vec::new();
        let mut rest = reductions.iter().flatten().copied();
        while let Some(reduce) = rest.next() {
            // The values of one reducer come together and in order, as the parts of `argmax` do.
            let count = reduce.source.len();
            let is_whole = reduce.value_index == 0
                && (1..count).all(|index| {
                    rest.next().is_some_and(|next| {
                        next.value_index == index as i64 && next.combiner.ptr_eq(&reduce.combiner)
                    })
                });
            if !is_whole {
                let message = format!("a reduction of {count} values is returned whole and in order");
                return Err(BuildError::message(message).at_position(1));
            }
            outputs.push(Output::Reduction {
                combiner: reduce.combiner.clone(),
                source: reduce.source.iter().map(renew).collect::<BuildResult<_>>()?,
                init: reduce.init.iter().cloned().collect(),
                condition: renew(&reduce.condition)?,
            });
        }
        Ok(Computation { axes, outputs, dtypes })
    }

    /// Allocates a buffer for each value.
    fn allocate(&self, shape: &Array<Expr>, name: Option<&Str>) -> BuildResult<Vec<Ref<Buffer>>> {
        let mut buffers = Vec::with_capacity(self.dtypes.len());
        for (index, dtype) in self.dtypes.iter().enumerate() {
            let buffer = Declaration::of_shape(shape.clone(), *dtype).build()?;
            if let Some(name) = name {
                let of_many = || Str::from(format!("{name}_v{index}"));
                buffer.name.set(if self.dtypes.len() == 1 { name.clone() } else { of_many() });
            }
            allocate_in_scope("T.compute", &buffer)?;
            buffers.push(buffer);
        }
        Ok(buffers)
    }

    /// Adds the loops with the block.
    fn build(&self, buffers: &[Ref<Buffer>], name: Str) -> BuildResult<()> {
        let mut loops = grid_of(self.axes.iter().map(|axis| Domain(axis.dom.clone())).collect());
        let vars = loops.frame_mut().and_then(|frame| frame.loop_vars()).unwrap_or_default();
        for (axis, var) in self.axes.iter().zip(&vars) {
            var.name.set(axis.name.as_str().into());
        }
        loops.try_body(|()| {
            block::try_block(name, false)?.try_body(|()| {
                for (axis, var) in self.axes.iter().zip(vars) {
                    let iter =
                        IterVar::try_new(Some(axis.dom.clone()), axis.var.clone(), axis.kind, "".into())?;
                    push_axis("T.compute", iter, Some(var.upcast()))?;
                }
                self.stores(buffers)
            })
        })
    }

    fn stores(&self, buffers: &[Ref<Buffer>]) -> BuildResult<()> {
        let spatial = self.axes.iter().filter(|axis| axis.kind == IterType::DataPar);
        let indices: Array<Expr> = spatial.map(|axis| axis.var.clone().upcast()).collect();
        let store =
            |buffer: &Ref<Buffer>, value: Expr| super::stmt::store(buffer, value, indices.clone(), None);
        let mut rest = buffers.iter();
        let groups: Vec<(&Output, Vec<&Ref<Buffer>>)> = self
            .outputs
            .iter()
            .map(|output| (output, rest.by_ref().take(output.count()).collect()))
            .collect();
        let is_reduction = self.axes.iter().any(|axis| axis.kind == IterType::CommReduce);
        if is_reduction {
            block::try_init()?.try_body(|()| {
                for (output, buffers) in &groups {
                    for (buffer, value) in buffers.iter().zip(output.initial()) {
                        store(buffer, value)?;
                    }
                }
                Ok(())
            })?;
        }
        for (output, buffers) in &groups {
            let values = output.values(buffers, &indices)?;
            // A combined value may depend on what another store replaces.
            let values: Vec<Expr> = match values.len() {
                1 => values,
                _ => values.into_iter().zip(buffers).map(bind).collect::<BuildResult<_>>()?,
            };
            for (buffer, value) in buffers.iter().zip(values) {
                store(buffer, value)?;
            }
        }
        Ok(())
    }
}

impl Output {
    /// The number of values.
    fn count(&self) -> usize {
        match self {
            Output::Plain(_) => 1,
            Output::Reduction { source, .. } => source.len(),
        }
    }

    /// The values before the first element.
    fn initial(&self) -> Vec<Expr> {
        match self {
            Output::Plain(_) => Vec::new(),
            Output::Reduction { combiner, init, .. } if init.is_empty() => {
                combiner.identity_element.iter().cloned().collect()
            }
            Output::Reduction { init, .. } => init.clone(),
        }
    }

    /// The values to store.
    fn values(&self, buffers: &[&Ref<Buffer>], indices: &Array<Expr>) -> BuildResult<Vec<Expr>> {
        let Output::Reduction { combiner, source, condition, .. } = self else {
            let Output::Plain(value) = self else { return Ok(Vec::new()) };
            return Ok(vec![value.clone()]);
        };
        let old: Vec<Expr> = buffers
            .iter()
            .map(|buffer| Ok(BufferLoad::try_new((*buffer).clone(), indices.clone(), None)?))
            .collect::<BuildResult<_>>()?;
        let vars = combiner.lhs.iter().chain(combiner.rhs.iter()).map(|var| var.object().clone());
        let values = old.iter().chain(source).map(|value| value.object().clone());
        let map: PtrMap<Object> = vars.zip(values).collect();
        let is_always = condition.as_node::<IntImm>().is_some_and(|literal| literal.value != 0);
        let results = combiner.result.iter().zip(&old).map(|(result, old)| {
            let new =
                substitute(result.clone(), &map).map_err(|error| BuildError::message(error.to_string()))?;
            match is_always {
                true => Ok(new),
                false => Ok(Select::try_new(condition.clone(), new, old.clone())?),
            }
        });
        results.collect()
    }
}

/// Binds a value to a variable for the rest of the block.
fn bind((value, buffer): (Expr, &&Ref<Buffer>)) -> BuildResult<Expr> {
    let var = Var::new(format!("v_{}", buffer.name.get()), value.dtype());
    let frame = TirFrame::new(FrameKind::Let { var: var.clone(), value });
    let (_, open) = Builder::enter(Box::new(frame))?;
    open.keep_open();
    Ok(var.upcast())
}

/// Checks that a value is not computed from a reduction.
fn no_reduction_inside(value: &Expr) -> BuildResult<()> {
    match any_node(value, |node| node.is::<Reduce>()) {
        false => Ok(()),
        true => {
            let error = BuildError::message("a reduction is the whole value of an element, not a part of it");
            Err(error
                .at_position(1)
                .with_help("compute it first, and use its elements in another `T.compute`"))
        }
    }
}

/// Lets the assignment of a computed buffer name its block too.
fn await_name(buffer: &Ref<Buffer>) -> BuildResult<()> {
    Builder::with_innermost(|frame: &mut TirFrame| {
        let at = frame.stmts.len().saturating_sub(1);
        frame.unnamed.push((buffer.clone(), at));
    })
    .map(drop)
}

/// Names the block that computes a buffer after the buffer, unless it has a name.
#[cfg(feature = "parse")]
pub(crate) fn name_block(buffer: &Ref<Buffer>, name: &Str) {
    // Outside of a builder, no block waits for a name.
    let _ = Builder::with_innermost(|frame: &mut TirFrame| {
        let at = frame.unnamed.iter().position(|(known, _)| known.ptr_eq(buffer))?;
        let (_, index) = frame.unnamed.swap_remove(at);
        let stmt = frame.stmts.get_mut(index)?;
        *stmt = renamed(stmt, name);
        Some(())
    });
}

/// The loops with the block under another name.
#[cfg(feature = "parse")]
fn renamed(stmt: &StmtRef, name: &Str) -> StmtRef {
    if let Some(node) = stmt.as_node::<For>() {
        // As deep as the computation has axes.
        let body = tvmscript_ir_core::with_stack(|| renamed(&node.body, name));
        return Ref::new(For { body, ..For::clone(node) }).upcast();
    }
    let Some(realize) = stmt.as_node::<BlockRealize>() else { return stmt.clone() };
    let block = Ref::new(Block { name_hint: name.clone(), ..Block::clone(&realize.block) });
    Ref::new(BlockRealize { block, ..BlockRealize::clone(realize) }).upcast()
}

/// Reduction axes: one, or a list of them.
pub(super) fn reduction_axes(axis: &ScriptValue) -> Option<Vec<Ref<IterVar>>> {
    let is_axis = |value: &ScriptValue| {
        let axis = value.as_node::<IterVar>()?;
        (axis.iter_type == IterType::CommReduce).then(|| axis.clone())
    };
    match axis.items() {
        Some(items) if !items.is_empty() => items.iter().map(is_axis).collect(),
        _ => Some(vec![is_axis(axis)?]),
    }
}

/// A reduction of one value over axes with a function of two values, which has an identity element for each type.
///
/// # Errors
/// If the function does not apply to the type of the value, or an axis is not one of a reduction.
pub fn reduction(
    combine: fn(Expr, Expr) -> PrimResult<Expr>,
    identity: fn(DataType) -> PrimResult<Expr>,
    value: Expr,
    axis: Vec<Ref<IterVar>>,
    condition: Option<Expr>,
    init: Option<Expr>,
) -> BuildResult<Expr> {
    let dtype = value.dtype();
    let (lhs, rhs) = (Var::new("x", dtype), Var::new("y", dtype));
    let result = combine(lhs.clone().upcast(), rhs.clone().upcast())?;
    let combiner = Ref::new(CommReducer {
        lhs: Array::new([lhs]),
        rhs: Array::new([rhs]),
        result: Array::new([result]),
        identity_element: Array::new([identity(dtype)?]),
        span: Span::current(),
    });
    super::expr::make_reduce(
        combiner,
        Array::new([value]),
        init.into_iter().collect(),
        axis.into_iter().collect(),
        condition.unwrap_or_else(|| IntImm::bool(true)),
        0,
    )
}

/// A [`reduction`] with the arguments of a script.
fn reduce(
    combine: fn(Expr, Expr) -> PrimResult<Expr>,
    identity: fn(DataType) -> PrimResult<Expr>,
    expr: Expr,
    axis: ScriptValue,
    condition: Option<ExprArg>,
    init: Option<ExprArg>,
) -> BuildResult<Expr> {
    let Some(axis) = reduction_axes(&axis) else {
        let found = axis.type_name();
        let error = BuildError::expected("an axis of `T.reduce_axis`, or a list of them", found);
        return Err(error.at_parameter("axis"));
    };
    let own = |arg: Option<ExprArg>| arg.map(|arg| arg.0);
    reduction(combine, identity, expr, axis, own(condition), own(init))
}

/// A reduction axis.
#[script_fn]
pub fn reduce_axis(
    dom: Domain,
    #[default = "rv"] name: Str,
    #[default = ""] thread_tag: Str,
) -> BuildResult<Ref<IterVar>> {
    super::expr::make_iter_var(Some(dom), ScriptValue::Str(name), IterType::CommReduce, thread_tag)
}

/// The sum over axes.
#[script_fn]
pub fn sum(
    expr: ExprArg,
    axis: ScriptValue,
    #[default = None] r#where: Option<ExprArg>,
    #[default = None] init: Option<ExprArg>,
) -> BuildResult<Expr> {
    reduce(ops::add, |dtype| ops::make_const(dtype, 0), expr.0, axis, r#where, init)
}

macro_rules! selections {
    ($($(#[$doc:meta])* $function:ident, $name:literal, $identity:expr;)*) => {$(
        $(#[$doc])*
        #[script_fn(name = $name)]
        pub fn $function(
            a: ExprArg,
            #[default = None] b: Option<ScriptValue>,
            #[kw_only]
            #[default = None]
            axis: Option<ScriptValue>,
            #[kw_only]
            #[default = None]
            r#where: Option<ExprArg>,
            #[kw_only]
            #[default = None]
            init: Option<ExprArg>,
        ) -> BuildResult<Expr> {
            let axis = axis.or_else(|| b.clone().filter(|b| reduction_axes(b).is_some()));
            match (axis, b) {
                (Some(axis), _) => reduce(ops::$function, $identity, a.0, axis, r#where, init),
                (None, Some(b)) => {
                    let b = ExprArg::convert(b).map_err(|error| error.at_position(1))?;
                    Ok(ops::$function(a.0, b)?)
                }
                (None, None) => {
                    Err(BuildErrorKind::MissingArgument { function: $name.to_owned(), name: "b" }.into())
                }
            }
        }
    )*};
}
selections! {
    /// Greater of two values, or the greatest over axes.
    max, "max", ops::min_value;
    /// Lesser of two values, or the least over axes.
    min, "min", ops::max_value;
}

/// A buffer like another one: a new buffer with the same shape, data type and layout, as the annotation of a parameter.
/// Its pointer is new, and so are the variables of its offset and strides.
#[script_fn(name = "BufferFrom")]
pub fn buffer_from(source: ScriptValue) -> BuildResult<Ref<Buffer>> {
    if let Ok(NodeArg(buffer)) = NodeArg::<Buffer>::from_script(source.clone()) {
        let data = Var::with_type("", buffer.data.type_annotation.clone());
        let own = |expr: &Expr| match expr.as_node::<Var>() {
            Some(var) => Var::new(var.name.get(), var.dtype).upcast(),
            None => expr.clone(),
        };
        let (strides, elem_offset) = (buffer.strides.iter().map(own).collect(), own(&buffer.elem_offset));
        let (name, span) = ("".into(), Span::current());
        return Ok(Ref::new(Buffer { data, name, strides, elem_offset, span, ..Buffer::clone(&buffer) }));
    }
    // An array or another object with a shape.
    let attribute = |name: &str| match &source {
        ScriptValue::Host(host) => host.attribute(name),
        _ => None,
    };
    let (Some(shape), Some(dtype)) = (attribute("shape"), attribute("dtype")) else {
        let expected = "a buffer, or a value with a shape and a dtype";
        return Err(BuildError::expected(expected, source.type_name()).at_position(0));
    };
    let at = |error: BuildError| error.at_position(0);
    let shape = Shape::from_script(shape).map_err(at)?;
    let dtype = DataType::from_script(dtype).map_err(at)?;
    Declaration::of_shape(shape.0, dtype).build()
}

//! Blocks: `T.block`, `T.init`, `T.where`, `T.reads`, `T.writes`, `T.block_attr`, `T.axis`.

use tvmscript_ir_core::{Array, DataType, Map, Ref, Span, Str, Value};
use tvmscript_irbuilder::{
    BuildError, BuildErrorKind, BuildResult, Builder, Frame, FrameOf, FromScript, PendingFrame, ScriptValue,
    script_fn,
};
use tvmscript_prim::ops::undetermined::determine;
use tvmscript_prim::{Expr, IntImm, PrimExprExt, Range, Var};

use super::args::{Binding, Domain, ExprArg, NodeArg, Region};
use super::frame::{FrameKind, TirFrame, loop_domain, set_once, wrong_frame};
use crate::complete::DETECT_ACCESS;
use crate::error::check_kind;
use crate::node::*;

/// An open block.
#[derive(Debug, Default)]
pub struct BlockFrame {
    name: Option<Str>,
    no_realize: bool,
    iter_vars: Vec<Ref<IterVar>>,
    iter_values: Vec<Expr>,
    predicate: Option<Expr>,
    reads: Option<Vec<Ref<BufferRegion>>>,
    writes: Option<Vec<Ref<BufferRegion>>>,
    annotations: Option<Map<Str, Value>>,
    pub(crate) alloc_buffers: Vec<Ref<Buffer>>,
    pub(crate) match_buffers: Vec<Ref<MatchBufferRegion>>,
    init: Option<StmtRef>,
}

impl BlockFrame {
    pub(crate) fn close(self, body: StmtRef) -> BuildResult<StmtRef> {
        let detect = i64::from(self.reads.is_none()) | i64::from(self.writes.is_none()) << 1;
        let annotations = self.annotations.unwrap_or_default();
        let annotations = match detect {
            0 => annotations,
            mask => {
                let kept = annotations.iter().map(|(k, v)| (k.clone(), v.clone()));
                Map::new(kept.chain([(Str::new(DETECT_ACCESS), Value::Int(mask))]).collect::<Vec<_>>())
            }
        };
        let block = Ref::new(Block {
            span: Span::current(),
            iter_vars: Array::new(self.iter_vars),
            reads: Array::new(self.reads.unwrap_or_default()),
            writes: Array::new(self.writes.unwrap_or_default()),
            name_hint: self.name.unwrap_or_else(|| Str::new("")),
            alloc_buffers: Array::new(self.alloc_buffers),
            match_buffers: Array::new(self.match_buffers),
            annotations,
            init: self.init,
            body,
        });
        if self.no_realize {
            if !self.iter_values.is_empty() {
                return Err(BuildError::message("a block without realize has no bindings of axes"));
            }
            if self.predicate.is_some() {
                return Err(BuildError::message("a block without realize has no predicate"));
            }
            return Ok(block.upcast());
        }
        let predicate = self.predicate.unwrap_or_else(|| IntImm::bool(true));
        Ok(BlockRealize::try_new(Array::new(self.iter_values), predicate, block)?)
    }
}

/// Suffix of the names of new blocks: a context of the builder.
struct Suffix(Str);

/// The suffix of names of new blocks.
fn suffix() -> Str {
    Builder::context::<Suffix>().map_or_else(|| Str::new(""), |suffix| suffix.0.clone())
}

/// Appends a suffix to the names of blocks that are opened in the innermost builder until it is dropped. Nameless blocks
/// stay nameless.
#[derive(Debug)]
pub struct NameSuffix(Str);

impl NameSuffix {
    /// Replaces the suffix.
    pub fn new(new: impl Into<Str>) -> NameSuffix {
        let before = suffix();
        Builder::set_innermost_context(Suffix(new.into()));
        NameSuffix(before)
    }
}

impl Drop for NameSuffix {
    fn drop(&mut self) {
        Builder::set_innermost_context(Suffix(self.0.clone()));
    }
}

/// The scope of [`block_name_suffix_context`]; statements belong to the frame around it.
struct SuffixFrame {
    suffix: Str,
    active: Option<NameSuffix>,
}

impl Frame for SuffixFrame {
    fn name(&self) -> &'static str {
        "T.block_name_suffix_context"
    }

    fn enter(&mut self) -> BuildResult<ScriptValue> {
        self.active = Some(NameSuffix::new(self.suffix.clone()));
        Ok(ScriptValue::None)
    }

    fn close(self: Box<Self>) -> BuildResult<()> {
        Ok(())
    }
}

/// Appends a suffix to the names of the blocks that are opened inside.
#[script_fn]
pub fn block_name_suffix_context(block_suffix: Str) -> BuildResult<ScriptValue> {
    Ok(PendingFrame::value(SuffixFrame { suffix: block_suffix, active: None }))
}

/// Opens a block: a computation with declared axes and regions.
#[script_fn]
pub fn block(
    #[default = ""] name: Str,
    #[default = false] no_realize: bool,
) -> BuildResult<FrameOf<TirFrame>> {
    let suffix = suffix();
    let name = match name.is_empty() || suffix.is_empty() {
        true => name,
        false => Str::from(format!("{name}{suffix}")),
    };
    let frame = BlockFrame { name: Some(name), no_realize, ..BlockFrame::default() };
    Ok(FrameOf::new(TirFrame::new(FrameKind::Block(Box::new(frame)))))
}

/// Runs `f` on the innermost frame, which must be a block.
fn with_block<R>(function: &str, f: impl FnOnce(&mut BlockFrame) -> BuildResult<R>) -> BuildResult<R> {
    let done = Builder::with_top(|frame: &mut TirFrame| match &mut frame.kind {
        FrameKind::Block(block) => Some(f(block)),
        _ => None,
    })?;
    done.flatten().unwrap_or_else(|| Err(wrong_frame(function, "directly inside `with T.block(..)`")))
}

/// Opens the initialization, which runs before the first iteration of a reduction.
#[script_fn]
pub fn init() -> BuildResult<FrameOf<TirFrame>> {
    Ok(FrameOf::new(TirFrame::new(FrameKind::Init)))
}

pub(crate) fn check_init() -> BuildResult<()> {
    with_block("T.init", |block| match block.init {
        None => Ok(()),
        Some(_) => {
            Err(BuildErrorKind::Repeated { what: "the initialisation of the block".to_owned() }.into())
        }
    })
}

pub(crate) fn set_init(body: StmtRef) -> BuildResult<()> {
    with_block("T.init", |block| {
        block.init = Some(body);
        Ok(())
    })
}

/// Sets the condition under which the block runs.
#[script_fn(name = "where")]
pub fn where_(predicate: ScriptValue) -> BuildResult<()> {
    let predicate = match predicate {
        ScriptValue::Bool(b) => IntImm::bool(b),
        ScriptValue::Int(i @ (0 | 1)) => IntImm::bool(i == 1),
        ScriptValue::Int(i) => return Err(BuildError::expected("a condition", i.to_string()).at_position(0)),
        other => ExprArg::convert(other).map_err(|e| e.at_position(0))?,
    };
    let predicate = determine(predicate, DataType::BOOL);
    let found = predicate.dtype();
    check_kind("a block's predicate", "bool", found, found.is_bool())
        .map_err(|e| BuildError::from(e).at_position(0))?;
    with_block("T.where", |block| set_once(&mut block.predicate, predicate, "the predicate of the block"))
}

/// Regions as separate arguments, or as one list or tuple.
fn regions(items: Vec<ScriptValue>) -> BuildResult<Vec<Ref<BufferRegion>>> {
    let items = match &items[..] {
        [one] => one.items().unwrap_or(items),
        _ => items,
    };
    let convert =
        |(i, item)| Region::from_script(item).map(|r| r.0).map_err(|e: BuildError| e.at_position(i));
    items.into_iter().enumerate().map(convert).collect()
}

/// Declares the regions that the block reads.
#[script_fn]
pub fn reads(#[args] regions: Vec<ScriptValue>) -> BuildResult<()> {
    let list = self::regions(regions)?;
    with_block("T.reads", |block| set_once(&mut block.reads, list, "`T.reads` of the block"))
}

/// Declares the regions that the block writes.
#[script_fn]
pub fn writes(#[args] regions: Vec<ScriptValue>) -> BuildResult<()> {
    let list = self::regions(regions)?;
    with_block("T.writes", |block| set_once(&mut block.writes, list, "`T.writes` of the block"))
}

/// Adds annotations to the block. Several calls are merged.
#[script_fn]
pub fn block_attr(attrs: Map<Str, Value>) -> BuildResult<()> {
    with_block("T.block_attr", |block| {
        let merged = match block.annotations.take() {
            None => attrs,
            Some(before) => merge(&before, &attrs)?,
        };
        block.annotations = Some(merged);
        Ok(())
    })
}

fn merge(a: &Map<Str, Value>, b: &Map<Str, Value>) -> BuildResult<Map<Str, Value>> {
    use tvmscript_ir_core::ObjectLike;
    let mut out: Vec<(Str, Value)> = a.iter().map(|(k, v)| (k.clone(), v.clone())).collect();
    for (key, value) in b.iter() {
        let Some((_, before)) = out.iter_mut().find(|(k, _)| k == key) else {
            out.push((key.clone(), value.clone()));
            continue;
        };
        let as_map = |v: &Value| v.as_object().and_then(|o| Map::<Str, Value>::try_ref(o).cloned());
        match (as_map(before), as_map(value)) {
            (Some(x), Some(y)) => *before = merge(&x, &y)?.into(),
            _ if super::function::same_value(before, value) => {}
            _ => {
                return Err(BuildError::message(format!(
                    "the block has two values for the attribute \"{key}\""
                )));
            }
        }
    }
    Ok(Map::new(out))
}

/// Creates an axis of the innermost block.
fn add_axis(
    function: &str,
    iter_type: IterType,
    dom: Ref<Range>,
    binding: Option<Expr>,
    dtype: DataType,
) -> BuildResult<Ref<Var>> {
    let bits = dom.min.dtype().bits.max(dom.extent.dtype().bits).max(dtype.bits);
    let var_dtype = DataType { bits, ..dtype };
    let var = Var::new("", var_dtype);
    let axis = IterVar::try_new(Some(dom), var.clone(), iter_type, "".into());
    let axis = axis.map_err(|e| BuildError::from(e).at_position(0))?;
    push_axis(function, axis, binding)?;
    Ok(var)
}

/// Adds an axis to the innermost block.
pub(super) fn push_axis(function: &str, axis: Ref<IterVar>, binding: Option<Expr>) -> BuildResult<()> {
    let binding = binding.map(|binding| determine(binding, axis.var.dtype));
    if let Some(found) = binding.as_ref().map(|binding| binding.dtype()) {
        check_kind("the binding of an axis", "an integer", found, found.is_integer() || found.is_bool())
            .map_err(|e| BuildError::from(e).at_position(1))?;
    }
    with_block(function, |block| {
        match binding {
            Some(_) if block.no_realize => {
                let error = BuildError::message("an axis of a block without realize has no binding");
                return Err(error.at_position(1));
            }
            None if !block.no_realize => {
                let function = function.trim_start_matches("T.").to_owned();
                return Err(BuildErrorKind::MissingArgument { function, name: "binding" }.into());
            }
            binding => block.iter_values.extend(binding),
        }
        block.iter_vars.push(axis);
        Ok(())
    })
}

macro_rules! axes {
    ($($(#[$doc:meta])* $function:ident, $name:literal, $kind:ident;)*) => {$(
        $(#[$doc])*
        #[script_fn(name = $name)]
        pub fn $function(
            dom: Domain,
            #[given]
            #[default = Binding::NONE]
            binding: Binding,
            #[default = DataType::INT32] dtype: DataType,
        ) -> BuildResult<Ref<Var>> {
            add_axis(concat!("T.", $name), IterType::$kind, dom.0, binding.0, dtype)
        }
    )*};
}
axes! {
    /// A data-parallel axis.
    axis_spatial, "axis.spatial", DataPar;
    /// A reduction axis.
    axis_reduce, "axis.reduce", CommReduce;
    /// An axis whose iterations run in order.
    axis_scan, "axis.scan", Ordered;
    /// An opaque axis.
    axis_opaque, "axis.opaque", Opaque;
}

/// An axis given as a node; its variable may occur elsewhere.
#[script_fn(name = "axis.iter_var")]
pub fn axis_iter_var(
    axis: NodeArg<IterVar>,
    #[given]
    #[default = Binding::NONE]
    binding: Binding,
) -> BuildResult<()> {
    push_axis("T.axis.iter_var", axis.0, binding.0)
}

/// Axes bound to loop variables, with one letter of `kinds` each: `S` for spatial, `R` for reduction.
#[script_fn(name = "axis.remap")]
pub fn axis_remap(
    kinds: Str,
    bindings: Vec<ScriptValue>,
    #[default = DataType::INT32] dtype: DataType,
) -> BuildResult<ScriptValue> {
    let _ = dtype;
    if kinds.chars().count() != bindings.len() {
        let kind = BuildErrorKind::Message(format!(
            "`T.axis.remap` has {} kinds for {} bindings",
            kinds.chars().count(),
            bindings.len()
        ));
        return Err(kind.into());
    }
    let mut vars = Vec::with_capacity(bindings.len());
    for (kind, binding) in kinds.chars().zip(bindings) {
        let iter_type = match kind {
            'S' => IterType::DataPar,
            'R' => IterType::CommReduce,
            other => {
                let error = BuildError::message(format!("unknown kind of axis `{other}`"));
                return Err(error.at_position(0).with_help("`S` is spatial, `R` is reduce"));
            }
        };
        let var = binding
            .as_node::<Var>()
            .ok_or_else(|| BuildError::expected("loop variables", binding.type_name()).at_position(1))?;
        let Some(dom) = loop_domain(var)? else {
            let error =
                BuildError::message(format!("`{}` is not the variable of an enclosing loop", var.name.get()));
            return Err(error.at_position(1));
        };
        vars.push(add_axis("T.axis.remap", iter_type, dom, Some(var.clone().upcast()), var.dtype)?);
    }
    Ok(match vars.len() {
        1 => vars.remove(0).into(),
        _ => ScriptValue::Node(Array::new(vars).object().clone()),
    })
}

//! Functions of TIR from computations: each operation is a loop nest with one block.
//!
//! Upstream counterpart: `src/te/operation/create_primfunc.cc` of TVM 0.23.

use hashbrown::{HashMap, HashSet};
use tvmscript_arith::{Analyzer, DEFAULT_NODE_BUDGET};
use tvmscript_ir::DictAttrs;
use tvmscript_ir_core::names::UniqueNames;
use tvmscript_ir_core::{
    Array, DataType, Map, Object, ObjectLike, PtrMap, Ref, Span, Str, Value, free_variables,
    try_post_order_mutate,
};
use tvmscript_prim::{CommReducer, Expr, IntImm, PrimExprExt as _, Range, Select, TupleType, Var, ops};
use tvmscript_tir::complete::{DETECT_ACCESS, complete};
use tvmscript_tir::node::{BufferParts, StmtRef, flatten};
use tvmscript_tir::{
    Block, BlockRealize, Buffer, BufferLoad, BufferStore, For, ForKind, IterType, IterVar, LetStmt, PrimFunc,
    ProducerLoad, Reduce,
};

use crate::error::{Result, TeError};
use crate::index_dtype::{Retype, as_index, widened};
use crate::tensor::{Declared, Operation, OperationKind, Tensor, post_order, replace_vars};

/// The attribute of functions whose buffers do not overlap.
const NO_ALIAS: &str = "tir.noalias";

/// A parameter of a function.
#[derive(Debug, Clone)]
pub enum Argument {
    /// A tensor, read or computed by the function.
    Tensor(Ref<Tensor>),
    /// A variable, such as one in a shape.
    Var(Ref<Var>),
}

/// Creates the function that computes the tensors among its arguments from the others.
///
/// # Errors
/// If an input is not an argument, or an axis depends on another one.
///
/// # Source
/// `CreatePrimFunc`, `src/te/operation/create_primfunc.cc`.
pub fn create_prim_func(arguments: &[Argument]) -> Result<Ref<PrimFunc>> {
    create_indexed_prim_func(arguments, IndexTypes::default())
}

/// The types of indices in a function that is made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct IndexTypes {
    /// Loops, dimensions and indices have at least this type.
    pub at_least: Option<DataType>,
    /// The axis of a block without axes has this type; without it, that of its indices.
    pub unit: Option<DataType>,
}

/// Nodes that the simplifier visits per element of a body: a bicubic sample of a reflected image has more than the default.
const BODY_BUDGET: u64 = 8 * DEFAULT_NODE_BUDGET;

/// Like [`create_prim_func`], with types of indices.
///
/// # Errors
/// Those of [`create_prim_func`], and for types that are not those of integers.
pub fn create_indexed_prim_func(arguments: &[Argument], types: IndexTypes) -> Result<Ref<PrimFunc>> {
    let index = types.at_least;
    let tensors: Vec<&Ref<Tensor>> = arguments
        .iter()
        .filter_map(|argument| match argument {
            Argument::Tensor(tensor) => Some(tensor),
            Argument::Var(_) => None,
        })
        .collect();
    let roots: Vec<Operation> = tensors.iter().filter_map(|tensor| tensor.op().cloned()).collect();
    let mut builder = Builder {
        buffers: HashMap::new(),
        arguments: tensors.iter().map(|tensor| tensor.key()).collect(),
        allocated: Vec::new(),
        names: UniqueNames::numbered_from(1),
        analyzer: Analyzer::with_node_budget(BODY_BUDGET),
        index,
        retype: Retype::default(),
        scalars: PtrMap::default(),
        unit: types.unit,
    };
    // Scalar parameters count as indices.
    let mut params = Vec::with_capacity(arguments.len());
    for argument in arguments {
        let Argument::Var(var) = argument else { continue };
        let dtype = widened(var.dtype, index);
        if dtype != var.dtype {
            let new = Var::new(var.name.get(), dtype);
            let value = builder.retype.narrow(new.clone().upcast(), var.dtype)?;
            builder.scalars.insert(var.object().clone(), value.into());
            params.push(new);
        } else {
            params.push(var.clone());
        }
    }
    let mut scalars = params.into_iter();
    let mut stmts = Vec::new();
    let order = post_order(&roots);
    for op in &order {
        builder.declare_external_inputs(op)?;
    }
    for op in order {
        stmts.extend(builder.operation(&op)?);
    }
    let mut params = Vec::with_capacity(arguments.len());
    let mut buffer_map = Vec::with_capacity(tensors.len());
    for argument in arguments {
        match argument {
            Argument::Var(_) => params.extend(scalars.next()),
            Argument::Tensor(tensor) => {
                let param = Var::new(format!("var_{}", tensor.name), DataType::HANDLE);
                buffer_map.push((param.clone(), builder.buffer(tensor)?));
                params.push(param);
            }
        }
    }
    let attrs = [
        ("global_symbol".into(), Value::Node(Str::new("main").as_object().clone())),
        (NO_ALIAS.into(), Value::Bool(true)),
    ];
    let function = PrimFunc {
        span: Span::current(),
        struct_info_: None,
        attrs: DictAttrs::new(attrs),
        params: Array::new(params),
        ret_type: TupleType::void(),
        buffer_map: Map::new(buffer_map),
        body: flatten(stmts, true),
    };
    let function = complete(function, builder.allocated).map_err(|error| TeError::Node(error.to_string()))?;
    let function = Ref::new(function);
    if types.unit.is_some() { with_typed_regions(function) } else { Ok(function) }
}

/// The function with bounds of regions that have the type of the lengths: completion begins a whole dimension with a 0 of
/// `int32`, and TVM gives indices one type afterwards.
fn with_typed_regions(function: Ref<PrimFunc>) -> Result<Ref<PrimFunc>> {
    try_post_order_mutate(function, |node| {
        let Some(range) = node.downcast_ref::<Range>() else { return Ok(None) };
        let dtype = range.extent.dtype();
        let min = ops::int_value(&range.min).filter(|_| range.min.dtype() != dtype);
        let Some(min) = min else { return Ok(None) };
        Ok(Some(Range::from_min_extent(ops::make_const(dtype, min)?, range.extent.clone()).into()))
    })
}

struct Builder {
    /// By identity of the tensor.
    buffers: HashMap<(usize, i64), Ref<Buffer>>,
    arguments: HashSet<(usize, i64)>,
    allocated: Vec<Ref<Buffer>>,
    /// Names of blocks.
    names: UniqueNames,
    analyzer: Analyzer,
    /// The type that indices get.
    index: Option<DataType>,
    retype: Retype,
    /// Values of the parameters that have another type.
    scalars: PtrMap<Object>,
    /// The type of the axis of a block without axes.
    unit: Option<DataType>,
}

impl Builder {
    fn operation(&mut self, op: &Operation) -> Result<Option<StmtRef>> {
        let outputs = op.outputs();
        match &op.kind {
            OperationKind::Placeholder { .. } => {
                let Some(tensor) = outputs.first().filter(|tensor| self.arguments.contains(&tensor.key()))
                else {
                    return Err(TeError::MissingArgument { name: op.name.clone() });
                };
                if !self.buffers.contains_key(&tensor.key()) {
                    self.declare(tensor)?;
                }
                Ok(None)
            }
            OperationKind::External { inputs, outputs: declared, body } => {
                let sources =
                    inputs.iter().map(|(input, _)| self.buffer(input)).collect::<Result<Vec<_>>>()?;
                let targets = outputs.iter().zip(declared);
                let targets = targets.map(|(tensor, output)| self.declare_as(tensor, &output.buffer));
                let targets = targets.collect::<Result<Vec<_>>>()?;
                self.allocate(&outputs, &targets);
                let block = Block {
                    span: op.span,
                    iter_vars: Array::default(),
                    reads: Array::default(),
                    writes: Array::default(),
                    name_hint: self.fresh_name(&op.name),
                    alloc_buffers: Array::default(),
                    match_buffers: Array::default(),
                    annotations: op.attrs.clone(),
                    init: None,
                    body: self.with_buffers((body.0)(&sources, &targets)?)?,
                };
                let realize = BlockRealize::try_new(Array::default(), IntImm::bool(true), Ref::new(block))?;
                Ok(Some(realize))
            }
            OperationKind::Compute { axis, reduce_axis, body } => {
                let nest = Nest::new(op, axis, reduce_axis, self.index)?;
                let buffers =
                    outputs.iter().map(|tensor| self.declare(tensor)).collect::<Result<Vec<_>>>()?;
                self.allocate(&outputs, &buffers);
                nest.build(self, op, body, &buffers).map(Some)
            }
        }
    }

    /// Declares the parameters that a statement reads as it says; of several, the last one counts.
    fn declare_external_inputs(&mut self, op: &Operation) -> Result<()> {
        let OperationKind::External { inputs, .. } = &op.kind else { return Ok(()) };
        for (input, declared) in inputs {
            if input.op().is_some_and(|op| matches!(op.kind, OperationKind::Placeholder { .. })) {
                self.declare_as(input, declared)?;
            }
        }
        Ok(())
    }

    /// Allocates the buffers of results that are no arguments.
    fn allocate(&mut self, tensors: &[Ref<Tensor>], buffers: &[Ref<Buffer>]) {
        let inner = tensors.iter().zip(buffers).filter(|(tensor, _)| !self.arguments.contains(&tensor.key()));
        self.allocated.extend(inner.map(|(_, buffer)| buffer.clone()));
    }

    fn declare(&mut self, tensor: &Ref<Tensor>) -> Result<Ref<Buffer>> {
        self.declare_as(tensor, &Declared::named(tensor.name.clone()))
    }

    fn declare_as(&mut self, tensor: &Ref<Tensor>, declared: &Declared) -> Result<Ref<Buffer>> {
        let shape = tensor.shape.iter().map(|dim| as_index(dim, self.index)).collect::<Result<Vec<_>>>()?;
        let parts = BufferParts::compact(&declared.name, tensor.dtype, shape);
        // Memory that the function allocates begins with the buffer.
        let is_part = declared.has_offset && self.arguments.contains(&tensor.key());
        let elem_offset = is_part.then(|| Var::new("elem_offset", DataType::INT64).upcast());
        let data_alignment = declared.alignment;
        let buffer = Buffer::try_new(BufferParts { elem_offset, data_alignment, ..parts })?;
        self.buffers.insert(tensor.key(), buffer.clone());
        Ok(buffer)
    }

    fn buffer(&self, tensor: &Ref<Tensor>) -> Result<Ref<Buffer>> {
        let found = self.buffers.get(&tensor.key()).cloned();
        found.ok_or_else(|| TeError::MissingArgument { name: tensor.name.clone() })
    }

    /// The value of an attribute, with buffers in place of a list of tensors.
    fn attribute(&self, value: &Value) -> Result<Value> {
        let tensors = value.as_object().and_then(Array::<Ref<Tensor>>::try_ref);
        let Some(tensors) = tensors.filter(|tensors| !tensors.is_empty()) else { return Ok(value.clone()) };
        let buffers = tensors.iter().map(|tensor| self.buffer(tensor)).collect::<Result<Array<_>>>()?;
        Ok(Value::Node(buffers.into_object()))
    }

    /// An expression or a statement with loads from buffers.
    fn with_buffers<T: ObjectLike>(&self, node: T) -> Result<T> {
        try_post_order_mutate(node, |node| {
            let Some(load) = node.downcast_ref::<ProducerLoad>() else { return Ok(None) };
            let Some(tensor) = load.producer.downcast_ref::<Tensor>() else {
                return Err(TeError::UnknownProducer);
            };
            Ok(Some(BufferLoad::try_new(self.buffer(tensor)?, load.indices.clone(), None)?.into()))
        })
    }

    /// An expression in a block: loads from buffers, and the block's axes.
    fn in_block(&mut self, expr: &Expr, axes: &BlockAxes) -> Result<Expr> {
        self.retyped_in_block(expr, axes).map(|(expr, _)| expr)
    }

    /// Like [`Builder::in_block`], with a test whether anything has got the type of indices.
    fn retyped_in_block(&mut self, expr: &Expr, axes: &BlockAxes) -> Result<(Expr, bool)> {
        let expr = replace_vars(&self.with_buffers(expr.clone())?, &axes.map)?;
        let expr = if self.scalars.is_empty() { expr } else { replace_vars(&expr, &self.scalars)? };
        let new = self.retype.retype(expr.clone(), self.index)?;
        let is_new = !new.ptr_eq(&expr);
        Ok((new, is_new))
    }

    fn simplify(&mut self, expr: &Expr) -> Result<Expr> {
        self.retype.map(expr, |expr| self.analyzer.simplify(expr))
    }

    /// A name for a block that no other block has.
    fn fresh_name(&mut self, name: &Str) -> Str {
        self.names.take(&name.replace('.', "_")).into()
    }
}

/// The loops around the blocks of a computation.
struct Nest<'o> {
    axes: Vec<&'o Ref<IterVar>>,
    loops: Vec<(Ref<Var>, Ref<Range>)>,
}

/// The axes of a block, new ones for each.
struct BlockAxes {
    iters: Vec<Ref<IterVar>>,
    values: Vec<Expr>,
    /// The axes of the results.
    indices: Array<Expr>,
    /// From the axes of the operation.
    map: PtrMap<Object>,
}

impl BlockAxes {
    /// Adds the axis of a block without axes. In TVM 0.23 it has the type of indices if something else of the block gets that
    /// type, but its value always.
    fn push_unit(&mut self, builder: &Builder, is_retyped: bool) -> Result<()> {
        let value = as_index(&IntImm::int32(0), builder.unit.or(builder.index))?;
        let dtype = builder.unit.unwrap_or(if is_retyped { value.dtype() } else { DataType::INT32 });
        let [min, extent] = [0, 1].map(|bound| ops::make_const(dtype, bound));
        let dom = Range::from_min_extent(min?, extent?);
        self.iters.push(IterVar::try_new(Some(dom), Var::new("vi", dtype), IterType::DataPar, "".into())?);
        self.values.push(value);
        Ok(())
    }
}

impl<'o> Nest<'o> {
    fn new(
        op: &Operation,
        axis: &'o [Ref<IterVar>],
        reduce_axis: &'o [Ref<IterVar>],
        index: Option<DataType>,
    ) -> Result<Nest<'o>> {
        let axes: Vec<&Ref<IterVar>> = axis.iter().chain(reduce_axis).collect();
        let vars: tvmscript_ir_core::PtrSet = axes.iter().map(|axis| axis.var.object().clone()).collect();
        let mut analyzer = Analyzer::new();
        let mut loops = Vec::with_capacity(axes.len());
        for axis in &axes {
            let name = axis.var.name.get();
            let Some(dom) = &axis.dom else {
                return Err(TeError::DependentAxis { axis: name, name: op.name.clone() });
            };
            if free_variables(dom.object()).iter().any(|var| vars.contains(var)) {
                return Err(TeError::DependentAxis { axis: name, name: op.name.clone() });
            }
            let bound = |expr: &Expr, analyzer: &mut Analyzer| as_index(&analyzer.simplify(expr), index);
            let dom =
                Range::from_min_extent(bound(&dom.min, &mut analyzer)?, bound(&dom.extent, &mut analyzer)?);
            loops.push((Var::new(name, widened(axis.var.dtype, index)), dom));
        }
        Ok(Nest { axes, loops })
    }

    fn block_axes(&self, retype: &mut Retype) -> Result<BlockAxes> {
        let mut block = BlockAxes {
            iters: Vec::new(),
            values: Vec::new(),
            indices: Array::default(),
            map: PtrMap::default(),
        };
        let mut indices = Vec::new();
        for (axis, (loop_var, dom)) in self.axes.iter().zip(&self.loops) {
            let var = Var::new(format!("v_{}", axis.var.name.get()), loop_var.dtype);
            if axis.iter_type != IterType::CommReduce {
                indices.push(var.clone().upcast());
            }
            let value = retype.narrow(var.clone().upcast(), axis.var.dtype)?;
            block.map.insert(axis.var.object().clone(), value.into());
            block.iters.push(IterVar::try_new(
                Some(dom.clone()),
                var,
                axis.iter_type,
                axis.thread_tag.clone(),
            )?);
            block.values.push(loop_var.clone().upcast());
        }
        block.indices = Array::new(indices);
        Ok(block)
    }

    fn build(
        &self,
        builder: &mut Builder,
        op: &Operation,
        body: &Array<Expr>,
        buffers: &[Ref<Buffer>],
    ) -> Result<StmtRef> {
        let mut blocks = Vec::new();
        match body.first().and_then(|first| first.as_node::<Reduce>()) {
            Some(reduce) => {
                let axes = self.block_axes(&mut builder.retype)?;
                let name = builder.fresh_name(&op.name);
                let init = initialization(builder, reduce, buffers, &axes)?;
                let update = update(builder, reduce, buffers, &axes)?;
                blocks.push(block(builder, op, name, axes, Some(init), update)?);
            }
            None => {
                for (value, buffer) in body.iter().zip(buffers) {
                    let mut axes = self.block_axes(&mut builder.retype)?;
                    let name = builder.fresh_name(&buffer.name.get());
                    let (value, is_retyped) = builder.retyped_in_block(value, &axes)?;
                    if axes.iters.is_empty() {
                        axes.push_unit(builder, is_retyped)?;
                    }
                    let value = builder.simplify(&value)?;
                    let store = BufferStore::try_new(buffer.clone(), value, axes.indices.clone(), None)?;
                    blocks.push(block(builder, op, name, axes, None, store)?);
                }
            }
        }
        let mut stmt = flatten(blocks, true);
        for (loop_var, dom) in self.loops.iter().rev() {
            stmt = For::try_new(For {
                span: op.span,
                loop_var: loop_var.clone(),
                min: dom.min.clone(),
                extent: dom.extent.clone(),
                kind: ForKind::Serial,
                body: stmt,
                thread_binding: None,
                annotations: Map::default(),
                step: None,
            })?;
        }
        Ok(stmt)
    }
}

fn block(
    builder: &Builder,
    op: &Operation,
    name: Str,
    axes: BlockAxes,
    init: Option<StmtRef>,
    body: StmtRef,
) -> Result<StmtRef> {
    let detect = (DETECT_ACCESS.into(), Value::Node(IntImm::int32(3).into()));
    let attrs = op.attrs.iter().map(|(key, value)| Ok((key.clone(), builder.attribute(value)?)));
    let annotations = attrs.chain([Ok(detect)]).collect::<Result<Vec<_>>>()?;
    let block = Block {
        span: op.span,
        iter_vars: Array::new(axes.iters),
        reads: Array::default(),
        writes: Array::default(),
        name_hint: name,
        alloc_buffers: Array::default(),
        match_buffers: Array::default(),
        annotations: Map::new(annotations),
        init,
        body,
    };
    Ok(BlockRealize::try_new(Array::new(axes.values), IntImm::bool(true), Ref::new(block))?)
}

/// The stores of the identity elements, or of the initial values that the reduction has.
fn initialization(
    builder: &mut Builder,
    reduce: &Reduce,
    buffers: &[Ref<Buffer>],
    axes: &BlockAxes,
) -> Result<StmtRef> {
    let values = if reduce.init.is_empty() { &reduce.combiner.identity_element } else { &reduce.init };
    let stores = buffers.iter().zip(values.iter()).map(|(buffer, value)| {
        let value = builder.in_block(value, axes)?;
        Ok(BufferStore::try_new(buffer.clone(), value, axes.indices.clone(), None)?)
    });
    Ok(flatten(stores.collect::<Result<_>>()?, true))
}

/// The stores of the combined values. Several are computed before the first store, since each may depend on what another
/// store replaces.
fn update(
    builder: &mut Builder,
    reduce: &Reduce,
    buffers: &[Ref<Buffer>],
    axes: &BlockAxes,
) -> Result<StmtRef> {
    let CommReducer { lhs, rhs, result, .. } = &*reduce.combiner;
    let mut map = PtrMap::default();
    let mut old = Vec::with_capacity(buffers.len());
    for (index, buffer) in buffers.iter().enumerate() {
        let left = BufferLoad::try_new(buffer.clone(), axes.indices.clone(), None)?;
        let (Some(lhs), Some(rhs), Some(source)) = (lhs.get(index), rhs.get(index), reduce.source.get(index))
        else {
            return Err(TeError::NoBody { name: buffer.name.get() });
        };
        let right = builder.in_block(source, axes)?;
        map.insert(lhs.object().clone(), left.object().clone());
        map.insert(rhs.object().clone(), builder.simplify(&right)?.into());
        old.push(left);
    }
    let condition = builder.in_block(&reduce.condition, axes)?;
    let is_always = ops::is_one(&condition);
    let combined = result.iter().zip(old).map(|(value, old)| {
        let new = builder.retype.retype(replace_vars(value, &map)?, builder.index)?;
        if is_always { Ok(new) } else { Ok(Select::try_new(condition.clone(), new, old)?) }
    });
    let combined = combined.collect::<Result<Vec<_>>>()?;
    let store =
        |buffer: &Ref<Buffer>, value| BufferStore::try_new(buffer.clone(), value, axes.indices.clone(), None);
    if let ([buffer], [value]) = (buffers, combined.as_slice()) {
        return Ok(store(buffer, value.clone())?);
    }
    let name = |buffer: &Ref<Buffer>| format!("v_{}", buffer.name.get());
    let vars: Vec<Ref<Var>> = buffers.iter().map(|buffer| Var::new(name(buffer), buffer.dtype)).collect();
    let stores = buffers.iter().zip(&vars).map(|(buffer, var)| store(buffer, var.clone().upcast()));
    let mut stmt = flatten(stores.collect::<std::result::Result<_, _>>()?, true);
    for (var, value) in vars.into_iter().zip(combined).rev() {
        stmt = LetStmt::try_new(var, value, stmt)?;
    }
    Ok(stmt)
}

//! Tensors and the operations that produce them.
//!
//! A [`Tensor`] is a node, so that expressions can load from it (`ProducerLoad`). Its operation is not a field: walks over
//! a body end at the tensors that it reads, however long the chain of computations behind them is.

use std::sync::Arc;

use tvmscript_ir_core::type_table::FieldKind;
use tvmscript_ir_core::value::{Field, FieldRef};
use tvmscript_ir_core::{
    Array, DataType, Map, Node, Object, PtrMap, Ref, Span, Str, Value, post_order_visit,
};
use tvmscript_prim::{Expr, PrimExprExt, Range, Var};
use tvmscript_tir::node::StmtRef;
use tvmscript_tir::{Buffer, IterType, IterVar, ProducerLoad, Reduce};

use crate::error::{Result, TeError};

/// One result of an operation.
#[derive(Debug, Clone, Node)]
#[node(key = "te.Tensor")]
pub struct Tensor {
    /// Name in text: that of the operation, with the suffix `.v1` if it has several results.
    pub name: Str,
    /// Elements per dimension.
    pub shape: Array<Expr>,
    /// Type of the elements.
    pub dtype: DataType,
    /// Index among the results of the operation.
    pub value_index: i64,
    #[node(skip_eq)]
    producer: Producer,
}

impl Tensor {
    /// The operation that produces the tensor; none in a tensor read from JSON.
    pub fn op(&self) -> Option<&Operation> {
        self.producer.0.as_ref()
    }

    /// Identity of a tensor: two nodes are the same tensor if their operation and index are.
    pub(crate) fn key(&self) -> (usize, i64) {
        (self.op().map_or(0, Operation::address), self.value_index)
    }
}

/// The operation of a tensor, hidden from walks.
#[derive(Debug, Clone, Default)]
struct Producer(Option<Operation>);

impl Field for Producer {
    const KIND: FieldKind = FieldKind::Any;
    fn expected() -> String {
        "None".to_owned()
    }
    fn as_field(&self) -> FieldRef<'_> {
        FieldRef::None
    }
    fn from_value(value: Value) -> std::result::Result<Self, Value> {
        match value {
            Value::None => Ok(Producer(None)),
            other => Err(other),
        }
    }
}

/// An operation: a placeholder, a computation or a statement. Clones are the same operation.
#[derive(Debug, Clone)]
pub struct Operation(Arc<OperationData>);

/// The parts of an operation.
#[derive(Debug)]
pub struct OperationData {
    /// Name.
    pub name: Str,
    /// Tag, which TVM's library uses to recognise patterns; often empty.
    pub tag: Str,
    /// Attributes, which become annotations of blocks.
    pub attrs: Map<Str, Value>,
    /// Position in the program that made it.
    pub span: Span,
    /// The kind.
    pub kind: OperationKind,
}

/// The kind of an operation.
#[derive(Debug)]
#[non_exhaustive]
pub enum OperationKind {
    /// An input.
    Placeholder {
        /// Elements per dimension.
        shape: Array<Expr>,
        /// Type of the elements.
        dtype: DataType,
    },
    /// A computation element by element.
    Compute {
        /// The axes of the results.
        axis: Vec<Ref<IterVar>>,
        /// The axes that the bodies reduce over.
        reduce_axis: Vec<Ref<IterVar>>,
        /// One expression per result.
        body: Array<Expr>,
    },
    /// A statement over whole buffers.
    External {
        /// The tensors that it reads, with the buffers that it declares for parameters of the function among them.
        inputs: Vec<(Ref<Tensor>, Declared)>,
        /// The results.
        outputs: Vec<ExternalOutput>,
        /// Makes the statement.
        body: ExternalBody,
    },
}

/// A buffer as a statement declares it.
#[derive(Debug, Clone)]
pub struct Declared {
    pub(crate) name: Str,
    pub(crate) alignment: i64,
    pub(crate) has_offset: bool,
}

impl Declared {
    /// A buffer that begins where its memory does.
    pub fn named(name: impl Into<Str>) -> Declared {
        Declared { name: name.into(), alignment: 0, has_offset: false }
    }

    /// A buffer that may begin inside a larger one.
    pub fn inside(name: impl Into<Str>) -> Declared {
        Declared { has_offset: true, ..Declared::named(name) }
    }

    /// The same buffer with an alignment in bytes.
    pub fn aligned(self, bytes: i64) -> Declared {
        Declared { alignment: bytes, ..self }
    }
}

/// A result of a statement.
#[derive(Debug, Clone)]
pub struct ExternalOutput {
    /// Elements per dimension.
    pub shape: Array<Expr>,
    /// Type of the elements.
    pub dtype: DataType,
    /// The buffer.
    pub buffer: Declared,
}

type MakeBody = dyn Fn(&[Ref<Buffer>], &[Ref<Buffer>]) -> Result<StmtRef> + Send + Sync;

/// Makes the statement of an external operation from the buffers of its inputs and those of its results.
#[derive(Clone)]
pub struct ExternalBody(pub(crate) Arc<MakeBody>);

impl std::fmt::Debug for ExternalBody {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a statement over buffers")
    }
}

impl std::ops::Deref for Operation {
    type Target = OperationData;
    fn deref(&self) -> &OperationData {
        &self.0
    }
}

/// Creates an input.
pub fn placeholder(shape: Array<Expr>, dtype: DataType, name: impl Into<Str>) -> Ref<Tensor> {
    let kind = OperationKind::Placeholder { shape, dtype };
    Operation::new(name.into(), "".into(), Map::default(), kind).output(0)
}

/// Creates a computation: `body` gets the variables of the axes, which have the given names, and returns one expression
/// per result.
///
/// # Errors
/// If a dimension is not an integer, or `body` fails.
pub fn compute<E: From<TeError>>(
    shape: &Array<Expr>,
    axis_names: &[String],
    name: impl Into<Str>,
    body: impl FnOnce(&[Ref<Var>]) -> std::result::Result<Vec<Expr>, E>,
) -> std::result::Result<Operation, E> {
    let axes = shape.iter().zip(axis_names).map(|(extent, name)| data_axis(name, extent.clone()));
    let axis = axes.collect::<Result<Vec<_>>>()?;
    let vars: Vec<Ref<Var>> = axis.iter().map(|axis| axis.var.clone()).collect();
    let body = body(&vars)?;
    Ok(Operation::compute(name.into(), "".into(), Map::default(), axis, body)?)
}

/// An axis over a dimension of the results.
pub(crate) fn data_axis(name: &str, extent: Expr) -> Result<Ref<IterVar>> {
    let var = Var::new(name, extent.dtype());
    let dom = Range::try_from_extent(extent)?;
    Ok(IterVar::try_new(Some(dom), var, IterType::DataPar, "".into())?)
}

impl Operation {
    pub(crate) fn new(name: Str, tag: Str, attrs: Map<Str, Value>, kind: OperationKind) -> Operation {
        Operation(Arc::new(OperationData { name, tag, attrs, span: Span::current(), kind }))
    }

    /// A computation over axes.
    ///
    /// # Errors
    /// If there is no body, or a reduction is a part of one.
    pub fn compute(
        name: Str,
        tag: Str,
        attrs: Map<Str, Value>,
        axis: Vec<Ref<IterVar>>,
        body: Vec<Expr>,
    ) -> Result<Operation> {
        let Some(first) = body.first() else { return Err(TeError::NoBody { name }) };
        let reduce_axis: Vec<_> = match first.as_node::<Reduce>() {
            Some(reduce) => reduce.axis.iter().cloned().collect(),
            None => Vec::new(),
        };
        for value in &body {
            let parts: Vec<&Object> = match value.as_node::<Reduce>() {
                Some(reduce) => reduce.source.iter().map(|part| part.object()).collect(),
                None => vec![value.object()],
            };
            let mut has_reduction = false;
            for part in parts {
                post_order_visit(part, |node| has_reduction |= node.is::<Reduce>());
            }
            if has_reduction || value.is::<Reduce>() != first.is::<Reduce>() {
                return Err(TeError::PartOfReduction { name });
            }
        }
        let kind = OperationKind::Compute { axis, reduce_axis, body: Array::new(body) };
        Ok(Operation::new(name, tag, attrs, kind))
    }

    /// An operation whose results `body` writes: it gets the buffers of the inputs and those of the results. Loads from other
    /// tensors in its statement become loads from their buffers, if they are parameters.
    ///
    /// # Source
    /// `te.extern`, `python/tvm/te/operation.py`.
    pub fn external(
        name: impl Into<Str>,
        inputs: Vec<(Ref<Tensor>, Declared)>,
        outputs: Vec<ExternalOutput>,
        body: impl Fn(&[Ref<Buffer>], &[Ref<Buffer>]) -> Result<StmtRef> + Send + Sync + 'static,
    ) -> Operation {
        let kind = OperationKind::External { inputs, outputs, body: ExternalBody(Arc::new(body)) };
        Operation::new(name.into(), "".into(), Map::default(), kind)
    }

    /// The same operation with other bodies.
    pub(crate) fn with_body(&self, new: Array<Expr>) -> Operation {
        let kind = match &self.kind {
            OperationKind::Compute { axis, reduce_axis, .. } => {
                OperationKind::Compute { axis: axis.clone(), reduce_axis: reduce_axis.clone(), body: new }
            }
            OperationKind::Placeholder { .. } | OperationKind::External { .. } => return self.clone(),
        };
        let OperationData { name, tag, attrs, span, .. } = &**self;
        Operation(Arc::new(OperationData {
            name: name.clone(),
            tag: tag.clone(),
            attrs: attrs.clone(),
            span: *span,
            kind,
        }))
    }

    /// Number of results.
    pub fn output_count(&self) -> usize {
        match &self.kind {
            OperationKind::Placeholder { .. } => 1,
            OperationKind::Compute { body, .. } => body.len(),
            OperationKind::External { outputs, .. } => outputs.len(),
        }
    }

    /// A result.
    pub fn output(&self, index: usize) -> Ref<Tensor> {
        let (shape, dtype): (Array<Expr>, DataType) = match &self.kind {
            OperationKind::Placeholder { shape, dtype } => (shape.clone(), *dtype),
            OperationKind::External { outputs, .. } => outputs
                .get(index)
                .map_or((Array::default(), DataType::VOID), |output| (output.shape.clone(), output.dtype)),
            OperationKind::Compute { axis, body, .. } => {
                let extents = axis.iter().filter_map(|axis| axis.dom.as_ref().map(|dom| dom.extent.clone()));
                (extents.collect(), body.get(index).map_or(DataType::VOID, |value| value.dtype()))
            }
        };
        let name = match self.output_count() {
            1 => self.name.clone(),
            _ => format!("{}.v{index}", self.name).into(),
        };
        let producer = Producer(Some(self.clone()));
        Ref::new(Tensor { name, shape, dtype, value_index: index as i64, producer })
    }

    /// The results.
    pub fn outputs(&self) -> Vec<Ref<Tensor>> {
        (0..self.output_count()).map(|index| self.output(index)).collect()
    }

    /// The bodies of a computation.
    pub fn body(&self) -> Option<&Array<Expr>> {
        match &self.kind {
            OperationKind::Compute { body, .. } => Some(body),
            OperationKind::Placeholder { .. } | OperationKind::External { .. } => None,
        }
    }

    /// The axes: those of the results, then those of reductions.
    pub fn root_axes(&self) -> Vec<Ref<IterVar>> {
        match &self.kind {
            OperationKind::Compute { axis, reduce_axis, .. } => {
                axis.iter().chain(reduce_axis).cloned().collect()
            }
            OperationKind::Placeholder { .. } | OperationKind::External { .. } => Vec::new(),
        }
    }

    /// The tensors that the operation reads, in the order of their first load.
    pub fn inputs(&self) -> Vec<Ref<Tensor>> {
        if let OperationKind::External { inputs, .. } = &self.kind {
            return inputs.iter().map(|(input, _)| input.clone()).collect();
        }
        let mut found: Vec<Ref<Tensor>> = Vec::new();
        let mut known = hashbrown::HashSet::new();
        let Some(body) = self.body() else { return found };
        post_order_visit(body.object(), |node| {
            if let Some(load) = node.downcast_ref::<ProducerLoad>()
                && let Some(tensor) = load.producer.downcast_ref::<Tensor>()
                && known.insert(tensor.key())
            {
                found.push(tensor.clone());
            }
        });
        found
    }

    pub(crate) fn address(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }
}

impl PartialEq for Operation {
    fn eq(&self, other: &Operation) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// A load of one element.
///
/// # Errors
/// If there is not one index per dimension.
pub fn load(tensor: &Ref<Tensor>, indices: Array<Expr>) -> Result<Expr> {
    let (expected, found) = (tensor.shape.len(), indices.len());
    if expected != found {
        return Err(TeError::Rank { tensor: tensor.name.clone(), expected, found });
    }
    let producer = tensor.object().clone();
    Ok(Ref::new(ProducerLoad { span: Span::current(), dtype: tensor.dtype, producer, indices }).upcast())
}

/// The operations that some need, themselves included: each after those that it reads.
pub fn post_order(roots: &[Operation]) -> Vec<Operation> {
    let mut done = hashbrown::HashSet::new();
    let mut order = Vec::new();
    // Each entry is an operation with the inputs that are not visited yet, the next one last.
    let mut open: Vec<(Operation, Vec<Ref<Tensor>>)> = Vec::new();
    for root in roots {
        let enter = |op: &Operation, open: &mut Vec<_>| {
            let mut inputs = op.inputs();
            inputs.reverse();
            open.push((op.clone(), inputs));
        };
        if done.insert(root.address()) {
            enter(root, &mut open);
        }
        while let Some((_, inputs)) = open.last_mut() {
            match inputs.pop() {
                Some(input) => {
                    if let Some(op) = input.op()
                        && done.insert(op.address())
                    {
                        let op = op.clone();
                        enter(&op, &mut open);
                    }
                }
                None => order.extend(open.pop().map(|(op, _)| op)),
            }
        }
    }
    order
}

/// Replaces variables by expressions.
pub(crate) fn replace_vars(expr: &Expr, map: &PtrMap<Object>) -> Result<Expr> {
    Ok(tvmscript_ir_core::substitute(expr.clone(), map)?)
}

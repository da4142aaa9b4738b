//! Statements over whole buffers, for operators that TVM's library writes with its IR builder.
//!
//! TVM widens integers afterwards: those in conditions, bounds of loops and arithmetic of indices. Templates state the
//! widened form with [`wide`].

use tvmscript_ir_core::{Array, DataType, Map, Ref, Span};
use tvmscript_prim::{Cast, Expr, IntImm, StringImm, Var};
use tvmscript_te::{Declared, ExternalOutput, Operation};
use tvmscript_tir::node::{BufferParts, StmtRef, flatten};
use tvmscript_tir::op::{call::call_packed, memory::stack_array};
use tvmscript_tir::{
    Allocate, AttrStmt, Buffer, BufferLoad, BufferStore, DeclBuffer, Evaluate, For, ForKind, IfThenElse,
    While,
};

use super::manipulate::unsupported;
use super::scalar::{Scalar, int, unravel_below};
use super::tensor::{Answer, Tensor};

/// A buffer that is read and written.
#[derive(Clone, Copy)]
pub(super) struct Cells<'b>(pub(super) &'b Ref<Buffer>);

impl Cells<'_> {
    /// An element.
    pub(super) fn at(&self, indices: &[Scalar]) -> Scalar {
        let load = |indices| Ok(BufferLoad::try_new(self.0.clone(), indices, None)?);
        Scalar(list(indices).and_then(load))
    }

    pub(super) fn store(&self, indices: &[Scalar], value: Scalar) -> Answer<StmtRef> {
        Ok(BufferStore::try_new(self.0.clone(), value.0?, list(indices)?, None)?)
    }
}

fn list(indices: &[Scalar]) -> Answer<Array<Expr>> {
    indices.iter().map(|index| index.0.clone()).collect()
}

/// A buffer that is read and written by positions in row-major order.
#[derive(Clone, Copy)]
pub(super) struct Flat<'b>(pub(super) &'b Ref<Buffer>);

impl Flat<'_> {
    fn indices(&self, position: &Scalar) -> Vec<Scalar> {
        if self.0.shape.is_empty() {
            return Vec::new();
        }
        let inner: Vec<Scalar> = self.0.shape.iter().skip(1).map(Scalar::from).collect();
        let (first, rest) = unravel_below(position.clone(), &inner);
        std::iter::once(first).chain(rest).collect()
    }

    /// An element.
    pub(super) fn at(&self, position: &Scalar) -> Scalar {
        Cells(self.0).at(&self.indices(position))
    }

    pub(super) fn store(&self, position: &Scalar, value: Scalar) -> Answer<StmtRef> {
        Cells(self.0).store(&self.indices(position), value)
    }
}

/// A number that statements change.
pub(super) struct Local(Ref<Buffer>);

impl Local {
    pub(super) fn new(name: &str, dtype: DataType) -> Answer<Local> {
        let data = Var::with_type(name, Buffer::pointer_type(dtype, "local"));
        let parts = BufferParts::compact(name, dtype, [int(1).0?]);
        Ok(Local(Buffer::try_new(BufferParts { data, ..parts })?))
    }

    /// The value.
    pub(super) fn get(&self) -> Scalar {
        Cells(&self.0).at(&[int(0)])
    }

    pub(super) fn set(&self, value: Scalar) -> Answer<StmtRef> {
        Cells(&self.0).store(&[int(0)], value)
    }

    /// Adds 1.
    pub(super) fn count(&self) -> Answer<StmtRef> {
        self.set(self.get() + 1)
    }

    /// The statement with memory for the number.
    pub(super) fn around(&self, body: Answer<StmtRef>) -> Answer<StmtRef> {
        let buffer = self.0.clone();
        let (data, dtype, extents) = (buffer.data.clone(), buffer.dtype, buffer.shape.clone());
        let body = DeclBuffer { span: Span::current(), buffer, body: body? };
        let (always, body) = (IntImm::bool(true), Ref::new(body).upcast());
        Ok(Allocate::try_new(data, dtype, extents, always, body, Map::default())?)
    }
}

/// A number of this type.
pub(super) fn number(dtype: DataType, value: i64) -> Scalar {
    int(value).cast(dtype)
}

/// An integer as an index.
pub(super) fn wide(value: &Scalar) -> Scalar {
    value.cast(DataType::INT64)
}

/// A cast that stays, also of a literal or to the same type.
pub(super) fn cast_node(value: &Scalar, dtype: DataType) -> Scalar {
    value.map(|value| Cast::try_new(dtype, value))
}

/// The statements, one after the other.
pub(super) fn sequence(stmts: impl IntoIterator<Item = Answer<StmtRef>>) -> Answer<StmtRef> {
    Ok(flatten(stmts.into_iter().collect::<Answer<_>>()?, true))
}

/// A loop from 0 on. TVM simplifies the extent.
pub(super) fn repeat(
    extent: &Scalar,
    kind: ForKind,
    body: impl FnOnce(&Scalar) -> Answer<StmtRef>,
) -> Answer<StmtRef> {
    let loop_var = Var::new("i", DataType::INT64);
    let body = body(&Scalar::from(Expr::from(loop_var.clone().upcast())))?;
    Ok(For::try_new(For {
        span: Span::current(),
        loop_var,
        min: int(0).0?,
        extent: extent.simplified().0?,
        kind,
        body,
        thread_binding: None,
        annotations: Map::default(),
        step: None,
    })?)
}

/// A serial loop from 0 on.
pub(super) fn each(extent: &Scalar, body: impl FnOnce(&Scalar) -> Answer<StmtRef>) -> Answer<StmtRef> {
    repeat(extent, ForKind::Serial, body)
}

pub(super) fn repeat_while(condition: Scalar, body: Answer<StmtRef>) -> Answer<StmtRef> {
    Ok(Ref::new(While { span: Span::current(), condition: condition.0?, body: body? }).upcast())
}

pub(super) fn when(condition: Scalar, then: Answer<StmtRef>) -> Answer<StmtRef> {
    conditional(condition, then, None)
}

pub(super) fn either(
    condition: Scalar,
    then: Answer<StmtRef>,
    otherwise: Answer<StmtRef>,
) -> Answer<StmtRef> {
    conditional(condition, then, Some(otherwise?))
}

fn conditional(condition: Scalar, then: Answer<StmtRef>, else_case: Option<StmtRef>) -> Answer<StmtRef> {
    let (span, condition, then_case) = (Span::current(), condition.0?, then?);
    Ok(Ref::new(IfThenElse { span, condition, then_case, else_case }).upcast())
}

/// The statements in a scope whose order is kept.
pub(super) fn in_order(stmts: impl IntoIterator<Item = Answer<StmtRef>>) -> Answer<StmtRef> {
    let scope = AttrStmt {
        span: Span::current(),
        node: IntImm::int32(0).into(),
        attr_key: "pragma_scope".into(),
        value: StringImm::new("seq"),
        body: sequence(stmts)?,
    };
    Ok(Ref::new(scope).upcast())
}

/// The call of a function of the runtime library with buffers, an axis and the direction.
pub(super) fn packed_call(
    name: &str,
    buffers: &[&Ref<Buffer>],
    axis: i64,
    is_ascending: bool,
) -> Answer<StmtRef> {
    let arrays = buffers.iter().map(|buffer| Ok(stack_array(buffer)?)).collect::<Answer<Vec<_>>>()?;
    let options = [number(DataType::INT32, axis).0?, IntImm::bool(is_ascending)];
    let name = std::iter::once(StringImm::new(name));
    Ok(Evaluate::new(call_packed(name.chain(arrays).chain(options))))
}

/// A result of statements.
pub(super) fn output(dims: &[Scalar], dtype: DataType, buffer: Declared) -> Answer<ExternalOutput> {
    Ok(ExternalOutput { shape: list(dims)?, dtype, buffer })
}

/// The tensors that a statement writes: `body` gets the buffers of the inputs and those of the results.
pub(super) fn written<const M: usize, const N: usize>(
    name: &str,
    inputs: [(Tensor, Declared); M],
    outputs: [Answer<ExternalOutput>; N],
    body: impl Fn(&[Ref<Buffer>; M], &[Ref<Buffer>; N]) -> Answer<StmtRef> + Send + Sync + 'static,
) -> Answer<[Tensor; N]> {
    let body = move |inputs: &[Ref<Buffer>; M], outputs: &[Ref<Buffer>]| match outputs.try_into() {
        Ok(outputs) => body(inputs, outputs),
        Err(_) => unsupported("the results of a statement differ from its declaration"),
    };
    let tensors = written_all(name, inputs, outputs, body)?;
    tensors.try_into().or_else(|_| unsupported("a statement lacks results"))
}

/// The same for a number of results that depends on what is wanted.
pub(super) fn written_all<const M: usize>(
    name: &str,
    inputs: [(Tensor, Declared); M],
    outputs: impl IntoIterator<Item = Answer<ExternalOutput>>,
    body: impl Fn(&[Ref<Buffer>; M], &[Ref<Buffer>]) -> Answer<StmtRef> + Send + Sync + 'static,
) -> Answer<Vec<Tensor>> {
    written_from(name, inputs, outputs, move |inputs, outputs| match inputs.try_into() {
        Ok(inputs) => body(inputs, outputs),
        Err(_) => unsupported("the inputs of a statement differ from its declaration"),
    })
}

/// The same for a number of inputs that depends on the call.
pub(super) fn written_from(
    name: &str,
    inputs: impl IntoIterator<Item = (Tensor, Declared)>,
    outputs: impl IntoIterator<Item = Answer<ExternalOutput>>,
    body: impl Fn(&[Ref<Buffer>], &[Ref<Buffer>]) -> Answer<StmtRef> + Send + Sync + 'static,
) -> Answer<Vec<Tensor>> {
    let inputs = inputs.into_iter().map(|(input, declared)| (input.0, declared)).collect();
    let outputs = outputs.into_iter().collect::<Answer<Vec<_>>>()?;
    let op = Operation::external(name, inputs, outputs, body);
    Ok(op.outputs().into_iter().map(Tensor).collect())
}

/// A tensor as an input that may begin inside a larger buffer.
pub(super) fn inside(tensor: &Tensor) -> (Tensor, Declared) {
    (tensor.clone(), Declared::inside(tensor.name()))
}

/// A tensor as an input with a buffer of this name.
pub(super) fn named(tensor: &Tensor, name: &str) -> (Tensor, Declared) {
    (tensor.clone(), Declared::named(name))
}

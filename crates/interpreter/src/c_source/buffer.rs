//! Buffers: their layout, and accesses of their elements.

use tvmscript_ir_core::{Array, DataType, Ref};
use tvmscript_prim::{Expr, PrimExprExt as _};
use tvmscript_tir::node::{Buffer, BufferType};

use super::expr::lane_of;
use super::helpers::Helper;
use super::types::storage_type;
use super::value::{Level, Value};
use super::{Lanes, Writer};
use crate::error::{Result, RunError, RunErrorKind, unsupported};

pub(super) type View = crate::compile::View<Value>;

/// Strides longer than this are variables.
const MAX_STRIDE: usize = 40;

impl Writer<'_> {
    /// The layout that a buffer has now.
    pub(super) fn layout(&mut self, buffer: &Buffer, pointer: Value) -> Result<View> {
        let mut shape = Vec::new();
        for (dimension, extent) in buffer.shape.iter().enumerate() {
            shape.push(match self.index(extent) {
                // No offset depends on the outermost extent.
                Err(RunError { kind: RunErrorKind::Unbound { .. }, .. }) if dimension == 0 => {
                    Value::count(i64::MAX)
                }
                extent => extent?,
            });
        }
        let strides = match buffer.strides.len() == shape.len() {
            true => buffer.strides.iter().map(|stride| self.index(stride)).collect::<Result<Vec<Value>>>()?,
            false => compact_strides(&shape),
        };
        let mut named = Vec::new();
        for stride in strides {
            named.push(match stride.text.len() > MAX_STRIDE {
                true => self.hoisted(&format!("{}_stride", buffer.name.get()), stride, DataType::INT64)?,
                false => stride,
            });
        }
        let offset = self.index(&buffer.elem_offset)?;
        Ok(based(View { pointer, offset, shape, strides: named }, buffer))
    }

    /// The layout of a buffer. One without a declaration lies in the memory of its data variable.
    pub(super) fn view(&mut self, buffer: &Ref<Buffer>) -> Result<View> {
        if let Some(view) = self.views.get(&buffer.object().address()) {
            return Ok(view.clone());
        }
        match self.first_lane(&buffer.data) {
            Some(pointer) => self.layout(buffer, pointer),
            None => Err(RunErrorKind::Unbound { name: buffer.data.name.get().to_string() }.into()),
        }
    }

    /// The offsets of the elements that an access refers to, one per lane of the indices, and the conditions to be inside.
    fn elements(
        &mut self,
        buffer: &Buffer,
        view: &View,
        indices: &Array<Expr>,
    ) -> Result<Vec<(Value, Option<String>)>> {
        if indices.len() != view.shape.len() {
            return Err(RunErrorKind::Kind { expected: "an index per dimension" }.into());
        }
        let mut all = Vec::new();
        for index in indices.iter() {
            let dtype = index.dtype().element();
            let lanes = self.expr(index)?;
            all.push(lanes.into_iter().map(|lane| lane.index_of(dtype)).collect::<Lanes>());
        }
        let count = all.iter().map(Vec::len).max().unwrap_or(1);
        let is_guarded = self.is_guarded && buffer.scope().as_str() == "global";
        let mut elements = vec![(view.offset.clone(), None); count];
        for ((index, extent), stride) in all.iter().zip(&view.shape).zip(&view.strides) {
            if extent.known() == Some(1) && buffer.buffer_type == BufferType::AutoBroadcast {
                continue;
            }
            for (lane, (sum, inside)) in elements.iter_mut().enumerate() {
                let Some(index) = index.get(lane).or_else(|| index.first()) else { continue };
                if is_guarded && !(index.bounds.0 >= 0 && index.bounds.1 < extent.bounds.0) {
                    let at = index.at(Level::Add);
                    let own = format!("{at} >= 0 && {at} < {}", extent.at(Level::Add));
                    *inside =
                        Some(inside.take().map_or(own.clone(), |known: String| format!("{known} && {own}")));
                }
                *sum = sum.index_add(&index.index_mul(stride));
            }
        }
        Ok(elements)
    }

    /// Reads elements. Lanes whose predicate is false are zero.
    pub(super) fn load(
        &mut self,
        buffer: &Ref<Buffer>,
        indices: &Array<Expr>,
        predicate: Option<&Expr>,
    ) -> Result<Lanes> {
        let predicate = predicate.map(|predicate| self.expr(predicate)).transpose()?;
        let view = self.view(buffer)?;
        let elements = self.elements(buffer, &view, indices)?;
        let lanes = scalars_of(buffer.dtype)?;
        let dtype = buffer.dtype.element();
        let mut out = Lanes::new();
        for (element, inside) in elements {
            for lane in 0..lanes {
                let index = lane_index(&element, lane, lanes);
                let value = self.read(&view.pointer, &index, dtype)?;
                let value = match condition(predicate.as_ref(), out.len(), inside.as_deref())? {
                    None => value,
                    Some(condition) => {
                        let text = format!("{condition} ? {} : 0", value.at(Level::Other));
                        Value { text, level: Level::Conditional, ..value }
                    }
                };
                out.push(if self.is_ordered { self.hoisted("read", value, dtype)? } else { value });
            }
        }
        self.check_size()?;
        Ok(out)
    }

    /// Writes elements whose predicate is not false.
    pub(super) fn store(
        &mut self,
        buffer: &Ref<Buffer>,
        indices: &Array<Expr>,
        value: &Expr,
        predicate: Option<&Expr>,
    ) -> Result<()> {
        let mut values = self.expr(value)?;
        let predicate = predicate.map(|predicate| self.expr(predicate)).transpose()?;
        let view = self.view(buffer)?;
        let elements = self.elements(buffer, &view, indices)?;
        let lanes = scalars_of(buffer.dtype)?;
        let dtype = buffer.dtype.element();
        if elements.len() * lanes > 1 {
            // All lanes are computed before the first one is written.
            let is_plain = |value: &Value| !value.text.contains(['[', '(']);
            if values.len() > 1 && !values.iter().all(is_plain) {
                let all = values.into_iter().map(|value| self.hoisted("lane", value, dtype));
                values = all.collect::<Result<Lanes>>()?;
            }
        }
        for (position, (element, inside)) in elements.iter().enumerate() {
            for lane in 0..lanes {
                let number = position * lanes + lane;
                let index = lane_index(element, lane, lanes);
                let text = self.write(&view.pointer, &index, lane_of(&values, number)?, dtype)?;
                match condition(predicate.as_ref(), number, inside.as_deref())? {
                    None => self.line(format!("{text};")),
                    Some(condition) => self.line(format!("if ({condition}) {{ {text}; }}")),
                }
            }
        }
        Ok(())
    }

    /// An element from a pointer on.
    pub(super) fn read(&mut self, pointer: &Value, index: &Value, dtype: DataType) -> Result<Value> {
        let storage = storage_type(dtype)?;
        let text = match pointer.points_to == Some(storage) {
            true => format!("{}[{}]", pointer.atomic(), index.text),
            false => format!("{}({}, {})", self.helper(Helper::Load(storage)), pointer.text, index.text),
        };
        if dtype.is_bool() {
            return Ok(Value::new(format!("{text} != 0"), Level::Other, dtype));
        }
        let is_coded = super::types::is_rounded(dtype);
        let text = if is_coded { format!("{}({text})", self.helper(Helper::Decode(dtype))) } else { text };
        Ok(Value::atom(text, dtype))
    }

    /// The expression that writes an element.
    pub(super) fn write(
        &mut self,
        pointer: &Value,
        index: &Value,
        value: &Value,
        dtype: DataType,
    ) -> Result<String> {
        let storage = storage_type(dtype)?;
        let value = match super::types::is_rounded(dtype) {
            true => format!("{}({})", self.helper(Helper::Encode(dtype)), value.text),
            false => value.text.clone(),
        };
        Ok(match pointer.points_to == Some(storage) {
            true => format!("{}[{}] = {value}", pointer.atomic(), index.text),
            false => {
                format!("{}({}, {}, {value})", self.helper(Helper::Store(storage)), pointer.text, index.text)
            }
        })
    }

    /// The pointer to an element of a buffer, which may be one past the end.
    pub(super) fn address_of(&mut self, expr: &Expr) -> Result<Value> {
        if let Some(argument) = expr.as_node::<tvmscript_tirx::BufferArgument>() {
            return self.pointer_of(&argument.buffer);
        }
        let Some(load) = expr.as_node::<tvmscript_tir::node::BufferLoad>() else {
            return match expr.dtype().is_handle() {
                true => self.scalar(expr),
                false => unsupported("the address of a value"),
            };
        };
        let view = self.view(&load.buffer)?;
        let mut sum = view.offset;
        for (index, stride) in load.indices.iter().zip(&view.strides) {
            let lanes = self.expr(index)?;
            let first = lane_of(&lanes, 0)?.clone().index_of(index.dtype().element());
            sum = sum.index_add(&first.index_mul(stride));
        }
        self.element_at(&view.pointer, &sum, load.buffer.dtype)
    }

    /// The pointer to the memory of a buffer.
    pub(super) fn pointer_of(&mut self, buffer: &Ref<Buffer>) -> Result<Value> {
        match self.first_lane(&buffer.data) {
            Some(pointer) => Ok(pointer),
            None => Ok(self.view(buffer)?.pointer),
        }
    }

    /// The pointer to an element, counted from another pointer.
    pub(super) fn element_at(&mut self, pointer: &Value, index: &Value, dtype: DataType) -> Result<Value> {
        let lanes = scalars_of(dtype)?;
        let index = lane_index(index, 0, lanes);
        if index.known() == Some(0) {
            return Ok(pointer.clone());
        }
        let storage = storage_type(dtype.element())?;
        if pointer.points_to == Some(storage) {
            let text = format!("{} + {}", pointer.at(Level::Add), index.at(Level::Mul));
            return Ok(Value::pointer(text, Level::Add, Some(storage)));
        }
        let bytes = crate::scalar::storage_bytes(dtype.element()).unwrap_or(1) as i64;
        Ok(self.byte_offset(pointer, &index.index_mul(&Value::count(bytes))))
    }

    /// The pointer some bytes further.
    pub(super) fn byte_offset(&mut self, pointer: &Value, bytes: &Value) -> Value {
        let text = format!("(void *)({} + {})", pointer.cast_to("char *"), bytes.at(Level::Mul));
        let typed = pointer.points_to.map(|element| {
            let ctype = super::types::pointer_type(Some(element));
            Value::pointer(format!("({ctype}){text}"), Level::Unary, Some(element))
        });
        typed.unwrap_or_else(|| Value::pointer(text, Level::Unary, None))
    }
}

/// Counts the elements of a buffer from the start of the memory that its pointer is in, if they have the same type.
pub(super) fn based(view: View, buffer: &Buffer) -> View {
    let is_same = |memory: &Value| {
        memory.points_to.is_some_and(|element| storage_type(buffer.dtype.element()) == Ok(element))
    };
    match view.pointer.base.clone() {
        Some(base) if buffer.dtype.lanes == 1 && is_same(&base.0) => {
            let (pointer, start) = *base;
            View { pointer, offset: start.index_add(&view.offset), ..view }
        }
        _ => view,
    }
}

/// The condition for the access of a lane.
fn condition(predicate: Option<&Lanes>, lane: usize, inside: Option<&str>) -> Result<Option<String>> {
    let own = predicate.map(|lanes| lane_of(lanes, lane)).transpose()?.map(|value| value.at(Level::Add));
    Ok(match (own, inside) {
        (Some(own), Some(inside)) => Some(format!("{own} && {inside}")),
        (own, inside) => own.or(inside.map(str::to_owned)),
    })
}

/// The position of a lane of an element.
fn lane_index(element: &Value, lane: usize, lanes: usize) -> Value {
    element.index_mul(&Value::count(lanes as i64)).index_add(&Value::count(lane as i64))
}

/// The number of scalars of an element.
pub(super) fn scalars_of(dtype: DataType) -> Result<usize> {
    match usize::try_from(dtype.lanes) {
        Ok(lanes @ 1..) => {
            storage_type(dtype.element())?;
            Ok(lanes)
        }
        _ => unsupported(format!("the type {dtype}")),
    }
}

/// The strides of a compact, row-major array.
fn compact_strides(shape: &[Value]) -> Vec<Value> {
    let mut strides = Vec::new();
    let mut stride = Value::count(1);
    for extent in shape.iter().rev() {
        strides.push(stride.clone());
        if strides.len() < shape.len() {
            stride = stride.index_mul(extent);
        }
    }
    strides.reverse();
    strides
}

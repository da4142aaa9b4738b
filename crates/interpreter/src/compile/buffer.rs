//! Accesses of buffers.

use tvmscript_ir_core::{Array, DataType, Ref};
use tvmscript_prim::Expr;
use tvmscript_tir::node::{Buffer, BufferType};

use super::{Compiler, Lanes, View};
use crate::error::{Result, RunError, RunErrorKind, unsupported};
use crate::memory::Element;
use crate::program::{Instruction as I, Position, Register};

impl Compiler<'_> {
    /// The layout that a buffer has now.
    pub(super) fn layout(&mut self, buffer: &Buffer, pointer: Register) -> Result<View> {
        let mut shape = Vec::new();
        for (dimension, extent) in buffer.shape.iter().enumerate() {
            shape.push(match self.scalar(extent) {
                // No offset depends on the outermost extent.
                Err(RunError { kind: RunErrorKind::Unbound { .. }, .. }) if dimension == 0 => {
                    self.int(i64::MAX)
                }
                extent => extent?,
            });
        }
        let strides = match buffer.strides.len() == shape.len() {
            true => self.scalars(buffer.strides.iter())?,
            false => self.compact_strides(&shape),
        };
        let offset = self.scalar(&buffer.elem_offset)?;
        Ok(View { pointer, offset, shape, strides })
    }

    /// The layout of a buffer. One without a declaration lies in the memory of its data variable.
    pub(super) fn view(&mut self, buffer: &Ref<Buffer>) -> Result<View> {
        if let Some(view) = self.views.get(&buffer.object().address()) {
            return Ok(view.clone());
        }
        match self.lanes_of(&buffer.data).and_then(|lanes| lanes.first().copied()) {
            Some(pointer) => {
                let view = self.layout(buffer, pointer)?;
                self.declare(buffer, view.clone());
                Ok(view)
            }
            None => Err(RunErrorKind::Unbound { name: buffer.data.name.get().to_string() }.into()),
        }
    }

    /// The offsets of the elements that an access refers to, one per lane of the indices, and whether each is inside.
    fn elements(
        &mut self,
        buffer: &Ref<Buffer>,
        view: &View,
        indices: &Array<Expr>,
    ) -> Result<Vec<(Register, Option<Register>)>> {
        if indices.len() != view.shape.len() {
            return Err(RunErrorKind::Kind { expected: "an index per dimension" }.into());
        }
        let is_guarded = self.is_guarded && buffer.scope().as_str() == "global";
        let indices = indices.iter().map(|index| self.expr(index)).collect::<Result<Vec<Lanes>>>()?;
        let count = indices.iter().map(Vec::len).max().unwrap_or(1);
        let mut elements = vec![(view.offset, None); count];
        for (dimension, index) in indices.iter().enumerate() {
            let (Some(&extent), Some(&stride)) = (view.shape.get(dimension), view.strides.get(dimension))
            else {
                continue;
            };
            if self.known(extent) == Some(1) && buffer.buffer_type == BufferType::AutoBroadcast {
                continue;
            }
            // A scalar index is the same for all lanes.
            let mut shared: Option<(Register, Register)> = None;
            for (lane, (sum, inside)) in elements.iter_mut().enumerate() {
                let Some(&index) = index.get(lane).or_else(|| index.first()) else { continue };
                if is_guarded {
                    let d = self.within(index, extent);
                    *inside = Some(match *inside {
                        Some(a) => self.and(a, d),
                        None => d,
                    });
                    let part = self.mul(index, stride);
                    *sum = self.add(*sum, part);
                    continue;
                }
                if let Some((old, new)) = shared
                    && old == *sum
                    && index_is_shared(&indices, dimension)
                {
                    *sum = new;
                    continue;
                }
                let d = self.fresh();
                self.name_access(buffer, dimension);
                self.emit(I::Index { d, sum: *sum, index, extent, stride });
                shared = Some((*sum, d));
                *sum = d;
            }
        }
        self.check_size()?;
        Ok(elements)
    }

    /// Tests whether an index is in an extent.
    pub(super) fn within(&mut self, index: Register, extent: Register) -> Register {
        let zero = self.int(0);
        let (low, high) = (self.fresh(), self.fresh());
        self.emit(I::LeInt { d: low, a: zero, b: index });
        self.emit(I::LtInt { d: high, a: index, b: extent });
        self.and(low, high)
    }

    pub(super) fn and(&mut self, a: Register, b: Register) -> Register {
        let d = self.fresh();
        self.emit(I::AndInt { d, a, b });
        d
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
        let (element, lanes) = scalars_of(buffer.dtype)?;
        let mut out = Lanes::new();
        for (sum, inside) in elements {
            for lane in 0..lanes {
                let index = self.lane_index(sum, lane, lanes);
                let d = self.fresh();
                let condition = self.condition(predicate.as_ref(), out.len(), inside);
                let skip = self.skip_unless(condition, d);
                self.name_access(buffer, 0);
                self.emit(I::Load { element, d, p: view.pointer, index });
                skip.into_iter().for_each(|skip| self.land(skip));
                out.push(d);
            }
        }
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
        let value = self.expr(value)?;
        let predicate = predicate.map(|predicate| self.expr(predicate)).transpose()?;
        let view = self.view(buffer)?;
        let elements = self.elements(buffer, &view, indices)?;
        let (element, lanes) = scalars_of(buffer.dtype)?;
        for (position, (sum, inside)) in elements.into_iter().enumerate() {
            for lane in 0..lanes {
                let number = position * lanes + lane;
                let a = lane_of(&value, number)?;
                let index = self.lane_index(sum, lane, lanes);
                let condition = self.condition(predicate.as_ref(), number, inside);
                let skip = condition.map(|condition| self.jump_unless(condition));
                self.name_access(buffer, 0);
                self.emit(I::Store { element, p: view.pointer, index, a });
                skip.into_iter().for_each(|skip| self.land(skip));
            }
        }
        Ok(())
    }

    fn lane_index(&mut self, sum: Register, lane: usize, lanes: usize) -> Register {
        if lanes == 1 {
            return sum;
        }
        let (factor, lane) = (self.int(lanes as i64), self.int(lane as i64));
        let first = self.mul(sum, factor);
        self.add(first, lane)
    }

    fn condition(
        &mut self,
        predicate: Option<&Lanes>,
        lane: usize,
        inside: Option<Register>,
    ) -> Option<Register> {
        let own = predicate.and_then(|lanes| lanes.get(lane).or_else(|| lanes.first()).copied());
        match (own, inside) {
            (Some(a), Some(b)) => Some(self.and(a, b)),
            (a, b) => a.or(b),
        }
    }

    /// Makes a register zero and skips its load if a condition does not hold.
    fn skip_unless(&mut self, condition: Option<Register>, d: Register) -> Option<Position> {
        let condition = condition?;
        let zero = self.int(0);
        self.emit(I::Move { d, a: zero });
        Some(self.jump_unless(condition))
    }
}

/// Tests whether no index up to a dimension is a vector.
fn index_is_shared(indices: &[Lanes], dimension: usize) -> bool {
    indices.iter().take(dimension + 1).all(|index| index.len() == 1)
}

/// The register of a lane; a scalar is that of every lane.
pub(super) fn lane_of(lanes: &Lanes, lane: usize) -> Result<Register> {
    lane_in(lanes, lane).copied()
}

/// The lane of a value; a scalar is that of every lane.
pub(crate) fn lane_in<T>(lanes: &[T], lane: usize) -> Result<&T> {
    match lanes {
        [one] => Ok(one),
        lanes => match lanes.get(lane) {
            Some(value) => Ok(value),
            None => Err(RunErrorKind::Kind { expected: "vectors of one length" }.into()),
        },
    }
}

/// The form of the scalars of an element, and their number.
pub(super) fn scalars_of(dtype: DataType) -> Result<(Element, usize)> {
    match usize::try_from(dtype.lanes) {
        Ok(lanes @ 1..) => Ok((Element::of(dtype)?, lanes)),
        _ => unsupported(format!("the type {dtype}")),
    }
}

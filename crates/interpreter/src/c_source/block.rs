//! Blocks.

use tvmscript_ir_core::{DataType, Ref};
use tvmscript_prim::{Expr, IntImm, PrimExprExt as _, Var};
use tvmscript_tir::node::{Block, BlockRealize, IterType, MatchBufferRegion, StmtRef};

use super::Writer;
use super::buffer::View;
use super::types::pointer_type;
use super::value::{Level, Value};
use crate::error::Result;

impl Writer<'_> {
    pub(super) fn block_realize(&mut self, s: &BlockRealize, stmt: &StmtRef) -> Result<()> {
        let outer = self.enter_span(s.block.span);
        for (axis, value) in s.block.iter_vars.iter().zip(s.iter_values.iter()) {
            let (from, to) = (value.dtype().element(), axis.var.dtype.element());
            let name = axis.var.name.get().to_string();
            let computed = |this: &mut Self| {
                let value = this.scalar(value)?;
                this.cast(value, from, to)
            };
            let variable = match self.is_of_threads(value) {
                true => self.kept_one(&name, to, computed)?.value,
                false => {
                    let value = computed(self)?;
                    self.constant(&name, value, to)?
                }
            };
            self.bind(&axis.var, vec![variable]);
        }
        let is_true = s.predicate.as_node::<IntImm>().is_some_and(|int| int.value != 0);
        if is_true {
            self.initialized_block(&s.block)?;
        } else {
            let is_uniform = !self.is_of_threads(&s.predicate);
            let condition = |this: &mut Self| this.scalar(&s.predicate);
            self.when(is_uniform, stmt, condition, |this| {
                if let Err(error) = this.initialized_block(&s.block) {
                    this.refuse(error);
                }
            })?;
        }
        self.leave_span(outer);
        Ok(())
    }

    /// Initialization runs where all reduction axes are at their start.
    fn initialized_block(&mut self, block: &Block) -> Result<()> {
        let mut at_start = Vec::new();
        if block.init.is_some() {
            for axis in block.iter_vars.iter().filter(|axis| axis.iter_type == IterType::CommReduce) {
                if let (Some(dom), Some(index)) = (&axis.dom, self.first_lane(&axis.var)) {
                    let start = self.scalar(&dom.min)?;
                    at_start.push(format!("{} == {}", index.at(Level::Add), start.at(Level::Add)));
                }
            }
        }
        self.block(block, Some(at_start).filter(|at_start| !at_start.is_empty()))
    }

    /// Writes a block. `at_start` has the conditions to initialize; without them, it does.
    pub(super) fn block(&mut self, block: &Block, at_start: Option<Vec<String>>) -> Result<()> {
        for buffer in block.alloc_buffers.iter() {
            self.allocate_buffer(buffer)?;
        }
        for matched in block.match_buffers.iter() {
            self.match_buffer(matched)?;
        }
        if let Some(init) = &block.init {
            match at_start {
                None => self.stmt(init),
                Some(at_start) => {
                    let is_uniform = self.mask().is_none()
                        && !block.iter_vars.iter().any(|axis| {
                            axis.iter_type == IterType::CommReduce && self.differs(axis.var.upcast_ref())
                        });
                    let condition = Value::new(at_start.join(" && "), Level::Other, DataType::BOOL);
                    self.when(is_uniform, init, |_| Ok(condition), |this| this.stmt(init))?;
                }
            }
        }
        self.stmt(&block.body);
        Ok(())
    }

    fn match_buffer(&mut self, matched: &MatchBufferRegion) -> Result<()> {
        let outer = self.view(&matched.source.buffer)?;
        let extents = matched.source.region.iter().map(|range| self.index(&range.extent));
        let extents = extents.collect::<Result<Vec<Value>>>()?;
        let offset = |this: &mut Self| -> Result<Value> {
            let mut offset = outer.offset.clone();
            for (range, stride) in matched.source.region.iter().zip(&outer.strides) {
                offset = offset.index_add(&this.index(&range.min)?.index_mul(stride));
            }
            Ok(offset)
        };
        let buffer = &matched.buffer;
        let skipped = outer.strides.len().saturating_sub(buffer.shape.len());
        let strides: Vec<Value> = outer.strides.iter().skip(skipped).cloned().collect();
        let name = buffer.name.get().to_string();
        let int64 = DataType::INT64;
        let hint = format!("{name}_offset");
        // A part of memory of the thread, or a part that depends on it.
        let is_of_threads = self.is_joint()
            && (self.differs(matched.source.buffer.data.upcast_ref())
                || matched.source.region.iter().any(|range| self.differs(&range.min)));
        let offset = match is_of_threads {
            true => self.kept_one(&hint, int64, offset)?.value,
            false => {
                let offset = offset(self)?;
                self.hoisted(&hint, offset, int64)?
            }
        };
        let shape = buffer.shape.iter().zip(extents.iter().skip(skipped));
        let layout = shape.chain(buffer.strides.iter().zip(&strides)).chain([(&buffer.elem_offset, &offset)]);
        let defined: Vec<(Ref<Var>, Value)> = layout.filter_map(variable).collect();
        for (variable, value) in defined {
            // The value of a variable has its type.
            let dtype = variable.dtype.element();
            let value = self.cast(Value { is_wide: true, ..value }, int64, dtype)?;
            self.bind(&variable, vec![value]);
        }
        let shape = buffer.shape.iter().map(|extent| self.index(extent)).collect::<Result<Vec<Value>>>()?;
        let mut pointer = outer.pointer;
        let points_to = self.aliases.element_of(&buffer.data);
        if pointer.points_to != points_to {
            let text = pointer.cast_to(&pointer_type(points_to));
            pointer = Value::pointer(text, Level::Unary, points_to);
        }
        self.bind(&buffer.data, vec![pointer.clone()]);
        self.declare(buffer, View { pointer, offset, shape, strides });
        Ok(())
    }
}

fn variable((expr, value): (&Expr, &Value)) -> Option<(Ref<Var>, Value)> {
    Some((expr.downcast_ref::<Var>()?.clone(), value.clone()))
}

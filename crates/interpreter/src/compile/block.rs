//! Blocks.

use tvmscript_ir_core::Ref;
use tvmscript_prim::{Expr, IntImm, Var};
use tvmscript_tir::node::{Block, BlockRealize, IterType, MatchBufferRegion};

use super::{Compiler, View};
use crate::error::Result;
use crate::program::{Instruction as I, Register};

impl Compiler<'_> {
    pub(super) fn block_realize(&mut self, s: &BlockRealize) -> Result<()> {
        for (axis, value) in s.block.iter_vars.iter().zip(s.iter_values.iter()) {
            let value = self.expr(value)?;
            self.bind(&axis.var, value);
        }
        let is_true = s.predicate.as_node::<IntImm>().is_some_and(|int| int.value != 0);
        let out = match is_true {
            true => None,
            false => {
                let predicate = self.scalar(&s.predicate)?;
                Some(self.jump_unless(predicate))
            }
        };
        self.open_scope();
        let result = self.initialized_block(&s.block);
        self.close_scope();
        if let Err(error) = result {
            self.fail_with(error);
        }
        out.into_iter().for_each(|out| self.land(out));
        Ok(())
    }

    /// Initialization runs where all reduction axes are at their start.
    fn initialized_block(&mut self, block: &Block) -> Result<()> {
        let mut is_first = None;
        if block.init.is_some() {
            for axis in block.iter_vars.iter().filter(|axis| axis.iter_type == IterType::CommReduce) {
                if let (Some(dom), Some(lanes)) = (&axis.dom, self.lanes_of(&axis.var).cloned()) {
                    let start = self.scalar(&dom.min)?;
                    let d = self.fresh();
                    let at = lanes.first().copied().unwrap_or(start);
                    self.emit(I::EqInt { d, a: at, b: start });
                    is_first = Some(is_first.map_or(d, |known| self.and(known, d)));
                }
            }
        }
        self.block(block, is_first)
    }

    /// Compiles a block. `is_first` tells whether to initialize; without it, it does.
    pub(super) fn block(&mut self, block: &Block, is_first: Option<Register>) -> Result<()> {
        if self.launch_tiles(block)? {
            return Ok(());
        }
        self.block_body(block, is_first)
    }

    pub(super) fn block_body(&mut self, block: &Block, is_first: Option<Register>) -> Result<()> {
        for buffer in block.alloc_buffers.iter() {
            self.allocate_buffer(buffer)?;
        }
        self.init_barriers(block)?;
        for matched in block.match_buffers.iter() {
            self.match_buffer(matched)?;
        }
        if let Some(init) = &block.init {
            let skip = is_first.map(|is_first| self.jump_unless(is_first));
            self.body(init);
            skip.into_iter().for_each(|skip| self.land(skip));
        }
        self.meet_before(&block.body);
        self.stmt(&block.body);
        Ok(())
    }

    fn match_buffer(&mut self, matched: &MatchBufferRegion) -> Result<()> {
        let outer = self.view(&matched.source.buffer)?;
        let starts = self.scalars(matched.source.region.iter().map(|range| &range.min))?;
        let mut offset = outer.offset;
        for (start, stride) in starts.iter().zip(&outer.strides) {
            let part = self.mul(*start, *stride);
            offset = self.add(offset, part);
        }
        let extents = self.scalars(matched.source.region.iter().map(|range| &range.extent))?;
        let buffer = &matched.buffer;
        let skipped = outer.strides.len().saturating_sub(buffer.shape.len());
        let strides: Vec<Register> = outer.strides.iter().skip(skipped).copied().collect();
        let shape = buffer.shape.iter().zip(extents.iter().skip(skipped));
        let layout = shape.chain(buffer.strides.iter().zip(&strides)).chain([(&buffer.elem_offset, &offset)]);
        let defined: Vec<(Ref<Var>, Register)> = layout.filter_map(variable).collect();
        for (variable, register) in defined {
            self.bind(&variable, vec![register]);
        }
        let shape = self.scalars(buffer.shape.iter())?;
        let pointer = outer.pointer;
        self.bind(&buffer.data, vec![pointer]);
        self.declare(buffer, View { pointer, offset, shape, strides });
        Ok(())
    }
}

fn variable((expr, register): (&Expr, &Register)) -> Option<(Ref<Var>, Register)> {
    Some((expr.downcast_ref::<Var>()?.clone(), *register))
}

//! The stores to a buffer, with the loops that their indices depend on.

use tvmscript_ir_core::{Object, PtrMap, Ref, any_node, structural_equal, substitute, with_stack};
use tvmscript_prim::{Expr, Var, ops};
use tvmscript_tir::{
    Block, BlockRealize, Buffer, BufferStore, For, ForKind, StmtKind, StmtRef, StmtView as _,
};

use crate::error::Result;

/// A store to the buffer.
#[derive(Debug, Clone)]
pub(super) struct Write {
    pub(super) store: Ref<BufferStore>,
    /// The innermost block around it.
    pub(super) realize: Option<Ref<BlockRealize>>,
    /// The loops from the first to the last one that the indices depend on.
    pub(super) loops: Vec<Ref<For>>,
    /// Those loops are the dimensions of the buffer, in order and from end to end.
    pub(super) is_row_major: bool,
}

/// Finds the stores to a buffer in a block.
pub(super) fn writes(block: &Ref<Block>, buffer: &Ref<Buffer>) -> Result<Vec<Write>> {
    let mut finder = Finder {
        buffer,
        loops: Vec::new(),
        depths: PtrMap::default(),
        values: PtrMap::default(),
        realize: None,
        found: Vec::new(),
    };
    finder.block(block)?;
    Ok(finder.found)
}

struct Finder<'f> {
    buffer: &'f Ref<Buffer>,
    loops: Vec<Ref<For>>,
    /// The first and the last loop that a variable depends on.
    depths: PtrMap<(usize, usize)>,
    /// The values of variables that depend on loops, in terms of their variables.
    values: PtrMap<Object>,
    realize: Option<Ref<BlockRealize>>,
    found: Vec<Write>,
}

impl Finder<'_> {
    fn block(&mut self, block: &Ref<Block>) -> Result<()> {
        if let Some(init) = &block.init {
            self.stmt(init)?;
        }
        self.stmt(&block.body)
    }

    fn stmt(&mut self, stmt: &StmtRef) -> Result<()> {
        with_stack(|| match stmt.kind() {
            StmtKind::For(_) => {
                let Some(found) = stmt.downcast_ref::<For>() else { return Ok(()) };
                let depth = self.loops.len();
                self.depths.insert(found.loop_var.object().clone(), (depth, depth));
                self.loops.push(found.clone());
                let result = self.stmt(&found.body);
                self.loops.pop();
                self.depths.remove(found.loop_var.object());
                result
            }
            StmtKind::LetStmt(binding) => {
                self.bind(&binding.var, &binding.value)?;
                let result = self.stmt(&binding.body);
                self.unbind(&binding.var);
                result
            }
            StmtKind::BlockRealize(_) => {
                let Some(realize) = stmt.downcast_ref::<BlockRealize>() else { return Ok(()) };
                for (axis, value) in realize.block.iter_vars.iter().zip(realize.iter_values.iter()) {
                    self.bind(&axis.var, value)?;
                }
                let outer = self.realize.replace(realize.clone());
                let result = self.block(&realize.block);
                self.realize = outer;
                realize.block.iter_vars.iter().for_each(|axis| self.unbind(&axis.var));
                result
            }
            StmtKind::BufferStore(_) => {
                let Some(store) = stmt.downcast_ref::<BufferStore>() else { return Ok(()) };
                if store.buffer.ptr_eq(self.buffer) {
                    let write = self.write(store)?;
                    self.found.push(write);
                }
                Ok(())
            }
            kind => {
                let mut result = Ok(());
                kind.for_each_child(|child| {
                    if result.is_ok() {
                        result = self.stmt(child);
                    }
                });
                result
            }
        })
    }

    fn bind(&mut self, var: &Ref<Var>, value: &Expr) -> Result<()> {
        if let Some(depth) = self.depth(value) {
            let value = substitute(value.clone(), &self.values)?;
            self.depths.insert(var.object().clone(), depth);
            self.values.insert(var.object().clone(), value.object().clone());
        }
        Ok(())
    }

    fn unbind(&mut self, var: &Ref<Var>) {
        self.depths.remove(var.object());
        self.values.remove(var.object());
    }

    /// The first and the last loop that an expression depends on.
    fn depth(&self, e: &Expr) -> Option<(usize, usize)> {
        let mut known: Option<(usize, usize)> = None;
        any_node(e, |node| {
            if let Some((first, last)) = self.depths.get(node) {
                known = Some(known.map_or((*first, *last), |(a, b)| (a.min(*first), b.max(*last))));
            }
            false
        });
        known
    }

    fn write(&self, store: &Ref<BufferStore>) -> Result<Write> {
        let depths = store.indices.iter().filter_map(|index| self.depth(index));
        let range = depths.reduce(|(a, b), (first, last)| (a.min(first), b.max(last)));
        let loops = match range {
            Some((first, last)) => self.loops.get(first..=last).unwrap_or_default().to_vec(),
            None => Vec::new(),
        };
        let rank = self.buffer.shape.len();
        let mut is_row_major = !loops.is_empty() && loops.len() == rank && store.indices.len() == rank;
        for ((found, extent), index) in loops.iter().zip(self.buffer.shape.iter()).zip(store.indices.iter()) {
            let index = substitute(index.clone(), &self.values)?;
            is_row_major &= index.object().ptr_eq(found.loop_var.object())
                && ops::is_zero(&found.min)
                && structural_equal(found.extent.object(), extent.object())
                && found.kind == ForKind::Serial;
        }
        Ok(Write { store: store.clone(), realize: self.realize.clone(), loops, is_row_major })
    }
}

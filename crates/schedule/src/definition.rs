//! Definitions of the buffers of a block, and other buffers in their place.

use tvmscript_ir_core::{DataType, Map, NameCell, Object, PtrMap, Ref, Str, pre_order_visit, substitute};
use tvmscript_prim::{PointerType, Var};
use tvmscript_tir::{Block, Buffer};

use crate::bindings::reused_blocks;
use crate::error::{Result, ScheduleError};
use crate::state::{Item, State};

/// The place where a buffer is defined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Definition {
    /// A block allocates it.
    Allocated(Item),
    /// A block maps a region of another buffer.
    Matched,
    /// It is a parameter of the function.
    Parameter,
}

impl Definition {
    /// The definition of a buffer that a block uses.
    pub(crate) fn of(state: &State, block: Item, buffer: &Ref<Buffer>) -> Definition {
        let blocks = std::iter::once(block).chain(state.ancestors(block));
        for (item, node) in blocks.filter_map(|item| Some((item, state.block_of(item).ok()?))) {
            if node.alloc_buffers.iter().any(|own| own.ptr_eq(buffer)) {
                return Definition::Allocated(item);
            }
            if node.match_buffers.iter().any(|own| own.buffer.ptr_eq(buffer)) {
                return Definition::Matched;
            }
        }
        Definition::Parameter
    }
}

/// The block that allocates a buffer which a block uses.
///
/// # Errors
/// `NonAllocatedBufferError`.
pub(crate) fn allocation(state: &State, block: Item, buffer: &Ref<Buffer>) -> Result<Item> {
    match Definition::of(state, block, buffer) {
        Definition::Allocated(item) => Ok(item),
        Definition::Matched | Definition::Parameter => {
            let message = format!(
                "no block allocates the buffer `{}`: it is a parameter, or a part of another buffer",
                buffer.name.text()
            );
            Err(ScheduleError::new("NonAllocatedBufferError", message).at(buffer.clone()))
        }
    }
}

/// A copy of a buffer over memory of its own.
pub(crate) fn over_new_memory(
    buffer: &Buffer,
    name: &str,
    data: &str,
    dtype: DataType,
    scope: &str,
) -> Buffer {
    let mut new = buffer.clone();
    let element = match buffer.data.type_annotation.as_node::<PointerType>() {
        Some(pointer) if dtype == buffer.dtype => PointerType::new(pointer.element_type.clone(), scope),
        _ => Buffer::pointer_type(dtype, scope),
    };
    new.data = Var::with_type(data, element);
    new.dtype = dtype;
    new.name = NameCell::from(Str::from(name));
    new
}

/// A buffer like another one in a storage scope, which its name tells.
pub(crate) fn in_scope(buffer: &Buffer, scope: &str) -> Ref<Buffer> {
    let name = format!("{}_{scope}", buffer.name.text());
    let data = format!("{}_{scope}", buffer.data.name.text());
    Ref::new(over_new_memory(buffer, &name, &data, buffer.dtype, scope))
}

/// Buffers and their data pointers with what takes their place.
#[derive(Debug, Default)]
pub(crate) struct Exchange(pub(crate) PtrMap<Object>);

impl Exchange {
    /// Puts a buffer in the place of another one.
    pub(crate) fn add(&mut self, old: &Ref<Buffer>, new: &Ref<Buffer>) {
        self.0.insert(old.object().clone(), new.object().clone());
        if !old.data.ptr_eq(&new.data) {
            self.0.insert(old.data.object().clone(), new.data.object().clone());
        }
    }

    /// Makes buffers in a block that map a part of an exchanged buffer follow it.
    pub(crate) fn follow(
        &mut self,
        block: &Ref<Block>,
        mut changed: impl FnMut(&Ref<Buffer>, &Buffer) -> Option<Ref<Buffer>>,
    ) {
        pre_order_visit(block, |node| {
            for matched in node.as_node::<Block>().into_iter().flat_map(|block| block.match_buffers.iter()) {
                let source = self.0.get(matched.source.buffer.object()).cloned();
                if let Some(source) = source.as_ref().and_then(|source| source.as_node::<Buffer>())
                    && let Some(new) = changed(&matched.buffer, source)
                {
                    self.add(&matched.buffer, &new);
                }
            }
            true
        });
    }

    /// Makes the exchange in a block.
    pub(crate) fn make(&self, state: &mut State, site: Item) -> Result<()> {
        let old = state.block_of(site)?.clone();
        let new = substitute(old.clone(), &self.0)?;
        state.replace_block(site, new.clone(), &reused_blocks(&old.body, &new.body))
    }
}

/// The name of a storage scope that TVM knows.
///
/// # Errors
/// `InvalidStorageScopeError`.
pub(crate) fn check_storage(scope: &str) -> Result<()> {
    const SCOPES: [&str; 13] = [
        "global",
        "shared",
        "warp",
        "local",
        "wmma.matrix_a",
        "wmma.matrix_b",
        "wmma.accumulator",
        "texture",
        "amx.tmm",
        "metal.simdgroup",
        "m16n8k8.matrixA",
        "m16n8k8.matrixB",
        "m16n8k8.matrixC",
    ];
    match scope.is_empty() || SCOPES.iter().any(|known| scope.starts_with(known)) {
        true => Ok(()),
        false => {
            let message = format!(
                "`{scope}` is not a storage scope: expected one that starts with `global`, `shared`, `local`, `warp`, `wmma.`, `texture`, `m16n8k8.`, `amx.tmm` or `metal.simdgroup`"
            );
            Err(ScheduleError::new("InvalidStorageScopeError", message))
        }
    }
}

/// Annotations with one more, or another value of it.
pub(crate) fn annotated(
    annotations: &Map<Str, tvmscript_ir_core::Value>,
    key: &str,
    value: tvmscript_ir_core::Value,
) -> Map<Str, tvmscript_ir_core::Value> {
    let kept = annotations.iter().filter(|(known, _)| known.as_str() != key);
    let kept = kept.map(|(known, value)| (known.clone(), value.clone()));
    Map::new(kept.chain([(Str::from(key), value)]).collect::<Vec<_>>())
}

//! Variables in memory: buffers of one element, whose name stands for the element.

use hashbrown::{HashMap, HashSet};
use tvmscript_ir_core::{Object, Ref, Visitor, Walk};
use tvmscript_prim::{Call, IntImm, Var, ops};
use tvmscript_tir::{Buffer, BufferLoad, BufferStore, DEFAULT_ALIGNMENT};

use super::layout::is_row_major;
use crate::node::{AllocBuffer, DeclBuffer};

/// Storage scope of variables.
pub const SCOPE: &str = "local";

/// Returns `true` if the declaration of a variable, `x: T.int32`, makes this buffer.
pub fn has_form(buffer: &Buffer) -> bool {
    let is_one =
        |extent: &tvmscript_prim::Expr| extent.as_node::<IntImm>().is_some_and(|literal| literal.value == 1);
    buffer.shape.len() == 1
        && buffer.shape.iter().all(is_one)
        && !buffer.dtype.is_handle()
        && buffer.is_compact()
        && buffer.data_alignment == DEFAULT_ALIGNMENT
        && buffer.scope() == SCOPE
        && buffer.layout.as_ref().is_some_and(|layout| is_row_major(layout, &buffer.shape))
}

/// The buffers of a function that print as variables, by address.
#[derive(Debug)]
pub struct Scalars(HashSet<usize>);

impl Scalars {
    /// The allocated buffers with the form of a variable whose only uses are loads and stores of the element.
    /// No other buffer and no call has their pointer.
    pub fn new(root: &Object) -> Scalars {
        // Buffers with their pointers.
        let mut found = HashMap::new();
        let mut other = HashSet::new();
        let mut pointers = HashSet::new();
        let is_element =
            |indices: &tvmscript_ir_core::Array<tvmscript_prim::Expr>| indices.iter().all(ops::is_zero);
        let _ = Visitor::new().pre_order(root, |node| {
            if let Some(allocated) = node.as_node::<AllocBuffer>() {
                let AllocBuffer { span: _, buffer, annotations } = allocated;
                if annotations.is_empty() && has_form(buffer) {
                    found.insert(buffer.object().address(), buffer.data.object().address());
                }
            } else if let Some(load) = node.as_node::<BufferLoad>() {
                if !is_element(&load.indices) || load.predicate.is_some() {
                    other.insert(load.buffer.object().address());
                }
            } else if let Some(store) = node.as_node::<BufferStore>()
                && (!is_element(&store.indices) || store.predicate.is_some())
            {
                other.insert(store.buffer.object().address());
            } else if let Some(declared) = node.as_node::<DeclBuffer>() {
                let data = declared
                    .data
                    .as_ref()
                    .map_or_else(|| declared.buffer.data.object(), |data| data.object());
                pointers.insert(data.address());
            } else if let Some(call) = node.as_node::<Call>() {
                pointers
                    .extend(call.args.iter().filter(|arg| arg.is::<Var>()).map(|arg| arg.object().address()));
            }
            Walk::Advance
        });
        found.retain(|buffer, pointer| !other.contains(buffer) && !pointers.contains(pointer));
        Scalars(found.into_keys().collect())
    }

    /// Returns `true` if the buffer prints as a variable.
    pub fn contains(&self, buffer: &Ref<Buffer>) -> bool {
        self.0.contains(&buffer.object().address())
    }
}

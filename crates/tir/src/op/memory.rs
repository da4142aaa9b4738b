//! Pointers, structures of the runtime, memory and its transfer.

use tvmscript_prim::error::PrimResult;
use tvmscript_prim::{DataType, Expr, IntImm, ops};

use super::{BOOL, Effect, Element, HANDLE, INT32, Operator, ResultType, VOID};
use crate::node::Buffer;

tir_operators! {
    /// Allocates scratch memory of a device.
    tvm_backend_alloc_workspace(
        device_type: Expr, device_id: Expr, nbytes: Expr, dtype_code_hint: Expr, dtype_bits_hint: Expr
    ) -> HANDLE, text = "TVMBackendAllocWorkspace", effect = Opaque;
    /// Moves the result of a packed call into a list.
    tvm_backend_any_list_move_from_packed_return(*args: Expr)
        -> same_as(args[0]), name = "tir.TVMBackendAnyListMoveFromPackedReturn",
        text = "tir.TVMBackendAnyListMoveFromPackedReturn", effect = Update, hidden;
    /// Sets an argument of a packed call from a list.
    tvm_backend_any_list_set_packed_arg(*args: Expr)
        -> same_as(args[0]), name = "tir.TVMBackendAnyListSetPackedArg",
        text = "tir.TVMBackendAnyListSetPackedArg", effect = Update, hidden;
    /// Frees scratch memory of a device.
    tvm_backend_free_workspace(device_type: Expr, device_id: Expr, ptr: Expr)
        -> INT32, text = "TVMBackendFreeWorkspace", effect = Opaque;
    /// Address of an element; of a buffer, that of its first element.
    address_of(obj: Element) -> HANDLE;
    /// Item of a list of values of the runtime.
    anylist_getitem(list_handle: Expr, index: Expr) -> HANDLE, effect = Read;
    /// Clears an item of a list.
    anylist_resetitem(list_handle: Expr, index: Expr) -> INT32, effect = Opaque;
    /// Stores the result of a packed call through the C interface in a list.
    anylist_setitem_call_cpacked(list_handle: Expr, index: Expr, func_name: Expr, *args: Expr)
        -> INT32, effect = Opaque;
    /// Stores the result of a packed call in a list.
    anylist_setitem_call_packed(list_handle: Expr, index: Expr, func_name: Expr, *args: Expr)
        -> INT32, effect = Opaque;
    /// Adds to memory atomically.
    atomic_add(*args: Expr) -> same_as(args[0]), effect = Opaque, hidden;
    /// Starts a copy by direct memory access.
    dma_copy(*args: Expr) -> INT32, effect = Opaque, hidden;
    /// Ends a group of copies.
    dma_end_group(*args: Expr) -> INT32, effect = Opaque, hidden;
    /// Starts a group of copies.
    dma_start_group(*args: Expr) -> INT32, effect = Opaque, hidden;
    /// Waits for copies to finish.
    dma_wait(*args: Expr) -> INT32, effect = Opaque, hidden;
    /// Pointer moved by a number of bytes.
    handle_add_byte_offset(handle: Expr, offset: Expr) -> HANDLE;
    /// Tests for a null pointer.
    isnullptr(x: Expr) -> BOOL;
    /// Parameter of a linked model, by name.
    lookup_param(param_name: Expr) -> HANDLE, effect = Update;
    /// Allocates memory of several dimensions in a storage scope.
    nd_mem_alloc_with_scope(*args: Expr) -> HANDLE, effect = Opaque, hidden;
    /// Hint to load a region into the cache.
    prefetch(*args: Expr) -> INT32, effect = Opaque, hidden;
    /// Loads from a texture.
    texture2d_load(*args: Expr) -> same_as(args[0]), effect = Opaque, hidden;
    /// Stores to a texture.
    texture2d_store(*args: Expr) -> VOID, effect = Opaque, hidden;
    /// Pointer to `extent` elements of `data` from `offset` on, with the kind of access.
    tvm_access_ptr(ptype: Expr, data: Expr, offset: Expr, extent: Expr, rw_mask: Expr)
        -> HANDLE, effect = Special;
    /// Id of the current context.
    tvm_context_id(*args: Expr) -> HANDLE, effect = Read, hidden;
    /// Allocates a structure of the runtime on the stack.
    tvm_stack_alloca(dtype_str: Expr, num: Expr) -> HANDLE, effect = Opaque;
    /// Tensor of the runtime on the stack.
    tvm_stack_make_array(
        data: Expr, shape: Expr, strides: Expr, ndim: Expr, arr_dtype: Expr, elem_offset: Expr
    ) -> HANDLE, effect = Opaque;
    /// Shape on the stack.
    tvm_stack_make_shape(*args: Expr) -> HANDLE, effect = Opaque;
    /// Handle with the lifetime of the module.
    tvm_static_handle(*args: Expr) -> HANDLE, effect = Special, hidden;
    /// Field of a structure of the runtime.
    tvm_struct_get(arr: Expr, index: Expr, field: Expr, dtype: DataType) -> dtype, effect = Read;
    /// Sets a field of a structure of the runtime.
    tvm_struct_set(arr: Expr, index: Expr, field: Expr, value: Expr) -> INT32, effect = Update;
    /// A type as an argument.
    type_annotation(dtype: DataType) -> dtype;
}

/// A buffer as an argument of a packed call: an array on the stack.
///
/// # Errors
/// If there is no zero of the type of its elements.
pub fn stack_array(buffer: &Buffer) -> PrimResult<Expr> {
    let shape = tvm_stack_make_shape(buffer.shape.iter().cloned());
    let strides = match buffer.strides.is_empty() {
        true => IntImm::int32(0),
        false => tvm_stack_make_shape(buffer.strides.iter().cloned()),
    };
    let ndim = ops::python::int_literal(buffer.shape.len() as i64);
    let of_dtype = ops::make_const(buffer.dtype, 0)?;
    let (data, offset) = (buffer.data.clone().upcast(), buffer.elem_offset.clone());
    Ok(tvm_stack_make_array(data, shape, strides, ndim, of_dtype, offset))
}

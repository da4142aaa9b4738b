//! Atomic operations on an element, and on two or four of them at once.

use tvmscript_ir_macros::operators;
use tvmscript_prim::Expr;
use tvmscript_tir::op::{Effect, Operator, ResultType};

use super::HANDLE;

operators! {
    prefix = "tl.";
    result = Expr;
    script = crate::op::types;
    call = crate::tilelang_0_25::op::call;
    effect = Update;

    /// Adds a value to the element at a pointer.
    atomic_add_elem_op(dst, value, memory_order = None, **annotations) -> HANDLE;
    /// [`atomic_add_elem_op`], with the previous element as its value.
    atomic_add_ret_elem_op(dst, value, memory_order = None, **annotations) -> open;
    /// Adds the two values at a pointer to those at another one.
    atomic_addx2_elem_op(dst, value, memory_order = None, **annotations) -> HANDLE;
    /// [`atomic_addx2_elem_op`], with the previous elements as its value.
    atomic_addx2_ret_elem_op(dst, value, memory_order = None, **annotations) -> open;
    /// Adds the four values at a pointer to those at another one.
    atomic_addx4_elem_op(dst, value, memory_order = None, **annotations) -> HANDLE;
    /// [`atomic_addx4_elem_op`], with the previous elements as its value.
    atomic_addx4_ret_elem_op(dst, value, memory_order = None, **annotations) -> open;
    /// Loads the element at a pointer.
    atomic_load_elem_op(src, memory_order) -> open;
    /// Replaces the element at a pointer by a larger value.
    atomic_max_elem_op(dst, value, memory_order = None, **annotations) -> HANDLE;
    /// [`atomic_max_elem_op`], with the previous element as its value.
    atomic_max_ret_elem_op(dst, value, memory_order = None, **annotations) -> open;
    /// Replaces the element at a pointer by a smaller value.
    atomic_min_elem_op(dst, value, memory_order = None, **annotations) -> HANDLE;
    /// [`atomic_min_elem_op`], with the previous element as its value.
    atomic_min_ret_elem_op(dst, value, memory_order = None, **annotations) -> open;
    /// Sets bits of the element at a pointer.
    atomic_or_elem_op(dst, value, memory_order = None, **annotations) -> HANDLE;
    /// Stores a value at a pointer.
    atomic_store_elem_op(dst, value, memory_order) -> HANDLE;
}

//! A global allocator that calls a handler before the program aborts for lack of memory.

use std::alloc::{GlobalAlloc, Layout};
use std::ffi::c_void;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use libmimalloc_sys::{
    mi_free, mi_malloc, mi_malloc_aligned, mi_realloc_aligned, mi_zalloc, mi_zalloc_aligned,
};

/// mimalloc for programs that hold many nodes, as `#[global_allocator]`: nodes of one size lie side by side, without a
/// header each. Failed allocations go to the handler.
///
/// Nearly all memory needs no more alignment than a word, which any memory of mimalloc has. It is asked for without an
/// alignment: the functions for aligned memory are slower, and round 48 bytes up to 64.
#[derive(Debug, Clone, Copy, Default)]
pub struct NodeAllocator;

/// Handles the failure of an allocation, given its size in bytes. It should not allocate itself.
pub type OutOfMemoryHandler = fn(usize) -> !;

static HANDLER: OnceLock<OutOfMemoryHandler> = OnceLock::new();
static HANDLING: AtomicBool = AtomicBool::new(false);

/// Sets the handler of [`NodeAllocator`]; without one the program aborts. Later calls have no effect. Allocations
/// inside of [`fallible::attempt`](crate::fallible::attempt()) do not reach the handler.
pub fn set_out_of_memory_handler(handler: OutOfMemoryHandler) {
    HANDLER.get_or_init(|| handler);
}

#[cold]
#[inline(never)]
fn out_of_memory(bytes: usize) {
    if crate::fallible::is_attempted() {
        return;
    }
    // An allocation that fails while the handler runs aborts.
    if let Some(handler) = HANDLER.get()
        && !HANDLING.swap(true, Ordering::Relaxed)
    {
        handler(bytes)
    }
}

#[inline(always)]
fn checked(memory: *mut u8, bytes: usize) -> *mut u8 {
    if memory.is_null() {
        out_of_memory(bytes);
    }
    memory
}

/// Memory by one of two functions of mimalloc: of a size, or of a size and an alignment.
#[inline(always)]
fn take(
    layout: Layout,
    plain: unsafe extern "C" fn(usize) -> *mut c_void,
    aligned: unsafe extern "C" fn(usize, usize) -> *mut c_void,
) -> *mut u8 {
    let memory = if layout.align() <= align_of::<usize>() {
        // SAFETY: any size will do.
        unsafe { plain(layout.size()) }
    } else {
        // SAFETY: the alignment of a layout is a power of two.
        unsafe { aligned(layout.size(), layout.align()) }
    };
    checked(memory.cast(), layout.size())
}

// SAFETY: the functions are those of one allocator, which keeps the contract. All of its memory is aligned to a word.
unsafe impl GlobalAlloc for NodeAllocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        take(layout, mi_malloc, mi_malloc_aligned)
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        take(layout, mi_zalloc, mi_zalloc_aligned)
    }

    #[inline]
    unsafe fn dealloc(&self, memory: *mut u8, _: Layout) {
        // SAFETY: by contract it came from here.
        unsafe { mi_free(memory.cast()) }
    }

    #[inline]
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: by contract it came from here, with this alignment.
        let moved = unsafe { mi_realloc_aligned(memory.cast(), size, layout.align()) };
        checked(moved.cast(), size)
    }
}

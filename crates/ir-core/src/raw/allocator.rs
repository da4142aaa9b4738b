//! A global allocator that calls a handler before the program aborts for lack of memory.

use std::alloc::{GlobalAlloc, Layout};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// Wraps an allocator for use as `#[global_allocator]`; failed allocations go to the handler.
#[derive(Debug, Clone, Copy, Default)]
pub struct HandledAllocator<A>(pub A);

/// Handles the failure of an allocation, given its size in bytes. It should not allocate itself.
pub type OutOfMemoryHandler = fn(usize) -> !;

static HANDLER: OnceLock<OutOfMemoryHandler> = OnceLock::new();
static HANDLING: AtomicBool = AtomicBool::new(false);

/// Sets the handler of [`HandledAllocator`]; without one the program aborts. Later calls have no effect. Allocations
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

// SAFETY: forwards every call and its result unchanged.
unsafe impl<A: GlobalAlloc> GlobalAlloc for HandledAllocator<A> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller upholds the contract, which is that of the inner allocator.
        checked(unsafe { self.0.alloc(layout) }, layout.size())
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as in `alloc`.
        checked(unsafe { self.0.alloc_zeroed(layout) }, layout.size())
    }

    #[inline]
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as in `alloc`.
        unsafe { self.0.dealloc(memory, layout) }
    }

    #[inline]
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as in `alloc`.
        checked(unsafe { self.0.realloc(memory, layout, size) }, size)
    }
}

//! The allocator of programs that hold many nodes.

use std::alloc::{GlobalAlloc, Layout};
use std::ffi::c_void;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use libmimalloc_sys::{
    mi_free, mi_malloc, mi_malloc_aligned, mi_realloc_aligned, mi_zalloc, mi_zalloc_aligned,
};

/// mimalloc: nodes of one size lie side by side, without a header each. As `#[global_allocator]`.
///
/// What needs no more alignment than a word is asked for without one: its functions for aligned memory round all sizes
/// up that are no power of two, nodes of 48 bytes to 64.
#[derive(Debug, Clone, Copy, Default)]
pub struct NodeAllocator;

/// What a program does when there is no memory, called with the size that was asked for. It must not return and should not
/// ask for memory.
pub type OutOfMemoryHandler = fn(usize) -> !;

static HANDLER: OnceLock<OutOfMemoryHandler> = OnceLock::new();
static HANDLING: AtomicBool = AtomicBool::new(false);

/// Says what a program with the [`NodeAllocator`] does when it needs memory and there is none; else it aborts. The first
/// handler stays. Memory that can be done without ([`room::fallible`](crate::room::fallible())) does not count.
pub fn set_out_of_memory_handler(handler: OutOfMemoryHandler) {
    HANDLER.get_or_init(|| handler);
}

#[cold]
#[inline(never)]
fn out_of_memory(bytes: usize) {
    if crate::room::is_fallible() {
        return;
    }
    // Whoever asks while the handler runs gets nothing, which aborts.
    if let Some(handler) = HANDLER.get()
        && !HANDLING.swap(true, Ordering::Relaxed)
    {
        handler(bytes)
    }
}

/// The memory, or nothing after the handler was asked.
#[inline(always)]
fn checked(memory: *mut u8, bytes: usize) -> *mut u8 {
    if memory.is_null() {
        out_of_memory(bytes);
    }
    memory
}

/// Any memory of mimalloc is aligned like this.
const ALIGNED_BYTES: usize = align_of::<*const c_void>();

/// Memory by one of two functions of mimalloc: of a size, or of a size and an alignment.
#[inline(always)]
fn take(
    layout: Layout,
    plain: unsafe extern "C" fn(usize) -> *mut c_void,
    aligned: unsafe extern "C" fn(usize, usize) -> *mut c_void,
) -> *mut u8 {
    let memory = if layout.align() <= ALIGNED_BYTES {
        // SAFETY: any size will do.
        unsafe { plain(layout.size()) }
    } else {
        // SAFETY: an alignment of a layout is a power of two.
        unsafe { aligned(layout.size(), layout.align()) }
    };
    memory.cast()
}

// SAFETY: the functions are those of one allocator, which keeps the contract of `malloc` and of `aligned_alloc`. Each
// piece of its memory is of at least a word and aligned to one, also where less was asked for.
unsafe impl GlobalAlloc for NodeAllocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        checked(take(layout, mi_malloc, mi_malloc_aligned), layout.size())
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        checked(take(layout, mi_zalloc, mi_zalloc_aligned), layout.size())
    }

    #[inline]
    unsafe fn dealloc(&self, memory: *mut u8, _: Layout) {
        // SAFETY: by contract it came from here.
        unsafe { mi_free(memory.cast()) }
    }

    #[inline]
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // This one does not round up where a word's alignment is enough.
        // SAFETY: by contract it came from here, with this alignment.
        let new = unsafe { mi_realloc_aligned(memory.cast(), size, layout.align()) }.cast();
        checked(new, size)
    }
}

//! The allocator of programs that hold many nodes.

use std::alloc::{GlobalAlloc, Layout};
use std::ffi::c_void;

use libmimalloc_sys::{
    mi_free, mi_malloc, mi_malloc_aligned, mi_realloc, mi_realloc_aligned, mi_zalloc, mi_zalloc_aligned,
};

/// mimalloc: nodes of one size lie side by side, without a header each. As `#[global_allocator]`.
///
/// What needs no more alignment than a word is asked for without one: its functions for aligned memory round all sizes
/// up that are no power of two, nodes of 48 bytes to 64.
#[derive(Debug, Clone, Copy, Default)]
pub struct NodeAllocator;

/// Any memory of mimalloc is aligned like this.
const ALIGNED_BYTES: usize = align_of::<*const c_void>();

// SAFETY: the functions are those of one allocator, which keeps the contract of `malloc` and of `aligned_alloc`. Each
// piece of its memory is of at least a word and aligned to one, also where less was asked for.
unsafe impl GlobalAlloc for NodeAllocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let memory = if layout.align() <= ALIGNED_BYTES {
            // SAFETY: any size will do.
            unsafe { mi_malloc(layout.size()) }
        } else {
            // SAFETY: an alignment of a layout is a power of two.
            unsafe { mi_malloc_aligned(layout.size(), layout.align()) }
        };
        memory.cast()
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let memory = if layout.align() <= ALIGNED_BYTES {
            // SAFETY: as above.
            unsafe { mi_zalloc(layout.size()) }
        } else {
            // SAFETY: as above.
            unsafe { mi_zalloc_aligned(layout.size(), layout.align()) }
        };
        memory.cast()
    }

    #[inline]
    unsafe fn dealloc(&self, memory: *mut u8, _: Layout) {
        // SAFETY: by contract it came from here.
        unsafe { mi_free(memory.cast()) }
    }

    #[inline]
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let memory = memory.cast();
        let memory = if layout.align() <= ALIGNED_BYTES {
            // SAFETY: by contract it came from here.
            unsafe { mi_realloc(memory, size) }
        } else {
            // SAFETY: as above; the alignment is that it came with.
            unsafe { mi_realloc_aligned(memory, size, layout.align()) }
        };
        memory.cast()
    }
}

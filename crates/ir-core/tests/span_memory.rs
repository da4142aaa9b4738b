//! The memory of interned spans.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use tvmscript_ir_core::span::SpanKind;
use tvmscript_ir_core::{SourceId, Span};

struct Counting;

static BYTES: AtomicUsize = AtomicUsize::new(0);

// SAFETY: forwards to the system allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        BYTES.fetch_add(layout.size(), Relaxed);
        // SAFETY: the caller's contract is that of the system allocator.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        BYTES.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// One test, so that no other thread allocates meanwhile.
#[test]
fn p92_31_interned_spans_are_shared_and_grow_by_a_chunk_per_step() {
    let layers: Vec<SourceId> = (0..1000).map(|i| SourceId::new(&format!("model.layer{i}"))).collect();
    let layer = |i: usize| Span::new(SpanKind::Source { source: layers[i % layers.len()] });
    let mut spans: Vec<Span> = Vec::with_capacity(1_000_000);
    let before = BYTES.load(Relaxed);
    for i in 0..1_000_000 {
        spans.push(Span::sequence([layer(i), layer(i + 1)], "fuse"));
    }
    let grown = BYTES.load(Relaxed) - before;
    println!("a million nodes with 1,000 merged spans: {grown} bytes");
    assert!(grown < 1 << 20, "{grown} bytes");
    assert_eq!(spans.iter().collect::<std::collections::HashSet<_>>().len(), 1000);

    // A span that each of 5,000 passes extends by a part.
    let source = SourceId::new("passes.py");
    let before = BYTES.load(Relaxed);
    let merged = (0..5_000)
        .fold(Span::UNKNOWN, |span, i| Span::sequence([span, Span::range(source, i, i + 1)], "pass"));
    assert_eq!(merged.part_count(), 5_000);
    let grown = BYTES.load(Relaxed) - before;
    println!("a span extended 5,000 times: {grown} bytes");
    assert!(grown < 4 << 20, "{grown} bytes");
    drop(spans);
}

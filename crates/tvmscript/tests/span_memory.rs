//! The memory of interned spans. One test alone in its process: others would be counted, too.

use peak_alloc::PeakAlloc;
use tvmscript::{SourceId, Span};

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

#[test]
fn p92_31_interned_spans_are_shared_and_grow_by_a_chunk_per_step() {
    let layers: Vec<SourceId> = (0..1000).map(|i| SourceId::new(&format!("model.layer{i}"))).collect();
    let layer = |i: usize| Span::source(layers[i % layers.len()]);
    let mut spans: Vec<Span> = Vec::with_capacity(1_000_000);
    let before = ALLOCATOR.current_usage();
    for i in 0..1_000_000 {
        spans.push(Span::sequence([layer(i), layer(i + 1)], "fuse"));
    }
    let grown = ALLOCATOR.current_usage() - before;
    println!("a million nodes with 1,000 merged spans: {grown} bytes");
    assert!(grown < 1 << 20, "{grown} bytes");
    assert_eq!(spans.iter().collect::<std::collections::HashSet<_>>().len(), 1000);

    // A span that each of 5,000 passes extends by a part.
    let source = SourceId::new("passes.py");
    let before = ALLOCATOR.current_usage();
    let merged = (0..5_000)
        .fold(Span::UNKNOWN, |span, i| Span::sequence([span, Span::range(source, i, i + 1)], "pass"));
    assert_eq!(merged.part_count(), 5_000);
    let grown = ALLOCATOR.current_usage() - before;
    println!("a span extended 5,000 times: {grown} bytes");
    assert!(grown < 4 << 20, "{grown} bytes");
    drop(spans);
}

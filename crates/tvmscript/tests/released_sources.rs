//! Memory of a process that parses for a long time. One test alone in its process: others would be counted, too.

use peak_alloc::PeakAlloc;
use tvmscript::{ParseOptions, Parsed, SourceId, Span, SpanKind, parse, registry};

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

const ROUNDS: usize = if cfg!(debug_assertions) { 3_000 } else { 100_000 };

/// Hash tables grow in steps, so the memory in use is not the same byte for byte.
const LIMIT_BYTES: usize = 64 * 1024;

const SCRIPT: &str = "@T.prim_func
def main():
    T.evaluate(1)
";

fn parse_script(name: &str) -> Parsed {
    let parsed = parse(name, SCRIPT, registry(), &ParseOptions::default());
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors.first());
    parsed
}

/// Parses under a name of its own, merges spans, and releases the source.
fn parse_once(round: usize, kept: Span) {
    let parsed = parse_script(&format!("script_{round}.py"));
    let function = parsed.scripts[0].node.span();
    let merged =
        Span::sequence([function, kept, Span::new(SpanKind::Source { source: parsed.source })], "fuse");
    assert_eq!((function.part_count(), merged.part_count()), (1, 3));
    parsed.source.release();
    assert_eq!((function.part_count(), merged.part_count()), (0, 0));
}

#[test]
fn parsing_and_releasing_does_not_grow() {
    let kept = parse_script("kept.py");
    let span = Span::new(SpanKind::Source { source: kept.source });
    (0..100).for_each(|round| parse_once(round, span));
    let before = ALLOCATOR.current_usage();
    for round in 100..ROUNDS {
        parse_once(round, span);
        // The same text under the same name opens the same source again; nothing is added.
        parse_script("kept.py");
    }
    let growth = ALLOCATOR.current_usage().saturating_sub(before);
    println!("{ROUNDS} rounds: {growth} bytes more in use");
    assert!(growth < LIMIT_BYTES, "{growth} bytes more in use");

    // Spans of nodes that live resolve as before.
    let SpanKind::Range { source, start_bytes, end_bytes } = kept.scripts[0].node.span().kind() else {
        panic!("the function has no span");
    };
    assert_eq!((source, source.name().as_str()), (SourceId::new("kept.py"), "kept.py"));
    assert!(SCRIPT[start_bytes as usize..end_bytes as usize].contains("T.evaluate(1)"));
}

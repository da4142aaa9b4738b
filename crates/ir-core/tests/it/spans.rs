//! Sources that are released, and the spans in them. Other tests open sources at the same time.

use tvmscript_ir_core::json::native;
use tvmscript_ir_core::span::SpanKind;
use tvmscript_ir_core::{Object, SourceId, Span};

use tvmscript_toy_nodes::*;

fn layer(source: SourceId) -> Span {
    Span::new(SpanKind::Source { source })
}

#[test]
fn spans_resolve_until_the_last_release() {
    let (first, second) = (SourceId::new("twice.py"), SourceId::new("twice.py"));
    assert_eq!(first, second);
    let spans =
        [Span::range(first, 1, 3), Span::range(first, 0, u32::MAX), layer(first), Span::range(first, 0, 0)];
    first.release();
    assert!(spans.iter().all(|span| span.kind() != SpanKind::Unknown) && first.name() == "twice.py");
    second.release();
    assert!(spans.iter().all(|span| span.kind() == SpanKind::Unknown) && first.name().is_empty());
    // Nothing is left to release, and nothing to refer to.
    first.release();
    assert_eq!(layer(first), Span::UNKNOWN);
}

#[test]
fn a_guard_releases_its_source() {
    let source = SourceId::new("guarded.py");
    let span = Span::range(source, 1, 2);
    let guard = source.release_on_drop();
    assert_eq!(span.part_count(), 1);
    drop(guard);
    assert_eq!(span.part_count(), 0);
}

#[test]
fn a_span_over_several_sources_is_freed_with_the_first() {
    let (helper, script) = (SourceId::new("helper.py"), SourceId::new("script.py"));
    let site = Span::new(SpanKind::CallSite { callee: layer(helper), caller: Span::range(script, 1, 2) });
    let outer = Span::sequence([site, layer(helper)], "inline");
    script.release();
    assert_eq!((site.kind(), outer.kind()), (SpanKind::Unknown, SpanKind::Unknown));
    assert_eq!(layer(helper).kind(), SpanKind::Source { source: helper });
    // A freed slot is used again; the stale spans do not see what is in it.
    let again = SourceId::new("again.py");
    let spans: Vec<Span> = (0..100).map(|line| lines(again, line)).collect();
    assert_eq!((site.kind(), outer.kind()), (SpanKind::Unknown, SpanKind::Unknown));
    assert!(spans.iter().all(|span| span.kind() != SpanKind::Unknown));
    helper.release();
    again.release();
}

fn lines(source: SourceId, line: u32) -> Span {
    Span::new(SpanKind::LineColumn { source, line, column: 1, end_line: line, end_column: 2 })
}

#[test]
fn a_chain_of_call_sites_is_freed_in_a_loop() {
    on_small_stack(|| {
        let source = SourceId::new("deep.py");
        let callee = layer(source);
        let deep = (0..100_000).fold(callee, |caller, _| Span::new(SpanKind::CallSite { callee, caller }));
        source.release();
        assert_eq!(deep.kind(), SpanKind::Unknown);
    });
}

#[test]
fn many_sources_open_and_close_without_mixing_up() {
    let kept = SourceId::new("kept.py");
    let in_kept = (Span::range(kept, 3, 5), lines(kept, 7));
    for round in 0..40_000 {
        let source = SourceId::new(&format!("round_{round}.py"));
        let (range, site) = (Span::range(source, 1, 2), lines(source, round));
        let merged = Span::sequence([range, site, in_kept.1], "merge");
        assert_eq!(merged.part_count(), 3);
        source.release();
        assert_eq!((range.part_count(), site.part_count(), merged.part_count()), (0, 0, 0));
    }
    assert_eq!(in_kept.0.kind(), SpanKind::Range { source: kept, start_bytes: 3, end_bytes: 5 });
    assert_eq!((in_kept.1.part_count(), kept.name().as_str()), (1, "kept.py"));
    kept.release();
}

#[test]
fn more_sources_than_packed_spans_can_name_stay_apart() {
    let sources: Vec<SourceId> = (0..20_000).map(|i| SourceId::new(&format!("open_{i}.py"))).collect();
    let spans: Vec<Span> = sources.iter().map(|&source| Span::range(source, 1, 2)).collect();
    for (&source, span) in sources.iter().zip(&spans) {
        assert_eq!(span.kind(), SpanKind::Range { source, start_bytes: 1, end_bytes: 2 });
    }
    sources.iter().for_each(|source| source.release());
    assert!(spans.iter().all(|span| span.kind() == SpanKind::Unknown));
}

#[test]
fn a_node_outlives_its_source() {
    let source = SourceId::new("outlived.py");
    let site = Span::new(SpanKind::CallSite { callee: layer(source), caller: Span::UNKNOWN });
    let node: Object = add(int(1).with_span(site), int(2)).with_span(Span::range(source, 0, 5)).into();
    source.release();
    let bare: Object = add(int(1), int(2)).into();
    assert_eq!(native::save(&node.into()), native::save(&bare.into()));
}

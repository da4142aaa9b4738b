//! Sources that are released, and the spans in them. Other tests open sources at the same time.

use tvmscript_ir_core::json::native;
use tvmscript_ir_core::span::MarkerReader;
use tvmscript_ir_core::span::SpanKind;
use tvmscript_ir_core::{Object, SourceId, SourceTexts, Span, SpanMark, nodes_where_span};

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

fn layers(names: [&str; 3]) -> [Span; 3] {
    names.map(|name| layer(SourceId::new(name)))
}

#[test]
fn p92_11_sequential_span_from_array_and_list_flattens_nested_ones() {
    let [a, b, c] = layers(["seq.a", "seq.b", "seq.c"]);
    let inner = Span::sequence([a, b], "fuse");
    let from_array = Span::sequence([inner, Span::UNKNOWN, c], "fold");
    let from_list = Span::sequence(vec![a, Span::sequence(vec![b, c], "fuse")], "fold");
    assert_eq!(from_array, from_list);
    let kind = SpanKind::Sequence { spans: vec![a, b, c], reason: "fold".into() };
    assert_eq!((from_array.kind(), Span::new(kind.clone())), (kind, from_array));
    // One part is that part, equal neighbours are one part, and a later repetition stays.
    assert_eq!(Span::sequence([a], "fold"), a);
    assert_eq!(Span::sequence([Span::sequence([a, b], ""), b, b], ""), Span::sequence([a, b], ""));
    assert_eq!(Span::sequence([a, b, a], "").parts(), [a, b, a]);
    assert_eq!(Span::sequence([], "fold"), Span::UNKNOWN);
}

#[test]
fn p92_12_sequential_span_equality_is_element_by_element_and_ignores_the_reason() {
    let [a, b, c] = layers(["eq.a", "eq.b", "eq.c"]);
    let (fold, fuse) = (Span::sequence([a, b], "fold"), Span::sequence([a, b], "fuse"));
    assert_eq!(fold, fuse);
    assert_ne!(fold.kind(), fuse.kind());
    assert_eq!(std::collections::HashSet::from([fold, fuse, Span::sequence([a, b], "")]).len(), 1);
    for other in [[b, a].as_slice(), &[a, c], &[a, b, c], &[a], &[]] {
        assert_ne!(fold, Span::sequence(other.iter().copied(), "fold"));
    }
    // The reason does not count in nested positions either.
    assert_eq!(Span::call_site(c, fold), Span::call_site(c, fuse));
    // Nodes that differ in spans only are equal.
    let nodes = [fold, c].map(|span| Object::from(int(1).with_span(span)));
    assert!(tvmscript_ir_core::structural_equal(&nodes[0], &nodes[1]));
    let hash = tvmscript_ir_core::structural_hash;
    assert_eq!(hash(&nodes[0]), hash(&nodes[1]));
}

#[test]
fn repeated_merges_do_not_double_a_sequence_for_ever() {
    let source = SourceId::new("doubled.py");
    let first = Span::sequence([lines(source, 1), lines(source, 2)], "");
    let doubled = (0..100).fold(first, |span, _| Span::sequence([span, lines(source, 3), span], "cse"));
    assert!(doubled.part_count() <= 64, "{}", doubled.part_count());
    source.release();
}

#[test]
fn p92_33_output_mark_is_kept_printed_and_searchable() {
    let [a, b, _] = layers(["out.a", "out.b", "out.c"]);
    let sum = add(int(1).with_span(a), int(2).with_span(b)).with_span(a.with_mark(SpanMark::Output));
    let root: Object = add(sum.clone(), int(3)).with_span(b).into();
    let found = nodes_where_span(&root, |span| span.has_mark(SpanMark::Output));
    assert_eq!(found.len(), 1);
    assert!(found[0].ptr_eq(&sum.clone().into()));
    // A merged span is marked if a part is; marking a sequence marks its parts.
    let merged = Span::sequence([b, sum.span()], "fuse");
    assert!(merged.has_mark(SpanMark::Output));
    assert_eq!(
        merged.with_mark(SpanMark::Output).parts(),
        [b.with_mark(SpanMark::Output), a.with_mark(SpanMark::Output)]
    );
    assert_eq!(merged.without_mark(), Span::sequence([b, a], ""));
    assert_eq!(merged.to_marker(&SourceTexts::new()), "@out.b @out.a !output");
    assert_eq!(MarkerReader::default().read("@out.b @out.a !output"), Some(merged));
}

#[test]
fn markers_of_all_kinds_read_back() {
    let source = SourceId::new("marked.py");
    let texts = SourceTexts::new().with(source, "x = 1\n  y = 2\n");
    let odd = SourceId::new("a \"b\"\\\n# @c\u{202e}é");
    let [range, far] = [Span::range(source, 8, 9), Span::range(source, 100, 110)];
    let area = Span::new(SpanKind::LineColumn { source, line: 3, column: 5, end_line: 4, end_column: 1 });
    let site = Span::call_site(range, Span::call_site(area, layer(odd)));
    let left = Span::call_site(site, far);
    let merged = Span::sequence([site.with_mark(SpanMark::Output), layer(source)], "fold");
    let cases = [
        (Span::UNKNOWN, "@?"),
        (layer(source), "@marked.py"),
        (range, "@marked.py:2:3"),
        (far, "@marked.py[100..110]"),
        (area, "@marked.py:3:5-4:1"),
        (layer(odd), r#"@"a \"b\"\\\u{a}# @c\u{202e}é""#),
        (site, r#"@marked.py:2:3 < marked.py:3:5-4:1 < "a \"b\"\\\u{a}# @c\u{202e}é""#),
        (
            left,
            r#"@(@marked.py:2:3 < marked.py:3:5-4:1 < "a \"b\"\\\u{a}# @c\u{202e}é") < marked.py[100..110]"#,
        ),
        (
            Span::call_site(range, merged),
            r#"@marked.py:2:3 < (@marked.py:2:3 < marked.py:3:5-4:1 < "a \"b\"\\\u{a}# @c\u{202e}é" !output @marked.py)"#,
        ),
    ];
    let mut reader = MarkerReader::default();
    for (span, expected) in cases {
        assert_eq!(span.to_marker(&texts), expected);
        let read = reader.read(expected).expect("a marker");
        assert_eq!(read.to_marker(&texts), expected);
    }
    for text in
        ["", "@", "param", "@param x", "@a:1", "@a:01:2", "@a[3..1]", "@(@a", "@\"a", "@a  @b", "@a <"]
    {
        assert_eq!(reader.read(text), None, "{text}");
    }
    for opened in reader.into_sources().into_iter().chain([source, odd]) {
        opened.release();
    }
}

#[test]
fn deep_call_sites_are_cut_in_markers() {
    on_small_stack(|| {
        let source = SourceId::new("nested_markers.py");
        let step = |callee, _| Span::call_site(callee, layer(source));
        let deep = (0..10_000).fold(layer(source), step);
        let marker = deep.to_marker(&SourceTexts::new());
        assert!(marker.starts_with("@(@(@(") && marker.len() < 1000, "{marker}");
        assert!(MarkerReader::default().read(&marker).is_some());
        assert_eq!(MarkerReader::default().read(&format!("@{}", "(@".repeat(100_000))), None);
        source.release();
    });
}

#[test]
fn places_of_shared_call_sites_do_not_multiply() {
    let source = SourceId::new("shared.py");
    let [callee, caller] = [Span::range(source, 1, 2), Span::range(source, 3, 4)];
    let site = Span::new(SpanKind::CallSite { callee, caller });
    let marked = site.with_mark(SpanMark::Output);
    assert_eq!(Span::sequence([marked, layer(source)], "test").places(), [callee, caller, layer(source)]);
    // Each of these names the one before twice.
    let deep =
        (0..100_000).fold(site, |site, _| Span::new(SpanKind::CallSite { callee: site, caller: site }));
    assert_eq!(deep.places(), [callee, caller]);
    source.release();
    assert!(deep.places().is_empty());
}

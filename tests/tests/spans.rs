//! Spans of parsed nodes, spans as comments, and comments that print again, over all fixtures and the corpus.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tvmscript::ir_core::type_table::FieldKind;
use tvmscript::ir_core::{SourceTexts, SpanKind};
use tvmscript::{Object, ParseOptions, Parsed, PrinterConfig, parse, pre_order_visit, print, registry};
use tvmscript_tests::{equal, fixtures, on_small_stack};

fn collect(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, out);
        } else if path.extension().is_some_and(|e| e == "py") {
            out.push(path);
        }
    }
}

/// Name and text of all valid fixtures and of the corpus.
fn texts() -> Vec<(String, String)> {
    let mut files = Vec::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus"), &mut files);
    files.sort();
    let read = |path: PathBuf| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        (format!("{name}.py"), std::fs::read_to_string(path).expect("a text"))
    };
    let fixtures = fixtures("ok").into_iter().map(|fixture| (format!("{}.py", fixture.name), fixture.text));
    files.into_iter().map(read).chain(fixtures).collect()
}

fn parsed(name: &str, text: &str) -> Parsed {
    parse(name, text, registry(), &ParseOptions::default())
}

fn can_hold_span(node: &Object) -> bool {
    node.info().fields().iter().any(|field| field.kind == FieldKind::Span)
}

#[test]
fn p92_10_every_parsed_node_has_a_span() {
    on_small_stack(|| {
        let (mut nodes, mut missing) = (0, BTreeMap::<&str, Vec<String>>::new());
        for (name, text) in texts() {
            let parsed = parsed(&name, &text);
            for script in &parsed.scripts {
                pre_order_visit(&script.node, |node| {
                    if can_hold_span(node) {
                        nodes += 1;
                        if node.span().kind() == SpanKind::Unknown {
                            let files = missing.entry(node.info().key()).or_default();
                            if files.last() != Some(&name) {
                                files.push(name.clone());
                            }
                        }
                    }
                    true
                });
            }
            parsed.release_sources();
        }
        println!("{nodes} nodes");
        assert!(nodes > 10_000, "{nodes}");
        assert!(missing.is_empty(), "{missing:#?}");
    });
}

/// A print of the only script of a text, if the print reads back at all.
fn show(parsed: &Parsed, text: &str, spans: bool, comments: bool) -> Option<String> {
    let [script] = &*parsed.scripts else { return None };
    let config = PrinterConfig {
        show_meta: true,
        show_spans: spans.then(|| SourceTexts::new().with(parsed.source, text)),
        keep_comments: comments.then(|| parsed.comments.clone()),
        ..PrinterConfig::default()
    };
    print(&script.node, registry(), &config).ok()
}

#[test]
fn p92_10_shown_spans_and_kept_comments_read_back_to_the_same_bytes() {
    on_small_stack(|| {
        let mut failures = Vec::new();
        let mut count = 0;
        for (name, text) in texts() {
            let first = parsed(&name, &text);
            for (spans, comments) in [(true, false), (false, true), (true, true)] {
                let Some(shown) = show(&first, &text, spans, comments) else { continue };
                let again = parsed("again.py", &shown);
                if !again.errors.is_empty() {
                    // The same text without spans does not read back either.
                    let plain = show(&first, &text, false, false).expect("prints");
                    if parsed("plain.py", &plain).errors.is_empty() {
                        failures.push(format!("{name}: {}", again.errors[0]));
                    }
                    continue;
                }
                count += 1;
                let second = show(&again, &shown, spans, comments).expect("prints");
                let is_equal = equal(&[first.scripts[0].node.clone()], &[again.scripts[0].node.clone()]);
                if second != shown || !is_equal {
                    let line = shown.lines().zip(second.lines()).find(|(a, b)| a != b);
                    failures.push(format!("{name} ({spans}, {comments}): equal {is_equal}, {line:#?}"));
                }
                again.release_sources();
            }
            first.release_sources();
        }
        println!("{count} texts");
        assert!(count > 300, "{count}");
        assert!(failures.is_empty(), "{} of {count}\n{}", failures.len(), failures.join("\n"));
    });
}

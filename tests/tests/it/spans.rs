//! Spans of parsed nodes, spans as comments, and comments that print again, over all fixtures and the corpus.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tvmscript::docsifier::print_mapped;
use tvmscript::ir_core::type_table::FieldKind;
use tvmscript::{
    Object, ParseOptions, Parsed, PrinterConfig, Ref, SourceId, SourceTexts, Span, SpanKind, SpanMark,
    nodes_where_span, parse, post_order_mutate, pre_order_visit, prim, print, registry, tir,
};
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

/// The only script of a text.
fn script(name: &str, text: &str) -> (Parsed, Object) {
    let parsed = parsed(name, text);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    let node = parsed.scripts[0].node.clone();
    (parsed, node)
}

fn with_spans(node: &Object, texts: SourceTexts) -> String {
    let config = PrinterConfig { show_spans: Some(texts), ..PrinterConfig::default() };
    print(node, registry(), &config).expect("prints")
}

const STORE: &str = "\
@T.prim_func
def f(A: T.Buffer((16,), \"float32\")):
    for i in range(16):
        A[i] = A[i] + T.float32(1.0)
";

#[test]
fn p92_10_names_of_spans_do_not_break_the_text() {
    let (parsed, node) = script("store.py", STORE);
    let names = [
        "layer\n    T.evaluate(1)",
        "a\r# b",
        "# @other",
        "x  # @y",
        "quote\" and \\",
        "\u{202e}evil\u{2066}",
        "zero\u{200b}width \u{7f}\u{0}",
        "",
        "Schicht.größe/合成-1",
        "resnet/conv:0",
    ];
    for name in names {
        let source = SourceId::new(name);
        let layer = Span::new(SpanKind::Source { source });
        let lines =
            Span::new(SpanKind::LineColumn { source, line: 3, column: 1, end_line: 4, end_column: 2 });
        for span in [layer, lines, Span::call_site(layer, lines), Span::sequence([lines, layer], "merge")] {
            let marked = post_order_mutate(node.clone(), |object| {
                let store = object.as_node::<tir::BufferStore>()?;
                Some(Object::from(Ref::new(tir::BufferStore { span, ..store.clone() })))
            })
            .expect("the same classes");
            let text = with_spans(&marked, SourceTexts::new());
            assert_eq!(text.lines().count(), 6, "{text}");
            assert!(!text.contains(['\u{202e}', '\u{2066}', '\u{200b}', '\0', '\r']), "{text:?}");
            let again = self::parsed("again.py", &text);
            assert!(again.errors.is_empty(), "{text}");
            assert!(equal(&[marked], &[again.scripts[0].node.clone()]));
            let found = nodes_where_span(&again.scripts[0].node, |found| found == span);
            assert!(!found.is_empty(), "{text}");
            assert_eq!(with_spans(&again.scripts[0].node, SourceTexts::new()), text);
            again.release_sources();
        }
        source.release();
    }
    parsed.release_sources();
}

#[test]
fn p92_11_a_sequence_of_spans_is_printed_and_parsed_back() {
    let line = "        A[i] = A[i] + T.float32(1.0)  # @resnet.conv1 @resnet.relu1 !output @model.py:12:4\n";
    let text = STORE.replace("        A[i] = A[i] + T.float32(1.0)\n", line);
    let (parsed, node) = script("merged.py", &text);
    let stores = nodes_where_span(&node, |span| span.part_count() == 3);
    assert!(stores.iter().any(|node| node.is::<tir::BufferStore>()));
    assert!(nodes_where_span(&node, |span| span.has_mark(SpanMark::Output)).len() == stores.len());
    assert!(with_spans(&node, SourceTexts::new()).contains(line.trim_end()));
    let mut names: Vec<String> = parsed.named_sources.iter().map(|source| source.name()).collect();
    names.sort();
    assert_eq!(names, ["model.py", "resnet.conv1", "resnet.relu1"]);
    parsed.release_sources();
    assert!(with_spans(&node, SourceTexts::new()).contains("A[i] + T.float32(1.0)  # @?"));
}

#[test]
fn p92_32_every_print_is_a_file_that_spans_point_into() {
    let (parsed, node) = script("input.py", STORE);
    let mapped = print_mapped(&node, registry(), &PrinterConfig::default()).expect("prints");
    // The name of the print is a source; lines and columns come from its text.
    let source = SourceId::new("after_pass_1.py");
    let texts = SourceTexts::new().with(source, mapped.text());
    let stores = |root: &Object| {
        let mut found = Vec::new();
        pre_order_visit(root, |node| {
            found.extend(node.is::<tir::BufferStore>().then(|| node.clone()));
            true
        });
        found
    };
    let span = mapped.span_of_node(&stores(&node)[0], source);
    assert_eq!(span.to_marker(&texts), "@after_pass_1.py:6:9");
    // A node of the next pass that points there, shown.
    let next = post_order_mutate(node.clone(), |object| {
        let store = object.as_node::<tir::BufferStore>()?;
        Some(Object::from(Ref::new(tir::BufferStore { span, ..store.clone() })))
    })
    .expect("the same classes");
    assert!(
        with_spans(&next, texts.clone()).contains("A[i] = A[i] + T.float32(1.0)  # @after_pass_1.py:6:9")
    );
    // Parsing the print under that name gives the same place.
    let again = self::parsed("after_pass_1.py", mapped.text());
    assert_eq!(again.source, source);
    assert_eq!(stores(&again.scripts[0].node)[0].span().to_marker(&texts), "@after_pass_1.py:6:9");
    again.release_sources();
    parsed.release_sources();
    source.release();
}

const HELPERS: &str = "\
def double(x):
    return x * T.float32(2)

def update(A, i):
    T.evaluate(double(A[i]))

def nested(A, i, depth):
    if depth > 0:
        nested(A, i, depth - 1)
    else:
        T.evaluate(A[i])

@T.prim_func
def f(A: T.Buffer((16,), \"float32\")):
    for i in range(16):
        update(A, i)
        A[i] = double(A[i])
        nested(A, i, 40)
";

#[test]
fn p92_10_nodes_of_helpers_carry_the_line_in_the_helper_and_the_call() {
    let (parsed, node) = script("helpers.py", HELPERS);
    let texts = SourceTexts::new().with(parsed.source, HELPERS);
    let mut markers: Vec<String> = Vec::new();
    pre_order_visit(&node, |node| {
        if node.is::<prim::Mul>() || node.is::<tir::Evaluate>() {
            markers.push(node.span().to_marker(&texts));
        }
        true
    });
    let call = "helpers.py:9:9 < ";
    assert_eq!(
        markers,
        [
            "@helpers.py:5:5 < helpers.py:16:9".to_owned(),
            "@helpers.py:2:12 < helpers.py:5:16 < helpers.py:16:9".to_owned(),
            "@helpers.py:2:12 < helpers.py:17:16".to_owned(),
            // A chain has at most 16 calls.
            format!("@helpers.py:11:9 < {}helpers.py:18:9", call.repeat(15)),
        ]
    );
    parsed.release_sources();
}

#[test]
fn p92_10_comments_stay_at_their_statements() {
    let text = "\
# about the file

# about f
@T.prim_func  # decorator
def f(A: T.Buffer((4,), \"float32\")):  # head
    # above the loop
    for i in range(4):  # loop

        #no space
        A[i] = (  # open
            A[i]  # inside
            + T.float32(1.0)
        )  # store
        # below the store
    # below the loop
    if A[0] > T.float32(0.0):
        T.evaluate(1)
    else:  # otherwise
        T.evaluate(2)  # two  # @layer
    # end of f
";
    let expected = "\
# from tvm.script import tir as T

# about the file
# about f
# decorator
@T.prim_func
def f(A: T.Buffer((4,), \"float32\")):  # head
    # above the loop
    for i in range(4):  # loop
        # no space
        # open
        # inside
        A[i] = A[i] + T.float32(1.0)  # store
        # below the store
    # below the loop
    if A[0] > T.float32(0.0):
        T.evaluate(1)
    else:
        # otherwise
        T.evaluate(2)  # two
    # end of f";
    let (first, node) = script("comments.py", text);
    let printed = show(&first, text, false, true).expect("prints");
    assert_eq!(printed, expected);
    let (second, again) = script("again.py", &printed);
    assert_eq!(show(&second, &printed, false, true).as_deref(), Some(expected));
    assert!(equal(std::slice::from_ref(&node), &[again]));
    // Without the option they are not printed, and JSON does not have them.
    assert!(!print(&node, registry(), &PrinterConfig::default()).expect("prints").contains("store"));
    assert!(!tvmscript::to_json(&node).contains("below"));
    first.release_sources();
    second.release_sources();
}

#[test]
fn comments_that_are_no_markers_are_comments() {
    for comment in ["@param x", "@", "@a:b", "@todo: x", "see @layer", "@a @"] {
        let text = STORE.replace("(1.0)\n", &format!("(1.0)  # {comment}\n"));
        let (parsed, _) = script("plain_comment.py", &text);
        assert!(parsed.named_sources.is_empty(), "{comment}");
        assert!(show(&parsed, &text, false, true).expect("prints").contains(comment));
        parsed.release_sources();
    }
}

#[test]
fn many_comments_take_linear_time() {
    let above = "    # line\n".repeat(100_000);
    let marks = format!("  # {}", "  # @a".repeat(50_000));
    let text =
        STORE.replace("    for", &format!("{above}    for")).replace("(1.0)\n", &format!("(1.0){marks}\n"));
    let (parsed, _) = script("many_comments.py", &text);
    assert!(show(&parsed, &text, true, true).is_some_and(|shown| shown.len() > 1_000_000));
    parsed.release_sources();
}

#[test]
fn p92_31_a_parse_can_leave_spans_out() {
    let mut options = ParseOptions::default();
    options.omit_spans = true;
    let parsed = parse("no_spans.py", HELPERS, registry(), &options);
    assert!(nodes_where_span(&parsed.scripts[0].node, Span::is_known).is_empty());
    let with = self::parsed("spans.py", HELPERS);
    assert!(tvmscript::structural_equal(&parsed.scripts[0].node, &with.scripts[0].node));
    parsed.release_sources();
    with.release_sources();
}

/// A function of flat stores, and one of Relax bindings.
fn large_scripts() -> [String; 2] {
    let stores: String = (0..1000)
        .map(|i| format!("    A[{i}] = A[{i} + n] * T.float32({i}.5) + T.max(A[{}], B[n])\n", i + 1))
        .collect();
    let bindings: String =
        (1..1000).map(|i| format!("        x{i} = R.add(R.exp(x{}), x0)\n", i - 1)).collect();
    [
        format!("@T.prim_func\ndef f(A: T.Buffer((4096,)), B: T.Buffer((4096,)), n: T.int32):\n{stores}"),
        format!(
            "@R.function\ndef f(x0: R.Tensor((8, 8), \"float32\")):\n    with R.dataflow():\n{bindings}        R.output(x999)\n    return x999\n"
        ),
    ]
}

#[test]
fn p92_31_spans_add_at_most_a_tenth_to_the_memory_of_a_parse() {
    // The registry, type tables and first interned strings are made once.
    let [stores, bindings] = large_scripts();
    for text in [&stores, &bindings, &stores, &bindings] {
        let bytes = |omit_spans: bool| {
            let mut options = ParseOptions::default();
            options.omit_spans = omit_spans;
            let mut parsed = None;
            let counts = allocation_counter::measure(|| {
                parsed = Some(parse("memory.py", text, registry(), &options));
            });
            let parsed = parsed.expect("it was parsed");
            assert!(parsed.errors.is_empty(), "{:?}", parsed.errors.first());
            let kept = counts.bytes_current;
            parsed.release_sources();
            (kept, counts.bytes_max)
        };
        let ((kept_without, peak_without), (kept, peak)) = (bytes(true), bytes(false));
        println!("{kept} of {kept_without} bytes kept, {peak} of {peak_without} at most");
        assert!(kept as f64 <= 1.1 * kept_without as f64, "{kept} bytes, {kept_without} without spans");
        assert!(peak as f64 <= 1.1 * peak_without as f64, "{peak} bytes, {peak_without} without spans");
    }
}

#[test]
fn errors_in_marked_statements_and_helpers_keep_their_place() {
    for marker in ["", "  # @layer"] {
        let text = STORE.replace("(1.0)\n", &format!("(1.0, \"x\", 3){marker}\n"));
        let errors = self::parsed("wrong.py", &text).errors;
        assert_eq!(errors.len(), 1);
        let line = text[..errors[0].range().start as usize].lines().count();
        assert_eq!(line, 4, "{marker}");
    }
}

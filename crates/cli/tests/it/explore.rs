//! `explore`: the page over a program and its passes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde_json::Value;

use crate::common::{file, page_lines, path, run};

const SIX_PASSES: &str = "tir.LowerInitBlock,tir.ConvertBlocksToOpaque,tir.LowerOpaqueBlock,tir.Simplify,tir.UnrollLoop,tir.RemoveNoOp";

const KERNEL: &str = "\
from tvm.script import tir as T

@T.prim_func
def f(A: T.Buffer((4,), \"float32\")):
    for i in T.unroll(2):
        A[i] = A[i] + T.float32(1.0)
";

/// A file of the project's tests.
fn tests(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(name)
}

/// The data of a page.
fn explored(args: &[&str]) -> Value {
    let ran = run(&[&["explore", "--format", "json"], args].concat());
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    serde_json::from_str(&ran.stdout).expect("JSON")
}

fn items<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

fn index(value: &Value) -> usize {
    usize::try_from(value.as_u64().expect("an index")).expect("an index")
}

/// Text and origins of the lines of a version or a source.
fn lines<'p>(page: &'p Value, parts: &[Value]) -> Vec<(&'p str, BTreeSet<usize>)> {
    let index = |origin: u64| usize::try_from(origin).expect("an index");
    let lines = page_lines(page, parts).into_iter();
    lines.map(|(line, origins)| (line, origins.into_iter().map(index).collect())).collect()
}

/// The lines of a version, from 1, by their origins.
fn by_origin(page: &Value, parts: &[Value]) -> BTreeMap<usize, BTreeSet<usize>> {
    let mut found: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for (number, (_, origins)) in lines(page, parts).into_iter().enumerate() {
        for origin in origins {
            found.entry(origin).or_default().insert(number + 1);
        }
    }
    found
}

/// The lines that `trace` lists.
fn traced(file: &str, passes: &str, from: &str) -> BTreeSet<usize> {
    let ran = run(&["trace", file, "--passes", passes, "--from", from, "--format", "json"]);
    if ran.status != 0 {
        assert!(ran.stderr.starts_with("error: nothing came from this source; the sources of the text are"));
        return BTreeSet::new();
    }
    let nodes: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    nodes.as_array().expect("an array").iter().map(|node| index(&node["line"])).collect()
}

fn text_of(page: &Value, version: &Value) -> String {
    lines(page, items(version, "parts")).into_iter().map(|(line, _)| format!("{line}\n")).collect()
}

#[test]
fn p92_36_texts_are_those_of_print_and_opt() {
    let module = tests("corpus/relax").read_dir().expect("a folder").next().expect("a file").expect("a file");
    let two = format!("{KERNEL}\n\ndef make():\n    {}\n    return f\n", KERNEL.replace('\n', "\n    "));
    let inputs = [
        (file("kernel.py", KERNEL), "tir.UnrollLoop,tir.Simplify"),
        (file("two.py", two), "tir.UnrollLoop"),
        (module.path().display().to_string(), "relax.FoldConstant,relax.LegalizeOps"),
        (tests("fixtures/models/convnet.onnx").display().to_string(), "default"),
    ];
    for (input, passes) in inputs {
        let page = explored(&[&input, "--passes", passes]);
        let versions = items(&page["runs"][0], "versions");
        let printed = run(&["opt", &input]).stdout;
        assert_eq!(text_of(&page, &versions[0]), printed);
        let last = versions.last().expect("a version");
        assert_eq!(text_of(&page, last), run(&["opt", &input, "--passes", passes]).stdout);
    }
}

#[test]
fn dumps_have_the_text_that_opt_prints() {
    let kernel = file("kernel.py", KERNEL);
    let dumps = path("dumps");
    let passes = "tir.UnrollLoop,tir.Simplify";
    let ran = run(&["opt", &kernel, "--passes", passes, "--dump-dir", dumps.to_str().expect("text")]);
    let last = std::fs::read_to_string(dumps.join("02-tir.Simplify.py")).expect("a dump");
    assert_eq!(last, ran.stdout);
}

#[test]
fn p92_27_each_text_has_lines_of_each_layer() {
    let model = tests("fixtures/models/convnet.onnx").display().to_string();
    let page = explored(&[&model, "--passes", "default"]);
    let origins = items(&page, "origins");
    for layer in ["stem/conv", "stem/norm", "head/linear"] {
        let origin = origins.iter().position(|origin| origin["kind"] == "layer" && origin["name"] == layer);
        let origin = origin.expect("the layer is an origin");
        for version in items(&page["runs"][0], "versions") {
            let found = by_origin(&page, items(version, "parts"));
            assert!(found.contains_key(&origin), "{layer} in {}", version["name"]);
        }
        let last = items(&page["runs"][0], "versions").last().expect("a version");
        assert_eq!(
            by_origin(&page, items(last, "parts"))[&origin],
            traced(&model, "default", layer),
            "{layer}"
        );
    }
}

#[test]
fn p92_30_page_and_trace_agree_line_by_line() {
    let mut files: Vec<PathBuf> = tests("corpus/tir")
        .read_dir()
        .expect("a folder")
        .map(|entry| entry.expect("a file").path())
        .collect();
    files.sort();
    // Names of parameters of this one repeat.
    files.retain(|file| !file.ends_with("topi_get_valid_counts_float16_dyn.py"));
    files.truncate(50);
    assert_eq!(files.len(), 50);
    let check = |file: &PathBuf| {
        let file = file.display().to_string();
        let page = explored(&[&file, "--passes", SIX_PASSES]);
        let run = &page["runs"][0];
        let versions = items(run, "versions");
        assert_eq!(versions.len(), 7, "{file}");
        let found = by_origin(&page, items(versions.last().expect("a version"), "parts"));
        let mut compared = 0;
        for (number, (_, origins)) in lines(&page, items(run, "source")).into_iter().enumerate() {
            let relatives: BTreeSet<usize> =
                origins.iter().filter_map(|origin| found.get(origin)).flatten().copied().collect();
            // Each fourth line, for the time of the test.
            if number % 4 == 3 {
                assert_eq!(traced(&file, SIX_PASSES, &format!("{file}:{}", number + 1)), relatives, "{file}");
                compared += 1;
            }
        }
        compared
    };
    let compared: usize = std::thread::scope(|scope| {
        let workers: Vec<_> = files
            .chunks(13)
            .map(|chunk| scope.spawn(move || chunk.iter().map(check).sum::<usize>()))
            .collect();
        workers.into_iter().map(|worker| worker.join().expect("the lines agree")).sum()
    });
    assert!(compared > 180, "{compared}");
}

#[test]
fn a_page_is_one_file_without_requests_and_the_same_each_time() {
    let kernel =
        file("a<b>.py", format!("{KERNEL}    T.evaluate(0)  # </script><img src=x onerror=alert(1)>\n"));
    let output = path("page.html");
    let args = ["explore", &kernel, "--passes", SIX_PASSES, "-o", output.to_str().expect("text")];
    let ran = run(&args);
    assert_eq!((ran.status, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""));
    let whole = std::fs::read_to_string(&output).expect("a page");
    let page = &whole;
    assert!(page.contains("default-src 'none'; script-src 'sha256-"), "{page}");
    assert!(page.contains("<title>a&lt;b&gt;.py</title>"));
    // Style and script do not end their elements.
    let count = |tag: &str| page.to_lowercase().matches(tag).count();
    assert_eq!((count("</style"), count("</script"), count("<!--")), (1, 2, 0));
    // The namespace of SVG is a name and no request.
    let page = page.replace("http://www.w3.org/2000/svg", "");
    for forbidden in ["http:", "https:", "<img", "<link", "onerror=", env!("CARGO_TARGET_TMPDIR")] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
    let data =
        page.split_once("id=\"data\">").and_then(|(_, data)| data.split_once("</script>")).expect("data").0;
    assert!(data.len() > 100 && data.chars().all(|c| c.is_ascii_alphanumeric() || "+/=".contains(c)));
    run(&args);
    assert!(std::fs::read_to_string(&output).expect("a page") == whole, "the page changed");
}

#[test]
fn a_failing_pass_leaves_no_page_unless_it_is_asked_for() {
    let kernel = file("kernel.py", KERNEL.replace("T.unroll(2)", "T.vectorized(T.Cast(\"int32\", A[0]))"));
    let output = path("page.html");
    std::fs::remove_file(&output).ok();
    let output = output.to_str().expect("text");
    let args = ["explore", &kernel, "--passes", "tir.Simplify,tir.VectorizeLoop,tir.Simplify", "-o", output];
    let failed = run(&args);
    assert_eq!((failed.status, PathBuf::from(output).exists()), (1, false), "{}", failed.stderr);
    let kept = run(&[&args[..], &["--keep-going", "--format", "json"]].concat());
    assert_eq!((kept.status, kept.stderr == failed.stderr), (1, true), "{}", kept.stderr);
    let page: Value = serde_json::from_str(&std::fs::read_to_string(output).expect("a page")).expect("JSON");
    let versions = items(&page["runs"][0], "versions");
    let names: Vec<&str> = versions.iter().filter_map(|version| version["name"].as_str()).collect();
    assert_eq!(names, ["kernel.py", "tir.Simplify", "tir.VectorizeLoop"]);
    assert!(versions[2]["error"].as_str().is_some_and(|error| error.contains("vectorized")), "{page}");
    std::fs::remove_file(output).expect("the page is removed");
    for wrong in [&["missing.py"][..], &[&kernel, "--passes", "tir.Nothing"]] {
        let ran = run(&[&["explore"], wrong, &["-o", output]].concat());
        assert_eq!((ran.status, PathBuf::from(output).exists()), (2, false), "{}", ran.stderr);
    }
}

#[test]
fn dumps_and_second_inputs_are_runs() {
    let kernel = file("kernel.py", KERNEL);
    let dumps = path("dumps");
    let dumps = dumps.to_str().expect("text");
    run(&["opt", &kernel, "--passes", "tir.UnrollLoop,tir.Simplify", "--dump-dir", dumps]);
    let page = explored(&[dumps]);
    assert_eq!(items(&page["runs"][0], "versions").len(), 3);
    let two = explored(&[&kernel, dumps, "--passes", "tir.UnrollLoop,tir.Simplify"]);
    assert_eq!((items(&two, "runs").len(), &two["parting"]), (2, &Value::Null), "{}", two["parting"]);
    let parted = explored(&[&kernel, dumps, "--passes", "tir.Simplify"]);
    assert_eq!(parted["parting"], serde_json::json!([1, 1]));
    let empty = path("empty");
    std::fs::create_dir_all(&empty).expect("a folder");
    let none = run(&["explore", empty.to_str().expect("text")]);
    assert!(none.status == 1 && none.stderr.contains("has no dump of passes"), "{}", none.stderr);
    assert_eq!(run(&["explore", dumps, "--passes", "tir.Simplify"]).status, 1);
}

#[test]
fn p92_29_steps_of_a_schedule_are_versions_and_records() {
    let kernel = tests("schedules/matmul.py").display().to_string();
    let trace = tests("schedules/matmul_trace.py").display().to_string();
    let page = explored(&[&kernel, "--trace", &trace, "--passes", "tir.LowerInitBlock"]);
    let records = items(&page["schedules"][0], "records").len();
    assert!(records > 5);
    let versions = items(&page["runs"][0], "versions");
    assert!(versions.len() > records && versions.last().expect("a version")["name"] == "tir.LowerInitBlock");
    assert_eq!(page["graphs"][0]["nodes"][0]["schedule"], 0);
    let folder = path("record");
    let folder = folder.to_str().expect("text");
    run(&["schedule", &kernel, "--trace", &trace, "--record", folder]);
    let recorded = explored(&[folder]);
    assert_eq!(items(&recorded["schedules"][0], "records").len(), records);
}

#[test]
fn other_formats_are_of_the_same_graph_and_passes() {
    let model = tests("fixtures/models/convnet.onnx").display().to_string();
    let written = |format: &str| {
        let ran = run(&["explore", &model, "--passes", "relax.LegalizeOps", "--format", format]);
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        ran.stdout
    };
    assert!(written("svg").starts_with("<svg "));
    assert!(written("model-explorer").contains("\"label\":\"convnet.onnx\""));
    assert!(written("trace").contains("\"name\":\"relax.LegalizeOps\""));
}

#[test]
fn a_program_without_sources_comes_from_its_first_text() {
    let kernel = file("kernel.py", KERNEL);
    let json = file("kernel.json", run(&["json", "--tvm", &kernel]).stdout);
    let page = explored(&[&json, "--passes", "tir.UnrollLoop"]);
    let versions = items(&page["runs"][0], "versions");
    let store = |version: &Value| {
        let found = lines(&page, items(version, "parts"));
        let at =
            found.iter().filter(|(line, _)| line.trim_start().starts_with("A[")).map(|(_, at)| at.clone());
        at.collect::<Vec<_>>()
    };
    let (before, after) = (store(&versions[0]), store(&versions[1]));
    assert_eq!((before.len(), after.len()), (1, 2));
    assert!(
        !before[0].is_empty() && after.iter().all(|origins| !origins.is_disjoint(&before[0])),
        "{after:?}"
    );
    assert!(page["runs"][0]["source"].as_array().is_some_and(Vec::is_empty));
}

#[test]
fn counts_tell_what_holds_after_each_pass() {
    let page =
        explored(&[&file("kernel.py", KERNEL), "--passes", "tir.UnrollLoop,tir.Simplify,tir.RemoveNoOp"]);
    let versions = items(&page["runs"][0], "versions");
    let changed: Vec<bool> =
        versions.iter().map(|version| version["changed"].as_bool().expect("a flag")).collect();
    assert_eq!(changed, [false, true, false, false]);
    for version in versions {
        assert!(version["nodes"].as_u64() > Some(5) && version["sourced"] == version["nodes"], "{version}");
        assert!(version["wellFormed"] == true && version["readsBack"] == true, "{version}");
        assert!(version["ms"].is_null(), "{version}");
    }
    let timed = explored(&[&file("kernel.py", KERNEL), "--passes", "tir.Simplify", "--timing"]);
    assert!(timed["runs"][0]["versions"][1]["ms"].is_number());
}

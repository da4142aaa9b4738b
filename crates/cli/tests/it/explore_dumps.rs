//! `explore` of dumps that others wrote: folders, logs, and two inputs.

use std::fmt::Write as _;

use serde_json::Value;

use crate::common::{Ran, file, folder, page_lines, path, run};

/// A fixture in `tests/fixtures/dumps`.
fn fixture(name: &str) -> String {
    format!("{}/../../tests/fixtures/dumps/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// The data of the page.
#[track_caller]
fn page(inputs: &[&str]) -> Value {
    let mut args = vec!["explore", "--format", "json"];
    args.extend(inputs);
    let Ran { status, stdout, stderr } = run(&args);
    assert_eq!((status, stderr.as_str()), (0, ""));
    serde_json::from_str(&stdout).expect("JSON")
}

/// The message of a run that fails and writes nothing.
#[track_caller]
fn refused(inputs: &[&str]) -> String {
    let mut args = vec!["explore", "--format", "json"];
    args.extend(inputs);
    let Ran { status, stdout, stderr } = run(&args);
    assert_eq!((status, stdout.as_str()), (1, ""));
    stderr
}

fn items(value: &Value) -> &[Value] {
    value.as_array().expect("an array")
}

/// The whole text of a version.
fn text(page: &Value, version: &Value) -> String {
    let parts = items(&version["parts"]).iter();
    let texts: Vec<&str> = parts
        .map(|part| page["texts"][part["text"].as_u64().expect("a number") as usize].as_str().expect("text"))
        .collect();
    texts.join("\n")
}

/// A line per version: index, name, and all that is special about it.
fn outline(page: &Value, run: usize) -> String {
    let mut out = String::new();
    for (index, version) in items(&page["runs"][run]["versions"]).iter().enumerate() {
        let _ = write!(out, "{index} {}", version["name"].as_str().expect("a name"));
        for (key, word) in [("phase", "phase"), ("inside", "inside"), ("ms", "ms"), ("error", "error")] {
            if !version[key].is_null() {
                let _ = write!(out, " {word}={}", version[key].to_string().trim_matches('"'));
            }
        }
        for (key, expected, word) in [("changed", true, "changed"), ("readsBack", false, "unread")] {
            if version[key] == expected {
                let _ = write!(out, " {word}");
            }
        }
        if version["language"] != "python" {
            let _ = write!(out, " {}", version["language"].as_str().expect("a language"));
        }
        out.push('\n');
    }
    out
}

/// The hunks of a version, one per line, with their first lines.
fn hunks(page: &Value, run: usize, version: usize) -> String {
    let versions = items(&page["runs"][run]["versions"]);
    let line = |version: usize, hunk: &Value, side: &str| {
        let (first, count) =
            (hunk[side][0].as_u64().expect("a line"), hunk[side][1].as_u64().expect("a count"));
        let text = text(page, &versions[version]);
        let line = text.lines().nth(first.saturating_sub(1) as usize).filter(|_| count > 0).unwrap_or("-");
        format!("{first}+{count} {}", line.trim())
    };
    let mut out = String::new();
    for hunk in items(&versions[version]["hunks"]) {
        let note = hunk["note"].as_str().map(|note| format!(" ({note})")).unwrap_or_default();
        let kind = hunk["kind"].as_str().expect("a kind");
        let (before, after) = (line(version - 1, hunk, "before"), line(version, hunk, "after"));
        let _ = writeln!(out, "{kind}{note}: {before} => {after}");
    }
    out
}

/// The origins of each line of a version.
fn origins(page: &Value, run: usize, version: usize) -> Vec<Vec<u64>> {
    let lines = page_lines(page, items(&page["runs"][run]["versions"][version]["parts"]));
    lines.into_iter().map(|(_, origins)| origins).collect()
}

/// The lines of version 0 that a line of another version comes from, by its text.
#[track_caller]
fn sources(page: &Value, version: usize, needle: &str) -> Vec<u64> {
    let whole = text(page, &page["runs"][0]["versions"][version]);
    let at = whole.lines().position(|line| line.contains(needle)).expect("the line");
    let of_line = &origins(page, 0, version)[at];
    let origins = of_line.iter().map(|origin| &page["origins"][*origin as usize]);
    origins
        .filter(|origin| origin["kind"] == "line")
        .map(|origin| origin["line"].as_u64().expect("a line"))
        .collect()
}

#[test]
fn p92_30_a_folder_of_tvm_has_an_item_per_pass() {
    let page = page(&[&fixture("tvm_folder_0_23")]);
    assert_eq!(
        outline(&page, 0),
        "0 input\n1 LegalizeOps inside=4\n2 FoldConstant inside=4\n3 DeadCodeElimination inside=4\n4 sequential\n\
         5 tir.LowerInitBlock inside=8\n6 tir.ConvertBlocksToOpaque inside=8 changed\n7 tir.LowerOpaqueBlock inside=8 changed\n\
         8 sequential\n"
    );
    assert_eq!(
        page["notes"][0],
        "the dump has no text before `LegalizeOps`: its text after is shown as the input"
    );
    let file = fixture("tvm_folder_0_23/006_tir.LowerOpaqueBlock.py");
    let dumped = std::fs::read_to_string(file).expect("a file");
    assert_eq!(text(&page, &page["runs"][0]["versions"][7]), dumped.trim_end_matches('\n'));
    assert_eq!(
        hunks(&page, 0, 6),
        "removed: 13+1 v_ax0, v_ax1 = T.axis.remap(\"SS\", [ax0, ax1]) => 12+0 -\n\
         edited: 14+3 T.reads(x[v_ax0, v_ax1], y[v_ax0, v_ax1]) => 13+3 T.reads(x[ax0, ax1], y[ax0, ax1])\n\
         removed: 24+1 v_i0, v_i1 = T.axis.remap(\"SS\", [i0, i1]) => 22+0 -\n\
         edited: 25+3 T.reads(a[v_i0, v_i1]) => 23+3 T.reads(a[i0, i1])\n"
    );
    assert_eq!(sources(&page, 8, "T_add[ax0, ax1] ="), [16]);
}

#[test]
fn p92_30_a_folder_of_a_newer_tvm_reads_alike() {
    let page = page(&[&fixture("tvm_folder_0_27")]);
    let of_release = outline(&page, 0);
    assert!(of_release.contains("7 s_tir.LowerOpaqueBlock inside=8 changed\n8 sequential\n"), "{of_release}");
    assert!(!of_release.contains("unread"), "{of_release}");
}

#[test]
fn p92_30_logs_of_tvm_begin_with_other_output_and_tell_which_pass_ran_another() {
    for (log, prefix) in [("tvm_both_0_23.log", "tir"), ("tvm_both_0_27.log", "s_tir")] {
        let page = page(&[&fixture(log)]);
        assert_eq!(
            outline(&page, 0),
            format!(
                "0 input\n1 LegalizeOps inside=8 changed\n2 FoldConstant inside=4\n3 DeadCodeElimination inside=4\n\
                 4 sequential inside=8\n5 {prefix}.LowerInitBlock inside=8\n\
                 6 {prefix}.ConvertBlocksToOpaque inside=8 changed\n7 {prefix}.LowerOpaqueBlock inside=8 changed\n\
                 8 sequential\n"
            )
        );
        assert_eq!(page["notes"], serde_json::json!([]));
        // A new function comes from the line whose operator it is.
        let call = sources(&page, 1, "a = R.call_tir");
        assert_eq!(call.len(), 1);
        assert_eq!(sources(&page, 8, "T_add[ax0, ax1] ="), call);
    }
}

#[test]
fn p92_30_logs_with_one_side_have_all_passes() {
    for (log, count) in [
        ("tvm_after_0_23.log", 9),
        ("tvm_after_0_27.log", 9),
        ("tvm_before_0_23.log", 9),
        ("tvm_before_0_27.log", 9),
    ] {
        let page = page(&[&fixture(log)]);
        let outline = outline(&page, 0);
        assert_eq!(outline.lines().count(), count, "{outline}");
        assert!(outline.contains("ConvertBlocksToOpaque"), "{outline}");
        assert_eq!(
            outline.contains("the log has no text after this pass"),
            log.starts_with("tvm_before"),
            "{outline}"
        );
    }
}

#[test]
fn p92_30_a_lower_trace_of_tilelang_has_the_newest_run_first_and_failed_passes() {
    let page = page(&[&fixture("tilelang")]);
    assert_eq!(
        outline(&page, 0),
        "0 input phase=pipeline_c, run 2\n1 BindTarget phase=pipeline_c, run 2 changed\n\
         2 MaterializeKernelLaunch phase=pipeline_c, run 2 changed\n3 AddWrapperForSingleBufStore phase=pipeline_c, run 2\n\
         4 LayoutInference phase=pipeline_c, run 2 changed\n5 LowerTileOp phase=pipeline_c, run 2 changed\n\
         6 VerifyReducerConsumed phase=pipeline_c, run 2\n7 LowerOpaqueBlock phase=pipeline_c, run 2 changed\n\
         8 StorageRewrite phase=pipeline_c, run 2 changed\n9 SplitHostDevice phase=pipeline_c, run 2 changed\n\
         10 codegen phase=codegen, run 2 changed c\n11 input phase=pipeline_c, run 1 changed\n\
         12 BindTarget phase=pipeline_c, run 1 changed\n13 MaterializeKernelLaunch phase=pipeline_c, run 1 changed\n\
         14 LowerTileOp phase=pipeline_c, run 1 error=the pass failed changed\n"
    );
    // The loops that a tile operator becomes, and the code that is made of them, come from it.
    for (version, line, source) in [
        (5, "S[i * 4 + vec] = A", 20),
        (5, "B[bx * 128 + (i * 4 + vec)] = S", 21),
        (8, "S_1[i * 4:i * 4 + 4] = A_1", 20),
        (9, "B_1[bx * 128 + i * 4:bx * 128 + i * 4 + 4] = S_1", 21),
    ] {
        assert_eq!(sources(&page, version, line), [source], "{line}");
    }
    assert!(sources(&page, 10, "float S[128];").contains(&19));
    assert_eq!(sources(&page, 8, "for bx in range(2):"), [11, 15]);
    assert!(!page.to_string().contains("2026"), "no date of a run");
}

#[test]
fn p92_30_a_log_of_mlir_is_text() {
    let page = page(&[&fixture("mlir.log")]);
    assert_eq!(
        outline(&page, 0),
        "0 input text\n1 Canonicalizer changed text\n2 ConvertFuncToLLVM error=the pass failed changed text\n"
    );
    assert_eq!(
        hunks(&page, 0, 1),
        "removed: 3+1 %c0_i32 = arith.constant 0 : i32 => 2+0 -\n\
         edited: 4+1 %0 = arith.addi %arg0, %c0_i32 : i32 => 3+1 %0 = arith.muli %arg0, %arg0 : i32\n\
         removed: 5+1 %1 = arith.muli %0, %0 : i32 => 3+0 -\n\
         edited: 6+1 return %1 : i32 => 4+1 return %0 : i32\n"
    );
}

#[test]
fn p92_30_own_dumps_have_the_times_of_their_report() {
    let page = page(&[&fixture("own")]);
    assert_eq!(
        outline(&page, 0),
        "0 input\n1 tir.LowerInitBlock ms=0.25\n2 tir.ConvertBlocksToOpaque ms=0.5 changed\n\
         3 tir.LowerOpaqueBlock ms=0.75 changed\n4 tir.UnrollLoop ms=1.0\n"
    );
    assert_eq!(page["runs"][0]["versions"][1]["sourced"], 55);
    assert_eq!(page["notes"], serde_json::json!([]));
}

#[test]
fn p92_30_two_runs_part_at_the_first_content_that_differs() {
    let script = |factor: &str, rest: &str| {
        format!(
            "# from tvm.script import tir as T\n\n@T.prim_func\ndef f(A: T.Buffer((8,), \"float32\")):\n    \
             for i in range(8):\n        A[i] = T.float32({factor}){rest}\n"
        )
    };
    let (one, two, three) = (script("1", ""), script("2", ""), script("3", ""));
    let (renamed, sum) = (
        one.replace('i', "j")
            .replace("jn", "in")
            .replace("prjm", "prim")
            .replace("tjr", "tir")
            .replace("scrjpt", "script")
            .replace("jmport", "import"),
        script("3", " + A[i]"),
    );
    let root = folder(&[
        ("a/000_First.py", &one),
        ("a/001_Second.py", &two),
        ("a/002_Third.py", &three),
        // Other names of passes and variables, and a pass that changes nothing.
        ("b/000_Begin.py", &renamed),
        ("b/001_Nothing.py", &renamed),
        ("b/002_Second.py", &two),
        ("b/003_Third.py", &sum),
    ]);
    let path = |name: &str| root.join(name).display().to_string();
    let (a, b) = (path("a"), path("b"));
    assert_eq!(page(&[&a, &b])["parting"], serde_json::json!([3, 4]));
    assert_eq!(page(&[&a, &a])["parting"], Value::Null);
    assert_eq!(page(&[&a])["parting"], Value::Null);
    // A dump and a script, whose passes run.
    let script = path("script.py");
    std::fs::write(&script, &one).expect("a file");
    let two = page(&[&a, &script]);
    assert_eq!(two["title"], "a | script.py");
    assert_eq!(two["parting"], serde_json::json!([2, 0]));
}

#[test]
fn moved_renamed_and_edited_lines_are_told_apart_from_layout() {
    let script = |body: &str| {
        format!(
            "# from tvm.script import tir as T\n\n@T.prim_func\ndef f(A: T.Buffer((8, 8), \"float32\"), n: T.int32):\n{body}"
        )
    };
    let before = script(
        "    for i in range(8):\n        A[i, 0] = T.float32(1)\n    \
         for k in range(8):\n        A[k, 1] = T.max(A[k, 2], T.float32(3))\n    A[0, 5] = T.float32(7)\n    \
         T.evaluate(T.call_extern(\"int32\", \"first\", n, n))\n",
    );
    let after = script(
        "    for i_0 in range(8):\n        A[i_0, 0] = T.float32(1)\n    if n > 0:\n        \
         for k in range(8):\n            A[k, 1] = T.max(\n                A[k, 2], T.float32(3)\n            )\n    \
         T.evaluate(T.call_extern(\"int32\", \"first\", n, n))\n    A[0, 5] = T.float32(7)\n",
    );
    let root = folder(&[("000_A.py", &before), ("001_B.py", &after)]);
    let page = page(&[&root.display().to_string()]);
    let found = hunks(&page, 0, 2);
    assert!(found.starts_with(
        "renamed (i became i_0): 5+2 for i in range(8): => 5+2 for i_0 in range(8):\nadded: 6+0 - => 7+1 if n > 0:\n"
    ), "{found}");
    // The loop only moved to the right, and its statement was wrapped.
    assert!(!found.contains('k') && !found.contains("max"), "{found}");
    assert!(found.contains("moved"), "{found}");
}

#[test]
fn a_text_that_is_no_script_is_shown_with_its_error() {
    let root =
        folder(&[("000_A.py", "@T.prim_func\ndef f(:\n    pass\n"), ("notes.txt", "x"), ("1_B.py", "x")]);
    std::fs::write(root.join("001_B.py"), b"\xef\xbb\xbfx = \"\xff\"\r\n\r\n").expect("a file");
    let page = page(&[&root.display().to_string()]);
    let outline = outline(&page, 0);
    assert!(outline.contains("1 A error=line 2: "), "{outline}");
    assert_eq!(text(&page, &page["runs"][0]["versions"][2]), "x = \"\u{fffd}\"");
    assert_eq!(page["notes"][1], "files that are no dumps were left out: 1_B.py, notes.txt");
}

#[test]
fn what_has_no_dump_is_refused_with_help() {
    let root = folder(&[("a/b/readme.md", "x"), ("000_dir.py/x", "y")]);
    let message = refused(&[&root.display().to_string()]);
    assert!(message.contains("has no dump of passes: expected files such as `000_pass.py`"), "{message}");
    let script = file("log.txt", "After Running\n");
    assert_eq!(run(&["explore", &script]).status, 1);
    let missing = path("missing");
    assert_eq!(run(&["explore", missing.to_str().expect("a path")]).status, 2);
    let dump = fixture("own");
    let message = refused(&[&dump, "--passes", "tir.Simplify"]);
    assert!(message.contains("passes and traces are for programs"), "{message}");
}

#[cfg(unix)]
#[test]
fn loops_of_links_and_deep_folders_are_harmless() {
    let root = folder(&[("000_A.py", "x = 1\n"), ("in/001_B.py", "x = 2\n")]);
    std::os::unix::fs::symlink(&root, root.join("in/again")).expect("a link");
    std::os::unix::fs::symlink("nowhere", root.join("000_lost.py")).expect("a link");
    let mut deep = root.clone();
    for _ in 0..100 {
        deep.push("d");
    }
    std::fs::create_dir_all(&deep).expect("folders");
    let page = page(&[&root.display().to_string()]);
    assert_eq!(outline(&page, 0).lines().count(), 4);
    let notes = page["notes"].to_string();
    assert!(notes.contains("links that lead to no file were left out: 2"), "{notes}");
    assert!(notes.contains("folders below 32 others were left out: 1"), "{notes}");
}

#[test]
fn large_and_many_dumps_take_linear_time() {
    let long = format!("x = \"{}\"\n", "ab ".repeat(3_000_000));
    let many: String = (0..20_000).map(|line| format!("x{} = {}\n", line % 7, line % 11)).collect();
    let other: String = (0..20_000).map(|line| format!("x{} = {}\n", line % 5, line % 13)).collect();
    let root = folder(&[("000_A.py", &long), ("001_B.py", &many), ("002_C.py", &other)]);
    for number in 3..3_000 {
        std::fs::write(root.join(format!("{number:03}_P.py")), "x = 1\n").expect("a file");
    }
    let page = page(&[&root.display().to_string()]);
    let outline = outline(&page, 0);
    // By number, not by name.
    assert_eq!(outline.lines().count(), 3_001);
    assert!(items(&page["texts"]).len() < 2_000);
}

#[test]
fn the_same_dump_gives_the_same_bytes() {
    let dump = fixture("tilelang");
    let first = run(&["explore", &dump]);
    assert_eq!((first.status, first.stdout == run(&["explore", &dump]).stdout), (0, true));
}

//! `diff`: formats, exit status, and git.

use std::path::Path;
use std::process::Command;

use crate::common::{file, path, run};

const HEAD: &str = "from tvm.script import ir as I, relax as R, tir as T\n\n";

fn script(name: &str, text: &str) -> String {
    file(name, format!("{HEAD}{text}"))
}

fn kernel(lines: &[&str]) -> String {
    let lines: String = lines.iter().map(|line| format!("    {line}\n")).collect();
    format!("@T.prim_func\ndef f(A: T.Buffer((8,), \"int32\"), B: T.Buffer((8,), \"int32\")):\n{lines}")
}

const BEFORE: &[&str] =
    &["for i in range(8):", "    A[i] = B[i]", "A[0] = 1", "B[1] = A[2] + A[3]", "B[2] = 7"];
const AFTER: &[&str] =
    &["B[1] = A[2] + A[3]", "for k in range(8):", "    A[k] = B[k] + 1", "A[0] = 2", "B[2] = 7"];

#[test]
fn unified_text_has_the_changed_lines_with_context() {
    let (a, b) = (script("a.py", &kernel(BEFORE)), script("b.py", &kernel(AFTER)));
    let ran = run(&["diff", "-U", "1", &a, &b]);
    assert_eq!(ran.status, 1, "{}", ran.stderr);
    let text = ran.stdout.replace(&a, "a.py").replace(&b, "b.py");
    let expected = "\
--- a.py
+++ b.py
@@ -4,6 +4,6 @@
 def f(A: T.Buffer((8,), \"int32\"), B: T.Buffer((8,), \"int32\")):
-    for i in range(8):
-        A[i] = B[i]
-    A[0] = 1
-    B[1] = A[2] + A[3]
+    B[1] = A[2] + A[3]
+    for k in range(8):
+        A[k] = B[k] + 1
+    A[0] = 2
     B[2] = 7
";
    assert_eq!(text, expected);
    let colored = run(&["diff", "--color", "always", &a, &b]).stdout;
    assert!(colored.contains("A[0] = \u{1b}[7;31m1\u{1b}[0m"), "{colored:?}");
}

#[test]
fn json_lists_the_edits_with_paths_and_text() {
    let (a, b) = (script("a.py", &kernel(BEFORE)), script("b.py", &kernel(AFTER)));
    let ran = run(&["diff", "--format", "json", &a, &b]);
    assert_eq!(ran.status, 1, "{}", ran.stderr);
    let json: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let edits = json["edits"].as_array().expect("a list");
    let find = |op: &str| edits.iter().filter(|edit| edit["op"] == op).collect::<Vec<_>>();
    let moved = find("move");
    assert_eq!(moved.len(), 1, "{edits:#?}");
    assert_eq!(moved[0]["a"], "<root>.body.seq[2]");
    assert_eq!(moved[0]["b"], "<root>.body.seq[0]");
    assert_eq!(moved[0]["text_b"], "B[1] = A[2] + A[3]");
    let renamed = find("rename");
    assert_eq!((renamed.len(), &renamed[0]["text_a"], &renamed[0]["text_b"]), (1, &"i".into(), &"k".into()));
    let changed: Vec<_> =
        find("change").iter().map(|edit| edit["text_b"].as_str().unwrap_or_default()).collect();
    assert_eq!(changed, ["B[k] + 1", "2"], "{edits:#?}");
    // The paths are those of `print --only`.
    for edit in edits {
        let path = edit["a"].as_str().expect("each part is in A");
        assert_eq!(run(&["print", "--underline", path, &a]).status, 0, "{path}");
    }
}

#[test]
fn the_exit_status_is_that_of_equal() {
    let a = script("a.py", &kernel(&["for i in range(8):", "    A[i] = B[i]"]));
    let b = script("b.py", &kernel(&["for k in range(8):", "    A[k] = B[k]"]));
    let ran = run(&["diff", &a, &b]);
    assert_eq!((ran.status, run(&["equal", &a, &b]).status), (0, 0), "{}", ran.stdout);
    assert!(
        ran.stdout.contains("-    for i in range(8):\n+    for k in range(8):\n         A[k] = B[k]\n"),
        "{}",
        ran.stdout
    );
    let ran = run(&["diff", "--ignore-names", &a, &b]);
    assert_eq!((ran.status, ran.stdout.as_str()), (0, ""));
    assert_eq!(run(&["diff", &a]).status, 0);
    assert_eq!(run(&["diff", &a, &b, &a]).status, 2);
    let json = run(&["diff", "--format", "json", &a, &a]);
    assert_eq!((json.status, json.stdout.as_str()), (0, "{\"edits\":[]}\n"));
    let wrong = file("wrong.py", "@T.prim_func\ndef f(:\n");
    assert_eq!(run(&["diff", &a, &wrong]).status, 1);
}

#[test]
fn scripts_of_a_file_are_matched_by_name() {
    let of = |names: [&str; 2], value: i32| {
        let of = |name: &str| format!("@T.prim_func\ndef {name}(A: T.Buffer(8)):\n    A[0] = {value}\n\n");
        format!("{}{}", of(names[0]), of(names[1]))
    };
    let (a, b) = (script("a.py", &of(["f", "g"], 1)), script("b.py", &of(["g", "f"], 1)));
    assert_eq!(run(&["diff", &a, &b]).status, 0);
    let c = script("c.py", &of(["f", "h"], 1));
    let ran = run(&["diff", "--format", "json", &a, &c]);
    let json: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let edits = json["edits"].as_array().expect("a list");
    assert_eq!(ran.status, 1);
    assert_eq!((edits.len(), &edits[0]["a"], &edits[1]["b"]), (2, &"<root>[1]".into(), &"<root>[1]".into()));
}

#[test]
fn other_formats_show_both_texts() {
    let (a, b) = (script("a.py", &kernel(BEFORE)), script("b.py", &kernel(AFTER)));
    let sides = run(&["diff", "--format", "side-by-side", "--columns", "120", &a, &b]).stdout;
    let line = sides.lines().find(|line| line.contains("A[0] = 1")).expect("a changed line");
    assert!(line.contains(" | ") || line.contains(" <"), "{sides}");
    assert!(sides.lines().all(|line| line.chars().count() <= 120), "{sides}");
    let html = run(&["diff", "--format", "html", &a, &b]).stdout;
    assert!(html.starts_with("<!DOCTYPE html>") && html.trim_end().ends_with("</html>"), "{html}");
    assert!(html.contains("A[0] = <mark class=\"change\">1</mark>"), "{html}");
    assert!(!html.contains("http"), "the page refers to nothing");
}

#[test]
fn p74_16_the_diff_of_the_rfc_example_is_its_shape() {
    let of = |name: &str, extent: u32| {
        let text = format!(
            "@T.prim_func(private=True)\ndef {name}(A: T.Buffer(({extent},), \"int32\")) -> None:\n    A[0] = 0\n"
        );
        script(&format!("{name}.py"), &text)
    };
    let ran = run(&["diff", &of("func_a", 1), &of("func_b", 8)]);
    let line = |sign: char, extent: u32| format!("{sign}def main(A: T.Buffer(({extent},), \"int32\")):\n");
    assert!(ran.stdout.contains(&format!("{}{}", line('-', 1), line('+', 8))), "{}", ran.stdout);
    let json = run(&["diff", "--format", "json", &of("func_a", 1), &of("func_b", 8)]);
    let json: serde_json::Value = serde_json::from_str(&json.stdout).expect("JSON");
    let edits = json["edits"].as_array().expect("a list");
    assert_eq!(edits.len(), 1, "{edits:#?}");
    assert_eq!(edits[0]["a"], "<root>.buffer_map[\"A_handle\"].shape[0].value");
}

/// Runs git in a folder; `None` without git.
fn git(folder: &Path, args: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .current_dir(folder)
        .args(["-c", "user.name=test", "-c", "user.email=test@example.org", "-c", "core.autocrlf=false"])
        .args(["-c", "commit.gpgsign=false", "-c", "core.pager=cat"])
        .args(args)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", folder.join("no-config"))
        .env("HOME", folder)
        .output();
    let output = match output {
        Ok(output) => output,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            eprintln!("skipped: git is not installed");
            return None;
        }
        Err(error) => panic!("git: {error}"),
    };
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {args:?}: {stderr}");
    Some(String::from_utf8(output.stdout).expect("text"))
}

#[test]
fn git_runs_it_as_a_driver_and_as_a_tool() {
    let folder = path("repository");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("a file");
    if git(&folder, &["init", "--quiet"]).is_none() {
        return;
    }
    let kernel = |lines: &[&str]| format!("{HEAD}{}", kernel(lines));
    write("kernel.py", &kernel(BEFORE));
    write("gone.py", &kernel(BEFORE));
    write("plain.py", "x = (1\n");
    git(&folder, &["add", "."]);
    git(&folder, &["commit", "--quiet", "-m", "before"]);
    write("kernel.py", &kernel(AFTER));
    write("new.py", &kernel(BEFORE));
    write("plain.py", "x = (2\n");
    std::fs::remove_file(folder.join("gone.py")).expect("the file is there");
    git(&folder, &["add", "."]);

    let command = format!("diff.external='{}' diff", env!("CARGO_BIN_EXE_tvmscript"));
    let shown = git(&folder, &["-c", &command, "diff", "--cached", "--ext-diff", "--no-renames"])
        .expect("git is there");
    for line in [
        "--- a/kernel.py",
        "+++ b/kernel.py",
        "-    A[0] = 1",
        "+    A[0] = 2",
        "--- a/gone.py",
        "+++ /dev/null",
        "--- /dev/null",
        "+++ b/new.py",
        "-x = (1",
        "+x = (2",
    ] {
        assert!(shown.lines().any(|found| found == line), "{line}\n{shown}");
    }

    // A driver for some files, as `.gitattributes` selects it.
    write(".gitattributes", "kernel.py diff=tvmscript\n");
    let driver = format!("diff.tvmscript.command='{}' diff --format json", env!("CARGO_BIN_EXE_tvmscript"));
    let shown = git(&folder, &["-c", &driver, "diff", "--cached", "kernel.py"]).expect("git is there");
    assert!(shown.starts_with("{\"edits\":[{"), "{shown}");

    git(&folder, &["commit", "--quiet", "-m", "after"]);
    let tool =
        format!("difftool.tvmscript.cmd='{}' diff \"$LOCAL\" \"$REMOTE\"", env!("CARGO_BIN_EXE_tvmscript"));
    let args =
        ["-c", &tool, "difftool", "--no-prompt", "--tool", "tvmscript", "HEAD~1", "HEAD", "--", "kernel.py"];
    let shown = git(&folder, &args).expect("git is there");
    assert!(shown.contains("-    A[0] = 1\n") && shown.contains("+    A[0] = 2\n"), "{shown}");
}

//! `check --fix` and the other forms of `check`.

use crate::common::{evaluate_json, file, path, run, run_with};

const MISSPELT: &str = "@T.prim_fun
def f(buffer: T.Buffer((8,), \"float32\")):
    for i in T.serail(8):
        bufer[i] = T.float32(1)
";

const FIXED: &str = "@T.prim_func
def f(buffer: T.Buffer((8,), \"float32\")):
    for i in T.serial(8):
        buffer[i] = T.float32(1)
";

#[test]
fn misspelt_names_are_fixed_until_none_is_left() {
    let file = file("k.py", MISSPELT);
    let ran = run(&["check", "--fix", &file]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert_eq!(std::fs::read_to_string(&file).expect("the file"), FIXED);
    assert!(ran.stderr.contains("applied 3 fixes"), "{}", ran.stderr);
    // Nothing is left to do.
    let again = run(&["check", "--fix", &file]);
    assert_eq!((again.status, again.stderr.as_str()), (0, ""));
}

#[test]
fn a_diff_changes_no_file() {
    let name = file("k.py", MISSPELT);
    for flag in ["--diff", "--dry-run"] {
        let ran = run(&["check", "--fix", flag, &name]);
        assert_eq!(std::fs::read_to_string(&name).expect("the file"), MISSPELT);
        assert!(ran.stdout.contains("\n-    for i in T.serail(8):\n"), "{}", ran.stdout);
        assert!(ran.stdout.contains("\n+    for i in T.serial(8):\n"), "{}", ran.stdout);
    }
    assert_eq!(run(&["check", "--diff", &name]).status, 2);
}

#[test]
fn missing_colons_keywords_and_arguments_are_fixed() {
    let text = "@T.prim_func
def f(A: T.Buffer((8,), \"float32\"))
    B = T.alloc_buffer((8,), dtpye=\"float32\")
    fro i in range(8):
        A[i] = B[i]
";
    let name = file("k.py", text);
    let ran = run(&["check", "--fix", &name]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let fixed = std::fs::read_to_string(&name).expect("the file");
    assert_eq!(fixed, text.replace("\"))\n", "\")):\n").replace("dtpye", "dtype").replace("fro", "for"));
}

#[test]
fn ambiguous_names_and_other_errors_stay() {
    let text = "@T.prim_func
def f(buffer1: T.Buffer((8,), \"float32\"), buffer2: T.Buffer((8,), \"float32\")):
    buffer3[0] = T.float32(1)
";
    let name = file("k.py", text);
    let ran = run(&["check", "--fix", &name]);
    assert_eq!(ran.status, 1);
    assert!(ran.stderr.contains("did you mean `buffer1`?"), "{}", ran.stderr);
    assert_eq!(std::fs::read_to_string(&name).expect("the file"), text);
    let json = run(&["check", "--format", "json", &name]).stdout;
    assert!(json.contains("\"applicability\":\"uncertain\""), "{json}");
}

#[test]
fn a_fix_that_leaves_as_many_errors_is_not_applied() {
    // The name that is meant cannot be used here.
    let text = "@T.prim_func\ndef f(buffer: T.Buffer((8,), \"float32\")):\n    T.evaluate(bufer)\n";
    let name = file("k.py", text);
    assert_eq!(run(&["check", "--fix", &name]).status, 1);
    assert_eq!(std::fs::read_to_string(&name).expect("the file"), text);
}

#[test]
fn a_fix_that_only_reveals_other_errors_is_not_applied() {
    let text = "@T.prim_fun\ndef f(A: T.Buffer((8,), \"float32\")):\n    nowhere[0] = 1\n    here[0] = 2\n";
    let name = file("k.py", text);
    assert_eq!(run(&["check", "--fix", &name]).status, 1);
    assert_eq!(std::fs::read_to_string(&name).expect("the file"), text);
}

#[test]
fn standard_input_is_fixed_to_standard_output() {
    let ran = run_with(&["check", "--fix", "-"], MISSPELT.as_bytes());
    assert_eq!((ran.status, ran.stdout.as_str()), (0, FIXED), "{}", ran.stderr);
}

#[cfg(unix)]
#[test]
fn permissions_are_kept_and_no_file_is_left_behind() {
    use std::os::unix::fs::PermissionsExt as _;
    let name = file("k.py", MISSPELT);
    std::fs::set_permissions(&name, std::fs::Permissions::from_mode(0o750)).expect("permissions");
    assert_eq!(run(&["check", "--fix", &name]).status, 0);
    assert_eq!(std::fs::metadata(&name).expect("the file").permissions().mode() & 0o777, 0o750);
    let folder = path("").read_dir().expect("the folder");
    assert_eq!(folder.count(), 1);
}

#[test]
fn mistakes_in_json_are_shown_in_the_printed_text() {
    let name = file("k.json", evaluate_json(1));
    let ran = run(&["check", &name]);
    assert_eq!(ran.status, 0, "a statement alone is not checked: {}", ran.stderr);
    let script = "@T.prim_func
def f(A: T.Buffer((8, 8), \"float32\")):
    for i, j in T.grid(8, 8):
        with T.block(\"b\"):
            vi = T.axis.spatial(8, i)
            T.reads()
            T.writes(A[vi, j])
            A[vi, j] = T.float32(1)
";
    let json = run(&["json", &file("k.py", script)]).stdout;
    let name = file("f.json", json);
    let ran = run(&["check", &name]);
    assert_eq!(ran.status, 1);
    assert!(ran.stderr.contains("[E0613] Error: loop variable `j` is used in block \"b\""), "{}", ran.stderr);
    assert!(ran.stderr.contains("f.json (printed):"), "{}", ran.stderr);
    assert!(ran.stderr.contains("A[vi, j] = T.float32(1.0)"), "{}", ran.stderr);
    let data = run(&["check", "--format", "json", &name]).stdout;
    assert!(data.contains("\"path\":\"<root>.body."), "{data}");
}

#[test]
fn sarif_logs_follow_the_schema() {
    let schema = include_str!("../sarif-2.1.0.schema.json");
    let schema: serde_json::Value = serde_json::from_str(schema).expect("JSON");
    let validator =
        jsonschema::draft7::options().should_validate_formats(true).build(&schema).expect("a schema");
    let loops = "@T.prim_func
def f(A: T.Buffer((8, 8), \"float32\")):
    for i, j in T.grid(8, 8):
        with T.block(\"ä\"):
            vi = T.axis.spatial(8, i)
            T.reads()
            T.writes(A[vi, j])
            A[vi, j] = T.float32(1)
";
    let source = file("ä k.py", loops);
    let json = file("f.json", run(&["json", &source]).stdout);
    let files = [
        file("misspelt.py", MISSPELT),
        file("right.py", FIXED),
        source,
        json,
        file(
            "needy.py",
            "def g(n):\n    @T.prim_func\n    def f(A: T.Buffer((n,), \"int8\")):\n        T.evaluate(0)\n",
        ),
        path("missing.py").to_str().expect("text").to_owned(),
        "-".to_owned(),
    ];
    let mut args = vec!["check", "--format", "sarif"];
    args.extend(files.iter().map(String::as_str));
    let ran = run(&args);
    let log: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let errors: Vec<String> =
        validator.iter_errors(&log).map(|e| format!("{}: {e}", e.instance_path())).collect();
    assert!(errors.is_empty(), "{}\n{}", errors.join("\n"), ran.stdout);
    let results = log["runs"][0]["results"].as_array().expect("results");
    for part in ["fixes", "relatedLocations"] {
        assert!(results.iter().any(|result| !result[part].is_null()), "no {part}");
    }
    assert!(results.iter().any(|result| result["level"] == "note"));
    assert!(
        ran.stdout.contains("logicalLocations") && ran.stdout.contains("%C3%A4%20k.py"),
        "{}",
        ran.stdout
    );
    // The schema is not vacuous.
    let mut wrong = log.clone();
    wrong["runs"][0]["results"][0]["level"] = "fatal".into();
    assert!(!validator.is_valid(&wrong));
}

#[test]
fn sarif_logs_of_all_files_are_one_document() {
    let wrong = file("k.py", MISSPELT);
    let right = file("right.py", FIXED);
    let ran = run(&["check", "--format", "sarif", &wrong, &right]);
    assert_eq!(ran.status, 1);
    let log: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let run = &log["runs"][0];
    let result = &run["results"][0];
    assert_eq!((log["version"].as_str(), result["level"].as_str()), (Some("2.1.0"), Some("error")));
    let rule = &run["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().expect("an index") as usize];
    assert_eq!(rule["id"], result["ruleId"]);
    assert!(rule["helpUri"].as_str().is_some_and(|uri| uri.contains("docs/error-codes.md#e0")), "{rule}");
    assert!(!result["fixes"][0]["artifactChanges"][0]["replacements"].is_null(), "{result}");
}

//! Constants that text leaves out, and the files that contain them.

use crate::common::{file, path, run};

const SCRIPT: &str = "\
# from tvm.script import relax as R

@R.function
def f(x: R.Tensor((2, 3), dtype=\"float32\")) -> R.Tensor((2, 3), dtype=\"float32\"):
    y: R.Tensor((2, 3), dtype=\"float32\") = R.add(x, R.const([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], \"float32\"))
    return y
";

#[test]
fn constants_are_left_out_and_found_again() {
    let whole = file("whole.py", SCRIPT);
    let beside = path("constants.json");
    let beside = beside.to_str().expect("an ASCII path");
    let short = run(&["print", "--elide-constants", "5", "--constants-out", beside, &whole]);
    assert_eq!(short.status, 0, "{}", short.stderr);
    assert!(short.stdout.contains("R.elided_const("), "{}", short.stdout);
    let text = file("short.py", &short.stdout);
    // Without the constants, the text is the same and equals the whole program.
    let alone = run(&["print", &text]);
    assert_eq!((alone.status, alone.stdout.as_str()), (0, short.stdout.as_str()), "{}", alone.stderr);
    for command in ["check", "roundtrip"] {
        let ran = run(&[command, &text]);
        assert_eq!(ran.status, 0, "{command}: {}{}", ran.stdout, ran.stderr);
    }
    assert_eq!(run(&["equal", &text, &whole]).status, 0);
    assert_eq!(run(&["hash", &text]).stdout, run(&["hash", &whole]).stdout);
    // Operations that need the elements fail with help.
    for args in [
        &["json", "--tvm", &text][..],
        &["print", "--elide-constants", "5", "--constants-out", "x.json", &text],
    ] {
        let ran = run(args);
        assert_eq!(ran.status, 1, "{args:?}");
        assert!(ran.stderr.contains("--constants FILE"), "{}", ran.stderr);
    }
    let again = run(&["print", "--constants", beside, &text]);
    assert_eq!((again.status, again.stdout.as_str()), (0, SCRIPT), "{}", again.stderr);
    let equal = run(&["equal", "--constants", beside, &text, &whole]);
    assert_eq!(equal.status, 0, "{}", equal.stderr);
    let round = run(&["roundtrip", "--elide-constants", "5", &whole]);
    assert_eq!(round.status, 0, "{}", round.stdout);
    // The same limit yields the same short text.
    let twice = run(&["print", "--constants", beside, "--elide-constants", "5", &text]);
    assert_eq!(twice.stdout, short.stdout, "{}", twice.stderr);
}

#[test]
fn a_file_of_something_else_is_no_file_of_constants() {
    let whole = file("whole.py", SCRIPT);
    for (name, text) in [("list.json", "[]"), ("text.json", "constants")] {
        let ran = run(&["print", "--constants", &file(name, text), &whole]);
        assert_eq!(ran.status, 1, "{}", ran.stdout);
        assert!(ran.stderr.contains(name), "{}", ran.stderr);
    }
    let ran = run(&["print", "--constants", "nowhere.json", &whole]);
    assert!(ran.status == 2 && ran.stderr.contains("nowhere.json"), "{}", ran.stderr);
    let ran = run(&["print", "--constants-out", "x.json", &whole]);
    assert_eq!(ran.status, 2, "{}", ran.stderr);
}

#[test]
fn constants_are_found_in_texts_of_every_release_with_relax() {
    let whole = file("whole.py", SCRIPT);
    let beside = path("constants.json");
    let beside = beside.to_str().expect("an ASCII path");
    let short = run(&["print", "--elide-constants", "5", "--constants-out", beside, &whole]);
    assert_eq!(short.status, 0, "{}", short.stderr);
    let text = file("short.py", &short.stdout);
    for release in ["tvm-0.23", "tilelang-0.25", "tvm-0.27"] {
        let found = run(&["print", "--profile", release, "--constants", beside, &text]);
        assert_eq!(found.status, 0, "{release}: {}", found.stderr);
        assert!(
            found.stdout.contains("[4.0, 5.0, 6.0]") && !found.stdout.contains("elided"),
            "{}",
            found.stdout
        );
    }
}

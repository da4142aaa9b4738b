//! Spans and comments in printed text.

use crate::common::{file, run};

const TEXT: &str = "\
# about f
@T.prim_func
def f(A: T.Buffer((4,), \"float32\")):
    for i in range(4):  # loop
        A[i] = A[i] + T.float32(1.0)
";

#[test]
fn p92_10_show_spans_writes_markers_that_read_back() {
    let input = file("kernel.py", TEXT);
    let first = run(&["print", "--show-spans", &input]);
    assert_eq!((first.status, first.stderr.as_str()), (0, ""));
    assert!(first.stdout.contains("kernel.py:5:9\n") && !first.stdout.contains("# loop"), "{}", first.stdout);
    let shown = file("shown.py", &first.stdout);
    assert_eq!(run(&["print", "--show-spans", &shown]).stdout, first.stdout);
    assert_eq!(run(&["print", &shown]).stdout, run(&["print", &input]).stdout);
    assert_eq!(run(&["equal", &shown, &input]).status, 0);
    // Native JSON keeps spans; their text is not at hand afterwards.
    let json = file("kernel.json", run(&["json", &input]).stdout);
    assert!(run(&["from-json", "--show-spans", &json]).stdout.contains("kernel.py["));
    let json = file("tvm.json", run(&["json", "--tvm", "--spans", &input]).stdout);
    assert!(run(&["from-json", "--show-spans", &json]).stdout.contains("kernel.py:5:9-5:37\n"));
}

#[test]
fn keep_comments_prints_comments_again() {
    let input = file("kernel.py", TEXT);
    let first = run(&["print", "--keep-comments", &input]);
    assert!(first.stdout.contains("# about f\n@T.prim_func\n"), "{}", first.stdout);
    assert!(first.stdout.contains("for i in range(4):  # loop\n"), "{}", first.stdout);
    let kept = file("kept.py", &first.stdout);
    assert_eq!(run(&["print", "--keep-comments", &kept]).stdout, first.stdout);
    let both = run(&["print", "--keep-comments", "--show-spans", &input]).stdout;
    assert!(both.contains("for i in range(4):  # loop  # @"), "{both}");
}

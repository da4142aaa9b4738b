//! Parts of scripts, printed on their own and parsed again.

use crate::common::{file, run, run_with};

const MODULE: &str = r#"
@I.ir_module
class Module:
    @T.prim_func
    def fill(A: T.Buffer((16,), "float32"), n: T.int32):
        for i in range(16):
            A[i] = T.Cast("float32", i + n)

    @R.function
    def main(x: R.Tensor((16,), "float32")):
        cls = Module
        with R.dataflow():
            y = R.add(x, x)
            z = R.call_tir(cls.fill, (y,), out_sinfo=R.Tensor((16,), "float32"))
            R.output(z)
        return z
"#;

/// The printed part at a path.
fn only(path: &str) -> String {
    let ran = run_with(&["print", "--only", path, "-"], MODULE.as_bytes());
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""), "{path}");
    ran.stdout
}

#[test]
fn a_part_prints_alone_and_reads_back() {
    let store = only("functions[\"fill\"].body.body.value");
    assert_eq!(store, "i = T.int32()\nn = T.int32()\nT.Cast(\"float32\", i + n)\n");
    let again = run_with(&["print", "--fragment", "tir", "-"], store.as_bytes());
    assert_eq!((again.status, again.stdout.as_str()), (0, store.as_str()), "{}", again.stderr);
    let call = only("functions[\"main\"].body.blocks[0].bindings[1]");
    assert!(call.starts_with("fill = I.GlobalVar(\"fill\", R.Callable("), "{call}");
    assert!(call.contains("y: R.DataflowVar(R.Tensor((16,), dtype=\"float32\"))\n"), "{call}");
    let again = run_with(&["print", "--fragment", "relax", "-"], call.as_bytes());
    assert_eq!((again.status, again.stdout.as_str()), (0, call.as_str()), "{}", again.stderr);
}

#[test]
fn commands_read_fragments() {
    let loops = file("loop.py", only("functions[\"fill\"].body"));
    let renamed =
        file("renamed.py", only("functions[\"fill\"].body").replace("n = ", "m = ").replace("+ n", "+ m"));
    assert_eq!(run(&["check", &loops]).status, 1);
    for command in ["check", "roundtrip"] {
        let ran = run(&[command, "--fragment", "tir", &loops]);
        assert_eq!(ran.status, 0, "{command}: {}{}", ran.stdout, ran.stderr);
    }
    let ran = run(&["equal", "--fragment", "tir", &loops, &renamed]);
    assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
    let hashes = [&loops, &renamed].map(|file| run(&["hash", "--fragment", "tir", file]).stdout);
    assert_eq!(hashes[0], hashes[1]);
    let json = run(&["json", "--fragment", "tir", &loops]);
    assert_eq!(json.status, 0, "{}", json.stderr);
    assert!(json.stdout.contains("tir.For"), "{}", json.stdout);
}

#[test]
fn dialects_and_parts_that_are_not_there_are_said() {
    let ran = run(&["check", "--fragment", "ir", "-"]);
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("tir") && ran.stderr.contains("relax"), "{}", ran.stderr);
    let ran = run_with(&["print", "--only", "functions[\"fill\"].body.kind", "-"], MODULE.as_bytes());
    assert_eq!(ran.status, 1);
    assert!(ran.stderr.contains("cannot be printed on its own"), "{}", ran.stderr);
}

#[test]
fn a_fragment_with_a_mistake_tells_of_that_alone() {
    for dialect in ["tir", "relax"] {
        let ran = run_with(&["check", "--fragment", dialect, "-"], b"T.evaluate(y\n");
        assert_eq!(ran.status, 1);
        assert!(ran.stderr.contains("`(` is never closed"), "{}", ran.stderr);
        assert_eq!(ran.stderr.matches("Error:").count(), 1, "{}", ran.stderr);
    }
}

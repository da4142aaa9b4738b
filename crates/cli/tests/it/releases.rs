//! The release of a text on the command line, and upgrades between all releases.

use serde_json::Value;

use crate::common::{file, run};

const BODY: &str = r#"
@T.prim_func
def scale(A: T.Buffer((8,), "float32")):
    for i in range(8):
        A[i] = A[i] * T.float32(2.0)
"#;

/// The release that `check` tells, and the reason.
fn release(text: &str) -> (String, String) {
    let ran = run(&["check", "--format", "json", &file("a.py", text)]);
    let line: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(line["ok"], Value::Bool(true), "{text}\n{}", ran.stdout);
    let part = |name: &str| line["profile"][name].as_str().unwrap_or_default().to_owned();
    (part("id"), part("reason"))
}

#[test]
fn imports_of_every_form_tell_the_release() {
    let imports = [
        "from tvm.script import NAME as T",
        "from tvm.script import ir as I, relax as R, NAME as T",
        "from tvm.script import (\n    ir as I,\n    NAME as T,\n)",
        "from tvm.script.parser import NAME as T",
        "from tvm.script.ir_builder import NAME as T",
        "import tvm.script.NAME as T",
        "import tvm\n\nT = tvm.script.NAME",
        "import tvm.script\n\nT = tvm.script.NAME",
        "from tvm import script\n\nT = script.NAME",
        "import tvm as t\n\nT = t.script.NAME",
        "try:\n    from tvm.script import NAME as T\nexcept ImportError:\n    raise",
    ];
    for import in imports {
        for (name, expected) in [("tir", "tvm-0.23"), ("tirx", "tvm-0.27")] {
            let (id, reason) = release(&format!("{}\n{BODY}", import.replace("NAME", name)));
            assert_eq!(id, expected, "{import}: {reason}");
        }
    }
    for import in ["from tvm.tirx import script as T", "import tvm.tirx.script as T"] {
        assert_eq!(release(&format!("{import}\n{BODY}")).0, "tvm-0.27", "{import}");
    }
}

#[test]
fn comments_and_strings_tell_nothing() {
    let later = "from tvm.script import tirx as T; @T.prim_func(s_tir=True); out_ty=; T.let; TypeVar(\"n\")";
    for text in [
        format!("# {later}\n# from tvm.script import tirx as T\nfrom tvm.script import tir as T\n{BODY}"),
        format!("\"\"\"{}\"\"\"\nfrom tvm.script import tir as T\n{BODY}", later.replace('"', "'")),
        format!("from tvm.script import tir as T\nNOTE = '{later}'\n{BODY}"),
        format!("from tvm.script import tir as T\n{BODY}    # {later}\n"),
    ] {
        assert_eq!(release(&text).0, "tvm-0.23", "{text}");
    }
    let (id, reason) = release(&format!("from tvm.script import tir as T\n{BODY}"));
    assert_eq!((id.as_str(), reason.as_str()), ("tvm-0.23", "the text imports `tir` from `tvm.script`"));
}

const BLOCK: &str = r#"
    A = T.match_buffer(a, (16,), "float32")
    B = T.match_buffer(b, (16,), "float32")
    for i in range(16):
        with T.sblock("scale"):
            v = T.axis.spatial(16, i)
            B[v] = A[v] * T.float32(2)
"#;

#[test]
fn forms_tell_releases_with_the_same_imports() {
    let import = "from tvm.script import ir as I, relax as R, tirx as T\n";
    let plain = format!("{import}\n@T.prim_func\ndef scale(a: T.handle, b: T.handle):{BLOCK}");
    let flagged = plain.replace("@T.prim_func", "@T.prim_func(s_tir=True)");
    assert_eq!(
        release(&plain),
        ("tvm-0.24".to_owned(), "the text has `T.sblock without s_tir=True`".to_owned())
    );
    assert_eq!(release(&flagged).0, "tvm-0.27");
    let relax = |keyword: &str| {
        format!(
            "{import}\n@R.function(pure=False)\ndef main(x: R.Tensor((4,), \"float32\")):\n    \
             z = R.call_packed(\"f\", x, {keyword}=(R.Tensor,))\n    return z\n"
        )
    };
    assert_eq!(release(&relax("ty_args")).0, "tvm-0.27");
    assert_eq!(release(&relax("sinfo_args")).1, "the text has `sinfo_args=`");
    let header = "# from tvm.script import tirx as T\n# from tvm.tirx.layout import Axis\n";
    let bits = "\n@T.prim_func(private=True)\ndef f(x: T.int32):\n    T.evaluate(T.bitwise_and(x, 3))\n";
    assert_eq!(release(&format!("{header}{bits}")).0, "tvm-0.26");
    let matched = flagged.replace(import, header);
    assert_eq!(release(&matched).0, "tvm-0.25");
    let kernel = "\n@T.prim_func\ndef f(x: T.int32):\n    with T.block(\"root\"):\n        T.evaluate(T.shfl_sync(T.uint32(1), x, 0, 32))\n";
    assert_eq!(release(&format!("# from tvm.script import tirx as T\n{kernel}")).0, "tilelang-0.25");
}

#[test]
fn of_releases_with_all_forms_of_a_text_the_first_one_is_taken() {
    for form in ["R.Object", "R.Prim(value=4)", "R.Tensor((\"n\",), \"float32\")"] {
        let function = format!("@R.function\ndef f(x: {form}) -> {form}:\n    return x\n");
        for import in ["from tvm.script import relax as R\n\n", "# from tvm.script import relax as R\n\n"] {
            assert_eq!(release(&format!("{import}{function}")).0, "tvm-0.23", "{import}{function}");
        }
    }
}

#[test]
fn the_flag_of_a_module_is_read_where_a_release_has_it() {
    let text = |name: &str, flag: &str| {
        format!(
            "from tvm.script import ir as I, {name} as T\n\n@I.ir_module({flag}=True)\nclass Module:\n    \
             @T.prim_func\n    def main(A: T.Buffer((8,), \"float32\")):\n        A[0] = T.float32(0)\n"
        )
    };
    release(&text("tirx", "s_tir"));
    for (name, flag) in [("tir", "s_tir"), ("tirx", "nosuch")] {
        let ran = run(&["check", &file("a.py", text(name, flag))]);
        assert_eq!(ran.status, 1, "{name} {flag}");
        assert!(ran.stderr.contains(flag), "{}", ran.stderr);
    }
}

const RELEASES: [&str; 5] = ["tvm-0.23", "tvm-0.24", "tvm-0.25", "tvm-0.26", "tvm-0.27"];

#[test]
fn a_program_upgrades_from_each_release_to_each() {
    let first = r#"# from tvm.script import tir as T

@T.prim_func
def scale(a: T.handle, b: T.handle, n: T.int32):
    T.func_attr({"tir.noalias": True})
    m = T.int32()
    A = T.match_buffer(a, (m, n))
    B = T.match_buffer(b, (m, n), "float16")
    # with T.block("root"):
    for i, j in T.grid(m, n):
        with T.block("scale"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.where(T.bitwise_and(i, 1) < n)
            T.reads(A[vi, vj])
            T.writes(B[vi, vj])
            B[vi, vj] = T.Cast("float16", T.exp(A[vi, vj]))
"#;
    let upgrade = |text: &str, to: &str| {
        let ran = run(&["upgrade", "--to", to, &file("a.py", text)]);
        assert_eq!(ran.status, 0, "to {to}: {}\n{text}", ran.stderr);
        ran.stdout
    };
    let texts: Vec<String> = RELEASES.iter().map(|to| upgrade(first, to)).collect();
    for (from, text) in RELEASES.iter().zip(&texts) {
        assert_eq!(release(text).0, *from, "{text}");
        assert_eq!(upgrade(text, from), *text);
        for (to, expected) in RELEASES.iter().zip(&texts) {
            let (one, other) = (file("one.py", upgrade(text, to)), file("other.py", expected));
            let equal = run(&["equal", &one, &other]);
            assert_eq!(equal.status, 0, "from {from} to {to}: {}", equal.stderr);
            let across = run(&["equal", &file("one.py", text), &other]);
            assert_eq!(across.status, 0, "{from}, {to}: {}{}", across.stdout, across.stderr);
        }
    }
    assert!(texts[1].contains("with T.sblock(\"scale\"):"), "{}", texts[1]);
    assert!(texts[2].contains("@T.prim_func(s_tir=True)\ndef scale(a: T.handle"), "{}", texts[2]);
    assert!(texts[3].contains("def scale(A: T.Buffer((\"m\", \"n\"), \"float32\")"), "{}", texts[3]);
}

#[test]
fn a_version_alone_names_a_release() {
    let ran = run(&[
        "upgrade",
        "--to",
        "0.27",
        &file("a.py", format!("# from tvm.script import tir as T\n{BODY}")),
    ]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("tirx as T"), "{}", ran.stdout);
}

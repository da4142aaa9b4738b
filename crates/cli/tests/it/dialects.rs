//! `--dialect` and `dialect`: dialects that are described in files.

use crate::common::{Ran, folder, run};

const TOY: &str = include_str!("../../../../tests/dialects/toy.toml");
const TEMPLATES: &str = include_str!("../../../../tests/dialects/toy.py");

const SCRIPT: &str = r#"# from tvm.script import tir as T
# from tvm.script import toy as Toy

@T.prim_func
def main(A: T.Buffer((4,), "int32"), n: T.int32):
    for i in range(4):
        with Toy.region("inner"):
            A[i] = Toy.clamp(A[i] + n, 0, 7) * 2
"#;

/// Runs the command in a folder with the toy dialect and a script, whose names in the arguments are `TOY` and `SCRIPT`.
fn ran(script: &str, args: &[&str]) -> Ran {
    let root = folder(&[("toy.toml", TOY), ("toy.py", TEMPLATES), ("kernel.py", script)]);
    let path = |name: &str| root.join(name).to_str().expect("an ASCII path").to_owned();
    let args: Vec<String> = args
        .iter()
        .map(|arg| arg.replace("TOY", &path("toy.toml")).replace("SCRIPT", &path("kernel.py")))
        .collect();
    run(&args.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn every_command_reads_the_dialect() {
    let printed = ran(SCRIPT, &["--dialect", "TOY", "print", "SCRIPT"]);
    assert_eq!((printed.status, printed.stdout.as_str(), printed.stderr.as_str()), (0, SCRIPT, ""));
    let prefix = ran(SCRIPT, &["--dialect=TOY", "print", "--toy-prefix", "X", "SCRIPT"]);
    assert!(prefix.stdout.contains("X.clamp(A[i] + n, 0, 7)"), "{}", prefix.stderr);
    for args in [
        &["--dialect", "TOY", "check", "SCRIPT"][..],
        &["--dialect", "TOY", "roundtrip", "SCRIPT"],
        &["--dialect", "TOY", "equal", "SCRIPT", "SCRIPT"],
        &["--dialect", "TOY", "diff", "SCRIPT", "SCRIPT"],
        &["--dialect", "TOY", "hash", "SCRIPT"],
        &["--dialect", "TOY", "json", "--tvm", "SCRIPT"],
        &["--dialect", "TOY", "dump", "SCRIPT"],
        &["--dialect", "TOY", "emit", "--target", "doc-json", "SCRIPT"],
        &["--dialect", "TOY", "explain", "SCRIPT"],
        &["--dialect", "TOY", "run", "SCRIPT"],
        &["--dialect", "TOY", "opt", "--passes", "toy.Lower,tir.Simplify", "SCRIPT"],
    ] {
        let ran = ran(SCRIPT, args);
        assert_eq!(ran.status, 0, "{args:?}: {}", ran.stderr);
    }
    let without = ran(SCRIPT, &["check", "SCRIPT"]);
    assert!(without.status == 1 && without.stderr.contains("`Toy`"), "{}", without.stderr);
}

#[test]
fn mistakes_point_at_the_description_or_the_script() {
    let wrong = ran(&SCRIPT.replace("0, 7", "7, 0"), &["--dialect", "TOY", "check", "SCRIPT"]);
    assert!(wrong.stderr.contains("the bounds 7 and 0 are the wrong way round"), "{}", wrong.stderr);
    assert!(wrong.status == 1 && wrong.stderr.contains("kernel.py:8:40"), "{}", wrong.stderr);
    let root = folder(&[("toy.toml", "[dialect]\nname = \"toy\"\nprefix = \"T\"\n")]);
    let file = root.join("toy.toml");
    let file = file.to_str().expect("an ASCII path");
    for args in [&["--dialect", file, "check", "-"][..], &["dialect", "check", file]] {
        let ran = run(args);
        assert!(ran.status == 1 && ran.stderr.contains("toy.toml:3:10"), "{}", ran.stderr);
        assert!(
            ran.stderr.contains("[E1208] Error: the prefix `T` is taken by the dialect `tir`"),
            "{}",
            ran.stderr
        );
    }
    let missing = run(&["--dialect", "no/such.toml", "check", "-"]);
    assert!(missing.status == 2 && missing.stderr.contains("no/such.toml"), "{}", missing.stderr);
}

#[test]
fn descriptions_are_checked_and_documented() {
    let checked = ran(SCRIPT, &["dialect", "check", "TOY"]);
    assert!(
        checked.stdout.contains("the dialect `toy` 1.0, prefix `Toy`: 4 nodes, 4 functions"),
        "{}",
        checked.stderr
    );
    let page = ran(SCRIPT, &["dialect", "doc", "TOY"]).stdout;
    assert!(page.starts_with("# The dialect `toy`\n"), "{page}");
    assert!(
        page.contains("- `Toy.clamp(value: Any, low: int, high: int) -> Clamp`: Clamps a value"),
        "{page}"
    );
    assert!(page.contains("| `toy.Trace` | `tir.Stmt` | `label`, `value` |"), "{page}");
    let root = folder(&[("toy.toml", TOY), ("toy.py", TEMPLATES)]);
    let path = |name: &str| root.join(name).to_str().expect("an ASCII path").to_owned();
    let ran = run(&["dialect", "stubs", &path("toy.toml"), &path("typings")]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let stub = std::fs::read_to_string(root.join("typings/tvm/script/toy/__init__.pyi")).expect("a stub");
    assert!(stub.contains("def clamp(") && stub.contains("_toy_nodes.Clamp"), "{stub}");
}

#[test]
fn scripts_of_earlier_editions_are_upgraded() {
    let description = "[dialect]\nname = \"log\"\nprefix = \"Log\"\nedition = \"1.1\"\nstatements = \"tir.Stmt\"\n\
                       [statement.write]\nuntil = \"1.1\"\ninstead = \"message\"\nfields = { text = \"str\" }\n\
                       assembly = \"Log.write({text})\"\n[statement.message]\nsince = \"1.1\"\n\
                       fields = { text = \"str\" }\nassembly = \"Log.message({text})\"\n";
    let script = "@T.prim_func\ndef main():\n    Log.write(\"a\")\n";
    let root = folder(&[("log.toml", description), ("old.py", script)]);
    let path = |name: &str| root.join(name).to_str().expect("an ASCII path").to_owned();
    let (toml, old) = (path("log.toml"), path("old.py"));
    let newest = run(&["--dialect", &toml, "check", &old]);
    assert!(
        newest.status == 1 && newest.stderr.contains("`Log.message` in place of it"),
        "{}",
        newest.stderr
    );
    let earlier = run(&["--dialect", &format!("{toml}@1.0"), "check", &old]);
    assert_eq!(earlier.status, 0, "{}", earlier.stderr);
    let upgraded = run(&["dialect", "upgrade", &toml, &old]);
    assert!(upgraded.stdout.ends_with("    Log.message(\"a\")\n"), "{}{}", upgraded.stdout, upgraded.stderr);
}

#[test]
fn a_description_is_written_from_irdl() {
    let irdl = "irdl.dialect @unit {\n  irdl.operation @scale {\n    %0 = irdl.is f32\n    irdl.operands(x: %0)\n    \
                irdl.results(y: %0)\n  }\n}\n";
    let root = folder(&[("unit.irdl", irdl), ("wrong.irdl", &irdl.replace("irdl.is f32", "irdl.c_pred"))]);
    let path = |name: &str| root.join(name).to_str().expect("an ASCII path").to_owned();
    let written = run(&["dialect", "from-irdl", &path("unit.irdl"), "-o", &path("unit.toml")]);
    assert_eq!(written.status, 0, "{}", written.stderr);
    let checked = run(&["dialect", "check", &path("unit.toml")]);
    assert!(checked.stdout.contains("the dialect `unit` 1.0, prefix `Unit`"), "{}", checked.stderr);
    let wrong = run(&["dialect", "from-irdl", &path("wrong.irdl")]);
    assert!(wrong.status == 1 && wrong.stderr.contains("line 3: "), "{}", wrong.stderr);
}

/// The folder of the dialects of other projects.
fn described(name: &str) -> String {
    format!("{}/../../tests/dialects/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn dialects_of_other_projects_are_data_alone() {
    let root = folder(&[]);
    for (dialect, program, other, part) in [
        ("pypto", "softmax", "layer_norm", "- `pl.tile.load(tensor: "),
        (
            "relax_vm",
            "recursion",
            "nested_fn",
            "- `ib.emit_call(name: str, *, args: Sequence[Argument], dst: ",
        ),
    ] {
        let toml = described(&format!("{dialect}.toml"));
        let file = described(&format!("{dialect}/{program}.py"));
        let other = described(&format!("{dialect}/{other}.py"));
        let text = std::fs::read_to_string(&file).expect("a program");
        let command = |args: &[&str]| run(&[&["--dialect", &toml][..], args].concat());
        let printed = command(&["print", &file]);
        assert_eq!(
            (printed.status, printed.stdout.as_str(), printed.stderr.as_str()),
            (0, text.as_str(), "")
        );
        for args in [
            &["check", &file][..],
            &["roundtrip", &file],
            &["hash", &file],
            &["dump", &file],
            &["equal", &file, &file],
        ] {
            let ran = command(args);
            assert_eq!(ran.status, 0, "{args:?}: {}", ran.stderr);
        }
        for args in [&["equal", &file, &other][..], &["diff", &file, &other]] {
            let ran = command(args);
            assert_eq!(ran.status, 1, "{args:?}: {}", ran.stderr);
        }
        for form in [&["json", &file][..], &["json", "--tvm", &file]] {
            let json = root.join("program.json");
            let ran = command(form);
            assert_eq!(ran.status, 0, "{form:?}: {}", ran.stderr);
            std::fs::write(&json, &ran.stdout).expect("writes");
            let printed = command(&["print", json.to_str().expect("an ASCII path")]);
            assert_eq!((printed.stdout.as_str(), printed.stderr.as_str()), (text.as_str(), ""), "{form:?}");
        }
        let checked = run(&["dialect", "check", &toml]);
        assert!(checked.status == 0 && checked.stdout.contains(dialect), "{}", checked.stderr);
        let page = run(&["dialect", "doc", &toml]).stdout;
        assert!(page.contains(part), "{page}");
        let typings = root.join(dialect);
        let stubs = run(&["dialect", "stubs", &toml, typings.to_str().expect("an ASCII path")]);
        assert_eq!(stubs.status, 0, "{}", stubs.stderr);
    }
}

#[test]
fn programs_name_the_dialects_that_they_need() {
    let python = ran(SCRIPT, &["--dialect", "TOY", "emit", "--target", "python-builder", "SCRIPT"]);
    assert_eq!(python.status, 0, "{}", python.stderr);
    assert!(
        python.stdout.starts_with("# Needs the dialect `toy`, which a file describes.\n"),
        "{}",
        python.stdout
    );
    assert!(python.stdout.contains("with Toy.region(\"inner\"):"), "{}", python.stdout);
    let root = folder(&[("toy.toml", TOY), ("toy.py", TEMPLATES), ("build.py", &python.stdout)]);
    let path = |name: &str| root.join(name).to_str().expect("an ASCII path").to_owned();
    let built = run(&["--dialect", &path("toy.toml"), "print", "--call", "build()", &path("build.py")]);
    let printed = ran(SCRIPT, &["--dialect", "TOY", "print", "SCRIPT"]);
    assert_eq!(built.stdout, printed.stdout, "{}", built.stderr);
    let rust =
        ran(SCRIPT, &["--dialect", "TOY", "emit", "--target", "rust-builder", "--main", "SCRIPT"]).stdout;
    assert!(
        rust.contains("pub fn build(registry: &'static Registry)") && !rust.contains("\"toy\""),
        "{rust}"
    );
    let cpp =
        ran(SCRIPT, &["--dialect", "TOY", "emit", "--target", "cpp-builder", "--main", "SCRIPT"]).stdout;
    assert!(cpp.contains("tvmscript::Object build(tvmscript_registry registry) {"), "{cpp}");
}

#[test]
fn passes_remove_operators_that_are_pure_alone() {
    let script =
        "@T.prim_func\ndef main(n: T.int32):\n    T.evaluate(Fx.count(n))\n    T.evaluate(Fx.count(n) + 1)\n";
    for (traits, kept) in [("traits = [\"pure\"]\n", 0), ("", 2)] {
        let description = format!(
            "[dialect]\nname = \"fx\"\nprefix = \"Fx\"\nexpressions = \"ir.PrimExpr\"\n[op.count]\n{traits}\
             parameters = {{ x = \"expr\" }}\nresult = \"int32\"\n"
        );
        let root = folder(&[("fx.toml", &description), ("kernel.py", script)]);
        let path = |name: &str| root.join(name).to_str().expect("an ASCII path").to_owned();
        let ran =
            run(&["--dialect", &path("fx.toml"), "opt", "--passes", "tir.RemoveNoOp", &path("kernel.py")]);
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        assert_eq!(ran.stdout.matches("Fx.count(n)").count(), kept, "{}", ran.stdout);
    }
}

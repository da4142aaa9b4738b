//! Keys of programs: what counts, recorded keys, and the table of types in their specification.

use std::fmt::Write as _;

use tvmscript::ir::program_key::ProgramKey;
use tvmscript::ir_core::type_table::{FieldInfo, FieldKind, Shape};
use tvmscript::ir_core::{EqKind, TypeInfo};
use tvmscript::releases::{TVM_0_23, program_key, tvm_0_27};
use tvmscript::{
    Object, ParseOptions, PrinterConfig, Release, load_json, parse, print, registry, to_json_of,
    to_tvm_json_of,
};

/// Records keys of new programs, and the table of types, instead of comparing.
const BLESS: &str = "TVMSCRIPT_BLESS";

const ALL: ProgramKey = ProgramKey { skip_attributes: false };
const WITHOUT_ATTRIBUTES: ProgramKey = ProgramKey { skip_attributes: true };

/// A script and its release.
fn read(text: &str) -> (Object, &'static Release) {
    let parsed = parse("text.py", text, registry(), &ParseOptions::default());
    let errors: Vec<String> = parsed.errors.iter().map(ToString::to_string).collect();
    assert!(errors.is_empty(), "{errors:?} in {text}");
    (parsed.scripts[0].node.clone(), parsed.release)
}

fn key_with(text: &str, options: ProgramKey) -> String {
    let (program, release) = read(text);
    program_key(&program, release, registry(), options).expect("the program is upgraded").to_string()
}

fn key(text: &str) -> String {
    key_with(text, ALL)
}

const COPY: &str = r#"from tvm.script import tir as T
@T.prim_func
def copy(a: T.handle, b: T.handle):
    T.func_attr({"tir.noalias": T.bool(True)})
    n = T.int32()
    A = T.match_buffer(a, (n,), "float32")
    B = T.match_buffer(b, (n,), "float32")
    for i in range(n):
        with T.block("B"):
            vi = T.axis.spatial(n, i)
            B[vi] = A[vi] + T.float32(1)
"#;

const MODULE: &str = r#"from tvm.script import ir as I, tir as T, relax as R
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def add(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
        for i in range(16):
            with T.block("B"):
                vi = T.axis.spatial(16, i)
                B[vi] = A[vi] + T.float32(1)
    @T.prim_func(private=True)
    def mul(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
        for i in range(16):
            with T.block("B"):
                vi = T.axis.spatial(16, i)
                B[vi] = A[vi] * T.float32(2)
    @R.function
    def main(x: R.Tensor((16,), "float32")) -> R.Tensor((16,), "float32"):
        cls = Module
        with R.dataflow():
            y = R.call_tir(cls.add, (x,), out_sinfo=R.Tensor((16,), "float32"))
            z = R.call_tir(cls.mul, (y,), out_sinfo=R.Tensor((16,), "float32"))
            R.output(z)
        return z
"#;

#[test]
fn names_and_layout_do_not_count() {
    let renamed = COPY
        .replace("copy", "other")
        .replace("\"B\"", "\"block\"")
        .replace("vi", "index")
        .replace('A', "Input")
        .replace("def other(a:", "def other(first:")
        .replace("(a,", "(first,");
    assert_eq!(key(COPY), key(&renamed));
    assert_eq!(key(COPY), key(&COPY.replace("    for i", "    # a comment\n    for i")));
}

#[test]
fn everything_else_counts() {
    let changes = [
        ("float32(1)", "float32(2)"),
        ("range(n)", "T.parallel(n)"),
        ("\"float32\")\n    for", "\"float16\")\n    for"),
        ("B[vi] = A[vi] +", "B[vi] = B[vi] +"),
        ("tir.noalias", "tir.other"),
        ("T.axis.spatial(n, i)", "T.axis.reduce(n, i)"),
    ];
    let mut keys = vec![key(COPY)];
    for (old, new) in changes {
        assert!(COPY.contains(old), "{old}");
        keys.push(key(&COPY.replacen(old, new, 1)));
    }
    keys.sort();
    let count = keys.len();
    keys.dedup();
    assert_eq!(keys.len(), count);
    let others = COPY.replace("tir.noalias", "tir.other");
    assert_eq!(key_with(COPY, WITHOUT_ATTRIBUTES), key_with(&others, WITHOUT_ATTRIBUTES));
}

#[test]
fn names_and_order_of_functions_do_not_count_but_what_they_call_does() {
    let swapped = MODULE.replace("def add(", "def zzz(").replace("cls.add", "cls.zzz");
    assert_eq!(key(MODULE), key(&swapped));
    let exchanged =
        MODULE.replace("def add(", "def t(").replace("def mul(", "def add(").replace("def t(", "def mul(");
    assert_ne!(key(MODULE), key(&exchanged));
    let both =
        exchanged.replace("cls.add", "cls.t").replace("cls.mul", "cls.add").replace("cls.t,", "cls.mul,");
    assert_eq!(key(MODULE), key(&both));
}

#[test]
fn all_formats_have_one_key() {
    for text in [COPY, MODULE] {
        let (program, release) = read(text);
        let expected = key(text);
        let printed = print(&program, registry(), &PrinterConfig::default()).expect("prints");
        assert_eq!(key(&printed), expected);
        let native = to_json_of(&program, release);
        let tvm = to_tvm_json_of(&program, release, registry()).expect("has JSON");
        for json in [native, tvm] {
            let loaded = load_json(&json, registry()).unwrap_or_else(|error| panic!("{error}"));
            let found =
                program_key(&loaded.node, loaded.release, registry(), ALL).expect("the program is upgraded");
            assert_eq!(found.to_string(), expected, "{json}");
        }
    }
}

#[test]
fn a_program_of_two_releases_has_one_key() {
    for text in [COPY, MODULE] {
        let (program, release) = read(text);
        assert_eq!(release, &TVM_0_23);
        let step =
            tvmscript::upgrade::find(registry(), release, &tvm_0_27::RELEASE).expect("there are rules");
        let upgraded = tvmscript::upgrade::upgrade(&program, step).expect("the program is upgraded").node;
        let config = PrinterConfig { release: Some(&tvm_0_27::RELEASE), ..PrinterConfig::default() };
        let printed = print(&upgraded, registry(), &config).expect("prints");
        assert_eq!(read(&printed).1, &tvm_0_27::RELEASE);
        assert_eq!(key(&printed), key(text), "{printed}");
    }
}

/// One JSON text per line: a script with its keys.
const RECORDED: &str = include_str!("../../vectors/program_keys.jsonl");

#[test]
fn keys_are_those_recorded() {
    let mut now = String::new();
    for line in RECORDED.lines() {
        let mut record: serde_json::Value = serde_json::from_str(line).expect("a line is JSON");
        let text = record["text"].as_str().expect("has a text").to_owned();
        record["key"] = key(&text).into();
        record["without_attributes"] = key_with(&text, WITHOUT_ATTRIBUTES).into();
        // Writing to a string does not fail.
        let _ = writeln!(now, "{record}");
    }
    if std::env::var_os(BLESS).is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/vectors/program_keys.jsonl");
        std::fs::write(path, now).expect("the vectors are written");
        return;
    }
    assert!(now == RECORDED, "keys of programs changed, which caches rely on:\n{now}");
}

/// The fields of a type that count, in their order.
fn fields_of(info: &TypeInfo) -> String {
    let counts = |field: &&FieldInfo| !field.skip_eq && field.kind != FieldKind::Span;
    let name = |field: &FieldInfo| match field.def {
        true => format!("`{}` (def)", field.name),
        false => format!("`{}`", field.name),
    };
    match info.key() {
        "ir.IRModule" => return "see above".to_owned(),
        "ir.GlobalVar" => return "see above".to_owned(),
        "relax.expr.VarBinding" => {
            return "`value`, `var` (def); in reverse if `value` is a function".to_owned();
        }
        _ if info.custom_eq().is_some() => return "`vid`, `struct_info_`".to_owned(),
        _ => {}
    }
    info.fields().iter().filter(counts).map(name).collect::<Vec<_>>().join(", ")
}

#[test]
fn the_page_lists_all_types() {
    let is_listed = |info: &&TypeInfo| info.shape() == Shape::Fields && info.is_concrete();
    let mut types: Vec<&TypeInfo> = registry().nodes().filter(is_listed).collect();
    types.sort_by_key(|info| info.key());
    let mut table = "| type | variable | fields |\n|---|---|---|\n".to_owned();
    for info in types {
        let is_variable = matches!(info.eq_kind(), EqKind::FreeVar | EqKind::Dag);
        let mark = if is_variable { "yes" } else { "" };
        let _ = writeln!(table, "| `{}` | {mark} | {} |", info.key(), fields_of(info));
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/program-keys.md");
    let page = std::fs::read_to_string(path).expect("the page is there");
    let (before, after) = page.split_once("<!-- types -->\n\n").expect("the page has a mark");
    if std::env::var_os(BLESS).is_some() {
        std::fs::write(path, format!("{before}<!-- types -->\n\n{table}")).expect("the page is written");
        return;
    }
    assert!(after == table, "docs/program-keys.md is out of date; {BLESS}=1 writes its table");
}

//! JSON of other releases: TVM's own, read and written, and what no dialect knows in it.

use tvmscript::ir_core::equal::StructuralEqual;
use tvmscript::{
    JsonErrorKind, LoadedJson, Object, ParseOptions, PrinterConfig, Release, load_json, parse, print,
    registry, to_json_of, to_tvm_json_of,
};

/// A module of TVM 0.27.
const TEXT: &str = include_str!("../../fixtures/json_0_27/module.py");
/// The JSON that TVM 0.27 makes of it.
const JSON: &str = include_str!("../../fixtures/json_0_27/module.json");
const RELEASE: &Release = &tvmscript::releases::tvm_0_27::RELEASE;

fn module() -> Object {
    let parsed = parse("module.py", TEXT, registry(), &ParseOptions::default());
    let errors: Vec<String> = parsed.errors.iter().map(ToString::to_string).collect();
    assert!(errors.is_empty(), "{errors:?}");
    parsed.scripts[0].node.clone()
}

fn load(json: &str) -> LoadedJson {
    load_json(json, registry()).unwrap_or_else(|error| panic!("{error}"))
}

fn assert_equal(a: &Object, b: &Object) {
    let equal = StructuralEqual { map_free_vars: true, ..StructuralEqual::default() };
    let differences: Vec<String> = equal.mismatches(a, b, 5).iter().map(ToString::to_string).collect();
    assert!(differences.is_empty(), "{differences:?}");
}

#[test]
fn json_of_tvm_0_27_is_the_parsed_text() {
    let loaded = load(JSON);
    assert_eq!(loaded.release, RELEASE);
    assert_equal(&loaded.node, &module());
    let config = PrinterConfig { release: Some(RELEASE), ..PrinterConfig::default() };
    assert_eq!(print(&loaded.node, registry(), &config).expect("prints"), TEXT.trim_end());
}

#[test]
fn json_for_tvm_0_27_has_its_nodes_and_loads() {
    let json = to_tvm_json_of(&module(), RELEASE, registry()).expect("all constants have elements");
    for key in
        ["ir.TensorLoad", "tirx.BufferType", "s_tir.SBlock", "ir.Call", "relax.TensorType", "prim.BitwiseAnd"]
    {
        assert!(json.contains(&format!("\"{key}\"")), "{key}");
    }
    for key in ["\"tir.", "StructInfo", "struct_info", "buffer_map", "relax.expr.Call"] {
        assert!(!json.contains(key), "{key}");
    }
    assert_equal(&load(&json).node, &module());
}

/// Calls of the operators of Relax that TVM 0.27 adds, with all of their attributes.
#[test]
fn operators_of_tvm_0_27_are_those_of_its_json() {
    let text = include_str!("../../fixtures/tvm_0_27/relax_operators.py");
    let loaded = load(include_str!("../../fixtures/json_0_27/relax_operators.json"));
    let parsed = parse("operators.py", text, registry(), &ParseOptions::default());
    assert_equal(&loaded.node, &parsed.scripts[0].node);
    let json = to_tvm_json_of(&loaded.node, RELEASE, registry()).expect("saves");
    assert!(json.contains("relax.attrs.MultiboxTransformLocAttrs"), "{json}");
    assert_equal(&load(&json).node, &loaded.node);
}

/// Instructions of PTX that text and JSON have alike. TVM prints `T.ptx.cp(2, "async", "wait_group", "")`.
#[test]
fn instructions_of_tvm_0_27_are_those_of_its_json() {
    let text = include_str!("../../fixtures/tvm_0_27/ptx.py");
    let loaded = load(include_str!("../../fixtures/json_0_27/ptx.json"));
    let config = PrinterConfig { release: Some(RELEASE), ..PrinterConfig::default() };
    let printed = print(&loaded.node, registry(), &config).expect("prints");
    for (printed, expected) in printed.lines().zip(text.lines()) {
        assert_eq!(printed, expected);
    }
    assert_eq!(printed, text.trim_end());
    // Modifiers and number of operands do not tell which instruction these are, so the text keeps them as written.
    let is_unclear = |line: &&str| line.contains("T.ptx.mov(") || line.contains("T.ptx.atom(");
    let unknown = text.lines().filter(is_unclear).count();
    let parsed = parse("ptx.py", text, registry(), &ParseOptions::default());
    let equal = StructuralEqual { map_free_vars: true, ..StructuralEqual::default() };
    let differences = equal.mismatches(&loaded.node, &parsed.scripts[0].node, 100);
    assert_eq!(differences.len(), unknown, "{differences:?}");
    let json = to_tvm_json_of(&loaded.node, RELEASE, registry()).expect("saves");
    assert_equal(&load(&json).node, &loaded.node);
}

/// Operations on tiles, and operators with a form of their own.
#[test]
fn tile_operations_and_operators_of_tvm_0_27_are_those_of_its_json() {
    let files = [
        (include_str!("../../fixtures/tvm_0_27/tile.py"), include_str!("../../fixtures/json_0_27/tile.json")),
        (
            include_str!("../../fixtures/tvm_0_27/operators.py"),
            include_str!("../../fixtures/json_0_27/operators.json"),
        ),
    ];
    for (text, json) in files {
        let parsed = parse("text.py", text, registry(), &ParseOptions::default());
        let messages: Vec<String> = parsed.errors.iter().map(ToString::to_string).collect();
        assert!(messages.is_empty(), "{messages:?}");
        let loaded = load(json);
        assert_equal(&loaded.node, &parsed.scripts[0].node);
        let config = PrinterConfig { release: Some(RELEASE), ..PrinterConfig::default() };
        assert_eq!(print(&loaded.node, registry(), &config).expect("prints"), text.trim_end());
        let json = to_tvm_json_of(&loaded.node, RELEASE, registry()).expect("saves");
        assert_equal(&load(&json).node, &loaded.node);
    }
}

#[test]
fn masks_are_calls_in_json() {
    let text = "# from tvm.script import tirx as T\n# from tvm.tirx.layout import Axis\n\n@T.prim_func\ndef f(A: T.Buffer((4, 16), \"float32\"), B: T.Buffer((16,), \"float32\")):\n    mask: T.let = T.Broadcast(T.bool(True), 4)\n    T.masked_store(B, T.masked_load(\"float32x4\", A, 1, T.Ramp(0, 1, 4), mask), T.Ramp(0, 1, 4), mask)\n";
    let parsed = parse("masked.py", text, registry(), &ParseOptions::default());
    let node = &parsed.scripts[0].node;
    let json = to_tvm_json_of(node, RELEASE, registry()).expect("saves");
    assert!(json.contains("tirx.masked_load") && json.contains("tirx.masked_store"), "{json}");
    assert!(!json.contains("predicate"), "{json}");
    assert_equal(&load(&json).node, node);
}

#[test]
fn own_json_names_the_release() {
    let json = to_json_of(&module(), RELEASE);
    let loaded = load(&json);
    assert_eq!(loaded.release, RELEASE);
    assert_equal(&loaded.node, &module());
}

/// The JSON with a node of an unknown type in the attributes of the module.
fn with_unknown_attribute() -> String {
    let (nodes, rest) = JSON.split_once("],\"metadata\"").expect("the nodes come first");
    let (_, nodes) = nodes.split_once("\"nodes\":[").expect("the root comes first");
    let count = nodes.lines().count();
    let module = nodes.lines().last().expect("there is a node");
    let (start, end) = module.split_once("\"attrs\":").expect("a module has attributes");
    let (_, end) = end.split_once(',').expect("global infos follow");
    let [key, number, map, attrs, root] = [0, 1, 3, 4, 5].map(|at| count + at);
    let thing = count + 2;
    format!(
        "{{\"root_index\":{root},\"nodes\":[{nodes},\n{{\"type\":\"ffi.String\",\"data\":\"thing\"}},\n\
         {{\"type\":\"int\",\"data\":7}},\n{{\"type\":\"my.Thing\",\"data\":{{\"x\":{number},\"y\":3}}}},\n\
         {{\"type\":\"ffi.Map\",\"data\":[{key},{thing}]}},\n{{\"type\":\"ir.DictAttrs\",\"data\":{{\"__dict__\":{map}}}}},\n\
         {start}\"attrs\":{attrs},{end}],\"metadata\"{rest}"
    )
}

#[test]
fn nodes_of_unknown_types_are_kept() {
    let json = with_unknown_attribute();
    let loaded = load(&json);
    assert_eq!(
        loaded.unknown.iter().map(|(key, count)| (key.as_str(), *count)).collect::<Vec<_>>(),
        [("my.Thing", 1)]
    );
    let again = to_tvm_json_of(&loaded.node, RELEASE, registry()).expect("one graph");
    assert!(again.contains("{\"type\":\"my.Thing\",\"data\":{\"x\":") && again.contains(",\"y\":3}}"));
    assert_equal(&load(&again).node, &loaded.node);
    let config = PrinterConfig { show_meta: true, release: Some(RELEASE), ..PrinterConfig::default() };
    let text = print(&loaded.node, registry(), &config).expect("prints");
    assert!(text.contains("I.module_attrs({\"thing\": metadata[\"my.Thing\"][0]})"), "{text}");
    let parsed = parse("text.py", &text, registry(), &ParseOptions::default());
    assert_equal(&parsed.scripts[0].node, &loaded.node);
}

#[test]
fn unknown_types_where_a_known_one_is_needed_are_errors() {
    let json = JSON.replace("\"tirx.Evaluate\"", "\"my.Evaluate\"");
    let error = load_json(&json, registry()).expect_err("a statement is needed");
    assert!(matches!(error.kind, JsonErrorKind::UnknownType { ref key } if key == "my.Evaluate"), "{error}");
    assert!(json[error.offset_bytes..].starts_with("{\"type\":\"my.Evaluate\""), "{error}");
}

/// Every line with another number, name or type: an error or a program, at once, and errors have their place.
#[test]
fn changed_json_is_an_error_or_a_program() {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % below as u64).unwrap_or(0)
    };
    let lines: Vec<&str> = JSON.lines().collect();
    let (mut errors, mut programs) = (0, 0);
    for _ in 0..400 {
        let mut changed: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        let at = random(lines.len());
        let other = lines[random(lines.len())];
        changed[at] = match random(3) {
            0 => other.to_owned(),
            1 => lines[at].replace(|c: char| c.is_ascii_digit(), &random(9).to_string()),
            _ => {
                let kind = |line: &str| line.split('"').nth(3).unwrap_or_default().to_owned();
                lines[at].replace(&kind(lines[at]), &kind(other))
            }
        };
        let json = changed.join("\n");
        match load_json(&json, registry()) {
            Ok(loaded) => {
                programs += 1;
                // Saving fails for graphs that the release cannot hold.
                if let Ok(saved) = to_tvm_json_of(&loaded.node, RELEASE, registry()) {
                    assert!(load_json(&saved, registry()).is_ok(), "{saved}");
                }
            }
            Err(error) => {
                errors += 1;
                assert!(error.offset_bytes <= json.len(), "{error}");
            }
        }
    }
    assert!(errors > 50 && programs > 50, "{errors} errors, {programs} programs");
}

/// A text and the JSON that a release makes of it, read and written.
fn assert_json_of(release: &Release, text: &str, json: &str) {
    assert_json(release, text, json, &ParseOptions::default());
}

fn assert_json(release: &Release, text: &str, json: &str, options: &ParseOptions) {
    let parsed = parse("module.py", text, registry(), options);
    let errors: Vec<String> = parsed.errors.iter().map(ToString::to_string).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let (module, loaded) = (&parsed.scripts[0].node, load(json));
    assert_eq!((&loaded.release, &parsed.release), (&release, &release));
    assert_equal(&loaded.node, module);
    let written = to_tvm_json_of(module, release, registry()).expect("all constants have elements");
    assert_equal(&load(&written).node, module);
    // Both have nodes of the same types.
    let kinds = |json: &str| {
        let mut kinds: Vec<String> = json
            .split("\"type\":")
            .skip(1)
            .filter_map(|rest| rest.split('"').nth(1).map(str::to_owned))
            .filter(|kind| !kind.contains("Span") && kind != "ir.SourceName")
            .collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    };
    assert_eq!(kinds(&written), kinds(json));
}

#[test]
fn json_of_tvm_0_26_is_the_parsed_text() {
    let text = include_str!("../../fixtures/json_0_26/module.py");
    let json = include_str!("../../fixtures/json_0_26/module.json");
    assert_json_of(&tvmscript::releases::tvm_0_26::RELEASE, text, json);
}

#[test]
fn json_of_tvm_0_25_is_the_parsed_text() {
    let text = include_str!("../../fixtures/json_0_25/module.py");
    let json = include_str!("../../fixtures/json_0_25/module.json");
    assert_json_of(&tvmscript::releases::tvm_0_25::RELEASE, text, json);
}

/// A declared buffer shares the data pointer of its memory.
#[test]
fn buffers_declared_in_tvm_0_25_share_pointers() {
    let release = &tvmscript::releases::tvm_0_25::RELEASE;
    let text = include_str!("../../fixtures/json_0_25/declared.py");
    let json = include_str!("../../fixtures/json_0_25/declared.json");
    // Nothing in the text tells it from one of a later release.
    let mut options = ParseOptions::default();
    options.release = Some(release);
    assert_json(release, text, json, &options);
    let config = PrinterConfig { release: Some(release), ..PrinterConfig::default() };
    assert_eq!(print(&load(json).node, registry(), &config).expect("prints"), text.trim_end());
}

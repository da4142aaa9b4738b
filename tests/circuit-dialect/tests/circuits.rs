//! Circuits as text: printing, reading, comparison and errors. No text mentions the project or its origin.

use std::path::Path;
use std::{fs, thread};

use tvmscript_circuit_dialect::build;
use tvmscript_circuit_dialect::node::{Circuit, Clocked, Gate, Stmt, Wire};
use tvmscript_diagnostics::{render, reports as diagnostics};
use tvmscript_docsifier::{PrinterConfig, print};
use tvmscript_ir_core::{
    Array, Mismatch, Object, Ref, Registry, RegistryBuilder, Span, StructuralEqual, json, mismatches,
    structural_equal,
};
use tvmscript_irbuilder::{Builder, def_};
use tvmscript_script_parser::{ParseOptions, Parsed, parse_script};

const HALF_ADDER: &str = r#"# from netlist import circuit as C

@C.circuit
def half_adder(a: C.Wire, b: C.Wire):
    s = C.xor(a, b)
    with C.clocked("clk"):
        r = C.register(s)
    C.output(s, r)"#;

fn registry() -> Registry {
    RegistryBuilder::new().with(tvmscript_circuit_dialect::dialect()).build().expect("a single dialect")
}

#[track_caller]
fn assert_neutral(text: &str) {
    let word = ["t", "vm"].concat();
    assert!(!text.to_lowercase().contains(&word), "{text}");
}

fn parse(text: &str, options: &ParseOptions) -> Parsed {
    let parsed = parse_script("circuits.py", text, &registry(), options);
    for messages in [&parsed.errors, &parsed.warnings] {
        assert_neutral(&render(messages, "circuits.py", text, false));
    }
    parsed
}

#[track_caller]
fn read_with(text: &str, options: &ParseOptions) -> Object {
    let parsed = parse(text, options);
    assert!(parsed.errors.is_empty(), "{}", render(&parsed.errors, "circuits.py", text, false));
    parsed.scripts.into_iter().next().map(|script| script.node).expect("a script")
}

#[track_caller]
fn read(text: &str) -> Object {
    read_with(text, &ParseOptions::default())
}

fn try_print(node: &Object, config: &PrinterConfig) -> Result<String, String> {
    let printed = print(node, &registry(), config).map_err(|error| error.to_string());
    let (Ok(text) | Err(text)) = &printed;
    assert_neutral(text);
    printed
}

#[track_caller]
fn show(node: &Object) -> String {
    try_print(node, &PrinterConfig::default()).expect("prints")
}

/// Prints a node, reads it back, and prints it again.
#[track_caller]
fn check_roundtrip(node: &Object, text: &str) {
    assert_eq!(show(node), text);
    let again = read(text);
    assert!(structural_equal(node, &again));
    assert_eq!(show(&again), text);
}

/// Checks the errors of a script: comments `# error: ..` have their lines and messages.
#[track_caller]
fn check_errors(text: &str) {
    let parsed = parse(text, &ParseOptions::default());
    let found = diagnostics(&parsed.errors, text).into_iter().map(|error| (error.start.line, error.message));
    let lines = text.lines().zip(1..);
    let expected =
        lines.filter_map(|(line, number)| Some((number, line.split_once("# error: ")?.1.to_owned())));
    assert_eq!(found.collect::<Vec<_>>(), expected.collect::<Vec<_>>(), "{text}");
}

fn inv(input: &Ref<Wire>, output: &Ref<Wire>) -> Ref<Stmt> {
    let (inputs, output) = (Array::new([input.clone()]), output.clone());
    Ref::new(Gate { kind: "inv".into(), inputs, output, span: Span::UNKNOWN }).upcast()
}

fn clocked(body: impl IntoIterator<Item = Ref<Stmt>>) -> Ref<Stmt> {
    Ref::new(Clocked { clock: "clk".into(), body: Array::new(body), span: Span::UNKNOWN }).upcast()
}

fn circuit(
    inputs: &[&Ref<Wire>],
    body: impl IntoIterator<Item = Ref<Stmt>>,
    outputs: &[&Ref<Wire>],
) -> Object {
    let wires = |list: &[&Ref<Wire>]| Array::new(list.iter().map(|wire| (*wire).clone()));
    let (name, body) = ("test".into(), Array::new(body));
    Ref::new(Circuit { name, inputs: wires(inputs), body, outputs: wires(outputs), span: Span::UNKNOWN })
        .into()
}

#[test]
fn circuits_print_and_read_back() {
    check_roundtrip(&read(HALF_ADDER), HALF_ADDER);
    let text = r#"# from netlist import circuit as C

@C.circuit
def all_gates(a: C.Wire, b: C.Wire, c: C.Wire):
    w = C.inv(a)
    w_1 = C.nand(w, b)
    x = C.mux(w_1, C.nor(a, b), C.xor(b, c))
    with C.clocked("fast"), C.clocked("slow"):
        pass
    C.inv(x)"#;
    let canonical = r#"# from netlist import circuit as C

@C.circuit
def all_gates(a: C.Wire, b: C.Wire, c: C.Wire):
    w = C.inv(a)
    w_1 = C.nand(w, b)
    w_2 = C.nor(a, b)
    w_3 = C.xor(b, c)
    x = C.mux(w_1, w_2, w_3)
    with C.clocked("fast"):
        with C.clocked("slow"):
            pass
    w_4 = C.inv(x)"#;
    check_roundtrip(&read(text), canonical);
}

#[test]
fn scripts_can_import_the_namespace_under_another_name() {
    let text = HALF_ADDER.replace("# from netlist import circuit as C", "from netlist import circuit as X");
    assert!(structural_equal(&read(HALF_ADDER), &read(&text.replace("C.", "X."))));
    let prefixes = [("circuit".to_owned(), "X".to_owned())].into();
    let config = PrinterConfig { prefixes, ..PrinterConfig::default() };
    let printed = try_print(&read(HALF_ADDER), &config).expect("prints");
    assert!(printed.starts_with("# from netlist import circuit as X\n\n@X.circuit\n"), "{printed}");
    assert!(structural_equal(&read(HALF_ADDER), &read(&printed)));
}

#[test]
fn builder_makes_the_circuit_of_the_script() {
    let builder = Builder::new();
    build::circuit("half_adder").body(|| {
        let (a, b) = (build::input("a"), build::input("b"));
        let s = def_("s", build::xor(&a, &b));
        let r = build::clocked("clk").body(|| def_("r", build::register(&s)));
        build::output([&s, &r]);
    });
    let built: Ref<Circuit> = builder.get().expect("builds");
    assert!(structural_equal(built.object(), &read(HALF_ADDER)));
    assert_eq!(show(built.object()), HALF_ADDER);
}

#[test]
fn builder_reports_a_mistake_once_with_its_call_site() {
    let builder = Builder::new();
    build::circuit("test").body(|| {
        let r = build::register(build::input("a"));
        build::output([build::inv(&r)]);
    });
    let errors = builder.get::<Circuit>().expect_err("no clock").to_string();
    assert_neutral(&errors);
    assert!(errors.contains("`C.register` must be used inside `with C.clocked(..)`"), "{errors}");
    assert!(errors.starts_with("tests/circuit-dialect/tests/circuits.rs:"), "{errors}");
    assert_eq!(errors.lines().count(), 1, "{errors}");
}

#[test]
fn names_that_collide_are_changed() {
    let (prefix, keyword, outer, inner) = (Wire::new("C"), Wire::new("None"), Wire::new("x"), Wire::new("x"));
    let node = circuit(
        &[&prefix, &keyword],
        [clocked([inv(&prefix, &inner)]), clocked([inv(&keyword, &outer)]), inv(&outer, &Wire::new("x"))],
        &[&inner],
    );
    let text = r#"# from netlist import circuit as C

@C.circuit
def test(C_1: C.Wire, None_: C.Wire):
    with C.clocked("clk"):
        x = C.inv(C_1)
    with C.clocked("clk"):
        x_1 = C.inv(None_)
    x_2 = C.inv(x_1)
    C.output(x)"#;
    check_roundtrip(&node, text);
}

#[test]
fn parts_of_circuits_read_back_as_fragments() {
    let root = read(HALF_ADDER);
    let Circuit { body, .. } = root.as_node().expect("a circuit");
    let expected = [
        "a = C.Wire()\nb = C.Wire()\ns = C.xor(a, b)",
        "with C.clocked(\"clk\"):\n    s = C.Wire()\n    r = C.register(s)",
    ];
    assert_eq!(body.len(), expected.len());
    for (part, expected) in body.iter().zip(expected) {
        assert_eq!(show(part.object()), expected);
        let mut options = ParseOptions::default();
        options.fragment_of = Some("circuit");
        let again = read_with(expected, &options);
        let equal = StructuralEqual { map_free_vars: true, ..StructuralEqual::default() };
        assert!(equal.compare(part.object(), &again));
    }
}

#[test]
fn differences_are_listed_and_underlined() {
    let other =
        HALF_ADDER.replace("xor", "nand").replace("clk", "clock").replace("output(s, r)", "output(r)");
    let (left, right) = (read(HALF_ADDER), read(&other));
    assert!(!structural_equal(&left, &right));
    let found = mismatches(&left, &right);
    let lines: Vec<_> = found.iter().map(Mismatch::to_string).collect();
    let expected = [
        "different values at `<root>.body[0].kind`",
        "different values at `<root>.body[1].clock`",
        "only on one side at `<root>.outputs[0]` and `<root>.outputs[<missing item at 0>]`",
    ];
    assert_eq!(lines, expected);
    let path_to_underline = found.into_iter().map(|mismatch| mismatch.lhs).collect();
    let config = PrinterConfig { path_to_underline, ..PrinterConfig::default() };
    let shown = try_print(&left, &config).expect("prints");
    let expected = r#"# from netlist import circuit as C

@C.circuit
def half_adder(a: C.Wire, b: C.Wire):
    s = C.xor(a, b)
        ^^^^^
    with C.clocked("clk"):
                   ^^^^^
        r = C.register(s)
    C.output(s, r)
             ^"#;
    assert_eq!(shown, expected);
}

#[test]
fn names_are_no_difference_and_wiring_is_one() {
    let renamed = HALF_ADDER.replace("a:", "x:").replace("(a,", "(x,");
    assert!(structural_equal(&read(HALF_ADDER), &read(&renamed)));
    let crossed = read(&HALF_ADDER.replace("xor(a, b)", "xor(b, a)"));
    let found = mismatches(&read(HALF_ADDER), &crossed);
    let lines: Vec<_> = found.iter().filter(|found| !found.is_in_name()).map(Mismatch::to_string).collect();
    let expected = [
        "not bound to each other at `<root>.body[0].inputs[0]`",
        "not bound to each other at `<root>.body[0].inputs[1]`",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn errors_have_their_places() {
    check_errors(
        r#"
@C.circuit
def wires(a: C.Wire):
    s = C.xor(a, carry)  # error: undefined name `carry`
    t = C.inv(s)
    u = C.xor(a, 1)  # error: `b` of `xor` must be a `circuit.Wire`, not int
    C.output(t, u)

@C.circuit
def arity(a: C.Wire):
    s = C.xor(a)  # error: `xor` is missing the argument `b`
    t = C.inv(a, a)  # error: `inv` takes at most 1 positional argument, not 2
    u = C.mux(a, a, hi=a)  # error: `mux` has no parameter `hi`
    v = C.xnor(a, a)  # error: the dialect `circuit` has no attribute `xnor`
    C.output(s, t, u, v)

@C.circuit
def scopes(a: C.Wire):
    r = C.register(a)  # error: `C.register` must be used inside `with C.clocked(..)`, but is used in `C.circuit`
    with C.clocked():  # error: `clocked` is missing the argument `clock`
        s = C.register(r)
    with C.clocked("clk"):
        C.output(a)  # error: `C.output` must be used directly in a circuit, but is used in `C.clocked`
    C.output(a)
    C.output(a)  # error: `C.output` is given twice

@C.circuit
def statements(a: C.Wire):
    C.inv  # error: expected a statement, found the function `inv`
    for i in range(2):  # error: `for` is not supported in a script
        C.inv(a)
    @C.circuit
    def inner(b: C.Wire):  # error: `def` is not supported inside a function
        C.output(b)
    with C.clocked("clk") as clk:  # error: expected `with scope:`, found a name for a scope without value
        r = C.register(a)
    C.output(r)
"#,
    );
    check_errors(
        "@C.circuit\ndef test(a): # error: expected `a: C.Wire`, found a parameter without type\n    pass",
    );
    check_errors("@C.circuit\ndef test() -> C.Wire: # error: expected no return type, found one\n    pass");
    check_errors("x = 1 # error: the text contains no script");
}

#[test]
fn a_decorator_of_a_module_that_no_dialect_declares_is_shown() {
    let text = "from netlists import circuit as X\n\n@X.circuit\ndef test():\n    pass\n";
    let parsed = parse(text, &ParseOptions::default());
    let shown = render(&parsed.errors, "circuits.py", text, false);
    assert!(shown.contains("from `netlists.circuit`, which no dialect declares"), "{shown}");
}

#[test]
fn errors_are_shown_in_the_text() {
    let text = "@C.circuit\ndef test(a: C.Wire):\n    s = C.xor(a)\n    C.output(s, t)\n";
    let parsed = parse(text, &ParseOptions::default());
    assert!(parsed.scripts.is_empty());
    let shown = render(&parsed.errors, "circuits.py", text, false);
    let shown: Vec<_> = shown.lines().map(str::trim_end).collect();
    let expected = r#"[E0501] Error: `xor` is missing the argument `b`
   ╭─[ circuits.py:3:9 ]
   │
 3 │     s = C.xor(a)
   │         ────┬───
   │             ╰───── here
   │
   │ Note: the call syntax is `xor(a, b)`
───╯
[E0201] Error: undefined name `t`
   ╭─[ circuits.py:4:17 ]
   │
 4 │     C.output(s, t)
   │                 ┬
   │                 ╰── here
───╯"#;
    assert_eq!(shown.join("\n").trim(), expected);
}

#[test]
fn circuits_without_a_text_are_errors() {
    let (a, b) = (Wire::new("a"), Wire::new("b"));
    let early = circuit(&[], [inv(&b, &a), inv(&a, &b)], &[]);
    let twice = circuit(&[&a], [clocked([inv(&a, &b)]), inv(&a, &b)], &[]);
    for node in [early, twice] {
        let error = try_print(&node, &PrinterConfig::default()).expect_err("has no text");
        assert_eq!(error, "`circuit.Wire` cannot be written: `b` is used or bound before this statement");
    }
}

#[test]
fn json_reads_back_and_refuses_unknown_gates() {
    let root = read(HALF_ADDER);
    let text = json::native::save(&root.clone().into());
    // Native JSON contains the name of this project.
    assert_neutral(&text.replace("tvmscript-ir", ""));
    let again = json::native::load(&text, &registry()).expect("loads");
    assert!(again.as_object().is_some_and(|again| structural_equal(&root, again)));
    let error =
        json::native::load(&text.replace("xor", "half"), &registry()).expect_err("no such gate").to_string();
    assert_neutral(&error);
    assert!(
        error.starts_with("field `kind` of `circuit.Gate` is invalid: there is no gate `half`"),
        "{error}"
    );
}

#[test]
fn deep_scopes_print_on_a_small_stack() {
    let deep = || {
        let (a, b) = (Wire::new("a"), Wire::new("b"));
        let nested = |depth| (0..depth).fold(inv(&a, &b), |inner, _| clocked([inner]));
        let text = show(&circuit(&[&a], [nested(1_000)], &[&b]));
        assert_eq!(show(&read(&text)), text);
        let error = try_print(&circuit(&[&a], [nested(100_000)], &[&b]), &PrinterConfig::default());
        assert_eq!(error.expect_err("is too long"), "the printed text is longer than 134217728 bytes");
    };
    thread::Builder::new().stack_size(256 << 10).spawn(deep).expect("a thread").join().expect("no overflow");
}

#[test]
fn sources_are_neutral() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = vec![root.join("Cargo.toml")];
    for folder in ["src", "tests"] {
        let entries = fs::read_dir(root.join(folder)).expect("a folder");
        files.extend(entries.map(|entry| entry.expect("an entry").path()));
    }
    assert!(files.len() >= 7, "{files:?}");
    for file in files {
        let text = fs::read_to_string(&file).expect("a text");
        // The names of the crates, as a package and as a path, and the name in native JSON.
        assert_neutral(&text.replace("tvmscript_", "").replace("tvmscript-", ""));
    }
}

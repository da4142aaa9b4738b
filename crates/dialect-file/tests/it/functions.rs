//! A dialect with functions of its own, and one on top of another.

use tvmscript_dialect_file::DialectFile;
use tvmscript_docsifier::{PrinterConfig, print};
use tvmscript_ir_core::json::native;
use tvmscript_ir_core::{Object, Registry, RegistryBuilder, Value, structural_equal, structural_hash};
use tvmscript_script_parser::{ParseOptions, parse_script};

const MACHINE: &str = r#"
[dialect]
name = "vm"
prefix = "VM"
edition = "1.0"
doc = "Instructions of a virtual machine."
statements = "Instruction"

[node.Register]
variable = true
doc = "A register."

[node.Instruction]
abstract = true

[statement.function]
node = "Function"
parent = "Body"
doc = "A function of the machine."
fields = { name = "str", params = "definition list of Register", body = "list of Instruction" }
assembly = """
@VM.function
def {name}({params}): {body}"""

[node.Body]
abstract = true

[statement.call]
doc = "Calls a function."
fields = { callee = "str", args = "list of Register", out = "definition Register" }
assembly = "{out} = VM.call({callee}, *{args})"

[statement.ret]
traits = ["terminator"]
doc = "Returns a register."
fields = { value = "Register", code = { kind = "int", default = 0 } }
assembly = "VM.ret({value}, code={code})"

[statement.loop]
doc = "Repeats instructions."
fields = { times = "int", counter = "definition Register", body = "list of Instruction" }
assembly = "for {counter} in VM.loop({times}): {body}"

[statement.scope]
doc = "Opens a scope."
fields = { flag = "bool", inner = "definition Register", body = "list of Instruction" }
assembly = "with VM.scope({flag}) as {inner}: {body}"
"#;

const SCRIPT: &str = r#"# from script import vm as VM

@VM.function
def main(a: VM.Register, b: VM.Register):
    c = VM.call("add", a, b)
    for i in VM.loop(3):
        d = VM.call("mul", c, i)
        with VM.scope(True) as s:
            VM.ret(s, code=2)
    VM.ret(c)"#;

fn registry(texts: &[&str]) -> Registry {
    let mut files: Vec<DialectFile> = Vec::new();
    for text in texts {
        let base = files.iter().fold(RegistryBuilder::new(), |builder, file| builder.with(file.dialect()));
        let base = base.build().expect("the dialects go together");
        files.push(DialectFile::load(text, &base).unwrap_or_else(|errors| panic!("{errors:?}")));
    }
    let builder = files.iter().fold(RegistryBuilder::new(), |builder, file| builder.with(file.dialect()));
    builder.build().expect("the dialects go together")
}

fn parse(text: &str, registry: &Registry) -> Object {
    let parsed = parse_script("machine", text, registry, &ParseOptions::default());
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    parsed.scripts.into_iter().next().map(|script| script.node).expect("a function")
}

#[test]
fn functions_print_and_read_back() {
    let registry = registry(&[MACHINE]);
    let function = parse(SCRIPT, &registry);
    let text = print(&function, &registry, &PrinterConfig::default()).expect("prints");
    assert_eq!(text.lines().skip(1).collect::<Vec<_>>(), SCRIPT.lines().skip(1).collect::<Vec<_>>());
    let again = parse(&text, &registry);
    assert!(structural_equal(&function, &again));
    assert_eq!(structural_hash(&function), structural_hash(&again));
    let renamed = parse(
        &SCRIPT.replace("c = VM", "result = VM").replace("(c)", "(result)").replace(" c,", " result,"),
        &registry,
    );
    assert!(structural_equal(&function, &renamed));
    assert!(!structural_equal(&function, &parse(&SCRIPT.replace("code=2", "code=3"), &registry)));
    let json = native::save(&Value::Node(function.clone()));
    let loaded = native::load(&json, &registry).expect("loads");
    assert!(structural_equal(&function, loaded.as_object().expect("a node")));
}

#[test]
fn json_of_another_class_is_refused() {
    let registry = registry(&[MACHINE]);
    let json = native::save(&Value::Node(parse(SCRIPT, &registry)));
    let wrong = json.replace("\"times\":3", "\"times\":\"three\"");
    let error = native::load(&wrong, &registry).expect_err("not an int").to_string();
    assert!(error.contains("field `times` of `vm.Loop` takes an int"), "{error}");
    let wrong = json.replace("\"type\":\"vm.Ret\"", "\"type\":\"vm.Instruction\"");
    let error = native::load(&wrong, &registry).expect_err("abstract").to_string();
    assert!(error.contains("`vm.Instruction` is an abstract class"), "{error}");
}

#[test]
fn a_wrong_script_has_errors_at_their_places() {
    let registry = registry(&[MACHINE]);
    for (old, new, message, at) in [
        ("VM.loop(3)", "VM.loop(\"3\")", "`times` of `loop` must be an int, not str", "\"3\""),
        ("VM.ret(c)", "VM.ret(1)", "must be a `vm.Register`, not int", "1"),
        ("VM.ret(c)", "c", "expected a statement", "c"),
        ("b: VM.Register", "b: 3", "as its annotation", "b: 3"),
        ("    VM.ret(c)", "    VM.rot(c)", "rot", "rot"),
        (
            "    for i in",
            "    VM.ret(a)\n    for i in",
            "statements follow a `vm.Ret`",
            "def main(a: VM.Register, b: VM.Register):",
        ),
    ] {
        let text = SCRIPT.replace(old, new);
        let parsed = parse_script("machine", &text, &registry, &ParseOptions::default());
        let error = parsed.errors.first().unwrap_or_else(|| panic!("no error: {new}"));
        assert!(error.to_string().contains(message), "{error}");
        assert_eq!(&text[error.range().start as usize..error.range().end as usize], at, "{error}");
    }
}

#[test]
fn a_dialect_may_build_on_another_one() {
    let more = r#"
[dialect]
name = "fast"
prefix = "Fast"

[statement.add]
parent = "vm.Instruction"
fields = { a = "vm.Register", b = "vm.Register" }
assembly = "Fast.add({a}, {b})"
"#;
    let registry = registry(&[MACHINE, more]);
    let script = SCRIPT.replace("    VM.ret(c)", "    Fast.add(a, c)\n    VM.ret(c)");
    let text = print(&parse(&script, &registry), &registry, &PrinterConfig::default()).expect("prints");
    assert!(text.contains("    Fast.add(a, c)\n    VM.ret(c)"), "{text}");
}

#[test]
fn a_text_that_is_loaded_twice_gives_the_same_types() {
    let base = RegistryBuilder::new().build().expect("no dialects");
    let (a, b) = (DialectFile::load(MACHINE, &base), DialectFile::load(MACHINE, &base));
    let (a, b) = (a.expect("loads"), b.expect("loads"));
    assert!(std::ptr::eq(a.types()[0], b.types()[0]));
    assert_eq!(a.key(), b.key());
    let other = DialectFile::load(&MACHINE.replace("1.0", "1.1"), &base).expect("loads");
    assert!(!std::ptr::eq(a.types()[0], other.types()[0]));
    assert_ne!(a.key(), other.key());
}

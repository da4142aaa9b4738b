//! Functions by the names under which upstream registers them: from Python, and from Rust.

use tvmscript::dynamic::{Program, args, call, function, name, none};
use tvmscript::{Object, ParseOptions, PrinterConfig, parse, print, registry};
use tvmscript_tests::parse_ok;

const FUNCTION: &str =
    "# from tvm.script import tir as T\n\n@T.prim_func\ndef f(x: T.int32):\n    T.evaluate(x + 1)";

fn node() -> Object {
    parse_ok("f.py", FUNCTION).expect("a function").remove(0)
}

/// The scripts and errors of host code after the function.
fn run(code: &str) -> (Vec<Object>, Vec<String>) {
    let text = format!("import tvm\n{FUNCTION}\n\n{code}\n");
    let parsed = parse("code.py", &text, registry(), &ParseOptions::default());
    let errors = parsed.errors.iter().map(|error| {
        let help = error.help.iter().map(|help| format!(" ({help})"));
        error.to_string() + &help.collect::<String>()
    });
    (parsed.scripts.into_iter().map(|script| script.node).collect(), errors.collect())
}

#[test]
fn p74_30_the_printer_is_a_function_by_name_in_python() {
    let (scripts, errors) = run("\
text = tvm.get_global_func(\"script.printer.Script\")(f)
assert text == str(f) and text.startswith(\"# from tvm.script import tir as T\"), text");
    assert_eq!((scripts.len(), errors), (1, Vec::new()));
}

#[test]
fn p74_30_the_printer_is_a_function_by_name_in_rust() {
    let program = Program::new(registry());
    let printer = call("tvm.get_global_func", args!["script.printer.Script"]);
    let node = node();
    let text = printer.call(args![node.clone()]).text().expect("a text");
    assert_eq!(text, print(&node, registry(), &PrinterConfig::default()).expect("it prints"));
    program.finish(node.into()).expect("no errors");
}

#[test]
fn p74_30_unknown_names_and_wrong_arguments_are_errors() {
    let (_, errors) = run("tvm.get_global_func(\"script.printer.Scrpt\")(f)");
    assert_eq!(
        errors,
        ["there is no global function `script.printer.Scrpt` (did you mean `script.printer.Script`?)"]
    );
    let (_, errors) = run("tvm.get_global_func(\"script.printer.Script\")(3)");
    assert_eq!(errors, ["`script.printer.Script` takes one node"]);
}

#[test]
fn b_05_a_walk_calls_two_functions_of_python() {
    let (_, errors) = run("\
order = []

def enter(node):
    order.append(\"+\" + tvm_type(node))
    return not isinstance(node, tvm.tir.Add)

def leave(node):
    order.append(\"-\" + tvm_type(node))

def tvm_type(node):
    for name in [\"PrimFunc\", \"Add\", \"Var\"]:
        if isinstance(node, getattr(tvm.tir, name)):
            return name
    return \"other\"

visit = tvm.get_global_func(\"_PrePostOrderVisit\")
visit(f, enter, leave)
order = [entry for entry in order if not entry.endswith(\"other\")]
assert order == [\"+PrimFunc\", \"+Var\", \"-Var\", \"+Add\", \"-Add\", \"-PrimFunc\"], order
visit(f, None, None)");
    assert_eq!(errors, Vec::<String>::new());
}

#[test]
fn b_05_a_walk_calls_two_functions_of_rust() {
    let program = Program::new(registry());
    let visit = name("tvm.get_global_func").call(args!["_PrePostOrderVisit"]);
    let seen = std::rc::Rc::new(std::cell::RefCell::new(Vec::new()));
    let note = |mark: char| {
        let seen = std::rc::Rc::clone(&seen);
        function(&["node"], move |args| {
            let node = args.first().and_then(|node| node.node()).expect("a node");
            seen.borrow_mut().push(format!("{mark}{}", node.info().key()));
            none()
        })
    };
    let node = node();
    visit.call(args![node.clone(), note('+'), note('-')]);
    program.finish(node.into()).expect("no errors");
    let seen = seen.borrow();
    assert_eq!(seen.first().map(String::as_str), Some("+tir.PrimFunc"));
    assert_eq!(seen.last().map(String::as_str), Some("-tir.PrimFunc"));
    let at = |entry: &str| seen.iter().position(|seen| seen == entry).expect("an entry");
    assert!(at("+tir.Evaluate") < at("+tir.Add") && at("-tir.Add") < at("-tir.Evaluate"), "{seen:?}");
}

#[test]
fn b_05_an_error_in_a_callback_ends_the_walk() {
    let (_, errors) = run("\
seen = []

def enter(node):
    seen.append(node)
    raise ValueError(\"enough\")

try:
    tvm.get_global_func(\"_PrePostOrderVisit\")(f, enter, None)
except ValueError:
    pass
assert len(seen) == 1, seen
tvm.get_global_func(\"_PrePostOrderVisit\")(f, 3, None)");
    assert_eq!(errors, ["expected a function or `None`, found int"]);
}

#[test]
fn functions_of_the_runtime_are_unknown_or_missing() {
    let text = "\
import tvm
from tvm.script import tir as T

has_dnnl = tvm.get_global_func(\"relax.ext.dnnl\", True)
has_vllm = tvm.get_global_func(\"tvm.contrib.vllm.reshape\", allow_missing=True)
ccl = tvm.get_global_func(\"runtime.disco.compiled_ccl\")()

@T.prim_func
def f(A: T.Buffer((4,), \"float32\")):
    A[0] = T.float32(1)
";
    let parsed = parse("runtime.py", text, registry(), &ParseOptions::default());
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    assert_eq!(parsed.scripts.len(), 1);
}

//! The text of shaders, the round trip of robots, and the errors of passes.

use tvmscript_docsifier::{DiagnosticOptions, NodeCallback, PrinterConfig, print};
use tvmscript_ir_core::{Array, NameCell, Object, Ref, Registry, RegistryBuilder, Str, structural_equal};
use tvmscript_pass::PassContext;
use tvmscript_script_parser::{ParseOptions, parse_script};
use tvmscript_stranger::passes::{CheckBounds, Metres};
use tvmscript_stranger::robot::{self, Program};
use tvmscript_stranger::shader::{self, Image, Kernel, Mul, Number, Pixel, Set};

fn registry() -> Registry {
    RegistryBuilder::new().with(robot::dialect()).build().expect("a single dialect")
}

fn show(node: &Object, registry: &Registry) -> String {
    print(node, registry, &PrinterConfig::default()).expect("prints")
}

#[test]
fn shaders_print() {
    let image = |name| Ref::new(Image { name: NameCell::from(Str::new(name)) });
    let pixel = |image: &Ref<Image>, x| Ref::new(Pixel { image: image.clone(), x, y: 0 });
    let (source, target) = (image("source"), image("target"));
    let half = Ref::new(Number { value: 0.5 });
    let value = Ref::new(Mul { a: pixel(&source, 1).upcast(), b: half.upcast() }).upcast();
    let body = Array::new([Ref::new(Set { pixel: pixel(&target, 0), value })]);
    let kernel = Kernel { name: Str::new("darken"), images: Array::new([source, target]), body };
    let registry = RegistryBuilder::new().with(shader::dialect()).build().expect("a single dialect");
    let text = show(&Ref::new(kernel).into(), &registry);
    let expected = "\
@S.kernel
def darken(source: S.Image, target: S.Image):
    target[0, 0] = source[1, 0] * 0.5";
    assert!(text.ends_with(expected), "{text}");
}

const PATROL: &str = "\
# from robots import robot as Bot

@Bot.program
def patrol(wall: Bot.Sensor):
    for _ in Bot.repeat(3):
        Bot.go(100)
        if wall:
            Bot.go(200)
        else:
            Bot.go(300)";

fn read(text: &str, registry: &Registry) -> Ref<Program> {
    let parsed = parse_script("patrol.py", text, registry, &ParseOptions::default());
    assert!(
        parsed.errors.is_empty(),
        "{}",
        tvmscript_diagnostics::render(&parsed.errors, "patrol.py", text, false)
    );
    let script = parsed.scripts.into_iter().next().expect("a script");
    script.node.downcast().expect("a program")
}

#[test]
fn robots_read_back() {
    let registry = registry();
    let program = read(PATROL, &registry);
    assert_eq!(show(program.object(), &registry), PATROL);
    let chain = PATROL.replace("        else:\n", "        elif wall:\n");
    let nested = read(&chain, &registry);
    let text = show(nested.object(), &registry);
    assert!(structural_equal(nested.object(), read(&text, &registry).object()), "{text}");
}

/// What the page says about a look into a print.
#[test]
fn a_callback_sees_each_node() {
    let program = read(PATROL, &registry());
    let seen = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let mut config = PrinterConfig::default();
    let log = std::sync::Arc::clone(&seen);
    let eprintln = move |line: String| log.lock().expect("no panic before").push(line);
    config.on_node = Some(NodeCallback::new(move |node, _, d| {
        let defined = d.definitions().map_or(0, |defined| defined.len());
        eprintln(format!("{}: {defined} variables, {} scopes", node.info().key(), d.frame_count()));
    }));
    assert_eq!(print(program.object(), &registry(), &config).expect("prints"), PATROL);
    let seen = seen.lock().expect("no panic before");
    assert_eq!(seen.first().map(String::as_str), Some("robot.Program: 0 variables, 1 scopes"));
    assert_eq!(seen.last().map(String::as_str), Some("robot.Go: 1 variables, 4 scopes"));
}

#[test]
fn errors_of_scripts_have_their_places() {
    let registry = registry();
    let text = PATROL.replace("if wall", "if 1").replace("Bot.go(100)", "Bot.go(x)");
    let parsed = parse_script("patrol.py", &text, &registry, &ParseOptions::default());
    let found: Vec<String> = parsed.errors.iter().map(ToString::to_string).collect();
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!(found[0], "undefined name `x`");
    assert!(found[1].contains("a sensor"), "{found:?}");
}

#[test]
fn p74_32_a_pass_over_another_dialect_points_at_the_node() {
    let registry = registry();
    let context = PassContext::new();
    let metres = context.run(&Metres, read(PATROL, &registry)).expect("multiples of 100");
    assert!(show(metres.object(), &registry).contains("Bot.go(2)"));

    let text = PATROL.replace("go(200)", "go(250)");
    let error = context.run(&Metres, read(&text, &registry)).expect_err("250 cm");
    assert_eq!(error.to_string(), "in the pass `robot.Metres`: 250 cm are not a number of metres");
    let path = error.diagnostic().path().map(ToString::to_string);
    assert_eq!(path.as_deref(), Some("<root>.body[0].body[1].then[0]"));
    let sources = [("patrol.py", text.as_str())];
    let options =
        DiagnosticOptions { name: "before the pass", sources: &sources, ..DiagnosticOptions::default() };
    let shown = error.render(&registry, &options);
    assert!(shown.contains("[E1101] Error: 250 cm are not a number of metres"), "{shown}");
    assert!(shown.contains("patrol.py:8:") && shown.contains("Bot.go(250)"), "{shown}");
    assert!(shown.contains("go a multiple of 100 cm"), "{shown}");
}

#[test]
fn p74_32_a_pass_over_tir_points_at_the_statement() {
    let text = "\
from tvm.script import ir as I, tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((1,), \"int32\")):
        while A[0] < 10:
            A[0] = A[0] + 1
";
    let registry = tvmscript::registry();
    let parsed = parse_script("kernel.py", text, registry, &ParseOptions::default());
    let module = parsed.scripts[0].node.clone().downcast().expect("a module");
    let error = PassContext::of(registry).run(&CheckBounds, module).expect_err("a while loop");
    let sources = [("kernel.py", text)];
    let options = DiagnosticOptions { sources: &sources, ..DiagnosticOptions::default() };
    let shown = error.render(registry, &options);
    assert!(shown.contains("[E1101] Error: a loop without bounds"), "{shown}");
    assert!(shown.contains("kernel.py:7:9") && shown.contains("while A[0] < 10:"), "{shown}");
    assert!(shown.contains("in the pass `robot.CheckBounds`"), "{shown}");
}

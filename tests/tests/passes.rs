//! Running passes: sequences, options, instruments.

use std::cell::RefCell;
use std::rc::Rc;

use tvmscript::ir::IRModule;
use tvmscript::ir_core::{Dialect, Ref};
use tvmscript::passes::instrument::{
    DumpFormat, DumpModules, OnChange, PrintModules, PrintWhen, Progress, Report, RoundTrip, SpanSurvival,
    Timing, WellFormed, source_coverage,
};
use tvmscript::passes::{
    OptionDecl, OptionValue, Pass, PassContext, PassError, PassInfo, PassTable, PassesOfDialect as _,
    Sequential, on_module, pass,
};
use tvmscript::tir::PrimFunc;
use tvmscript::tir::node::{Evaluate, flatten};
use tvmscript::{Object, PrinterConfig, Registry, Span, post_order_mutate, registry, registry_builder};
use tvmscript_prim::IntImm;
use tvmscript_tests::parse_ok;

pass! {
    /// Adds the value of an option to each constant.
    AddToConstants = "test.AddToConstants" for PrimFunc |function, context| {
        let amount = context.integer("test.amount")?;
        Ok(post_order_mutate(function, |node| {
            let old = node.as_node::<IntImm>()?;
            Some(IntImm::try_new(old.dtype, old.value + amount).ok()?.into())
        })?)
    }
}

pass! {
    /// Evaluates each constant twice, without a source for the second time.
    ///
    /// Shows how a pass loses sources.
    Forgetful = "test.Forgetful", opt_level = 3, requires = ["test.AddToConstants"]
    for PrimFunc |function, _context| {
        Ok(post_order_mutate(function, |node| {
            let old = node.as_node::<Evaluate>()?;
            let new = Ref::new(Evaluate { span: Span::UNKNOWN, value: old.value.clone() });
            let old = node.downcast_ref::<Evaluate>()?.clone();
            Some(flatten(vec![old.upcast(), new.upcast()], true).into())
        })?)
    }
}

pass! {
    /// Fails.
    Failing = "test.Failing" |_module, _context| {
        Err(PassError::unsupported("the module is too nice"))
    }
}

fn with_test_passes() -> Registry {
    let dialect = Dialect::new("test")
        .pass(AddToConstants)
        .pass(Forgetful)
        .pass(Failing)
        .pass_option(OptionDecl { key: "test.amount", default: OptionValue::Int(1), doc: "amount to add" });
    registry_builder().with(dialect).build().expect("no conflict")
}

const SCRIPT: &str = "
from tvm.script import tir as T

@T.prim_func
def f(A: T.Buffer(16)):
    T.evaluate(5)
";

fn script() -> Object {
    parse_ok("script.py", SCRIPT).expect("a right script").remove(0)
}

fn run(context: &PassContext<'_>, pass: &dyn Pass) -> Result<String, PassError> {
    let new = on_module(script(), |module| context.run(pass, module))?;
    Ok(tvmscript::print(&new, registry(), &PrinterConfig::default()).expect("printable"))
}

fn last_lines(text: &str, count: usize) -> Vec<&str> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    lines[lines.len() - count..].to_vec()
}

#[test]
fn options_come_from_the_registry() {
    let registry = with_test_passes();
    let mut context = PassContext::of(&registry);
    assert_eq!(last_lines(&run(&context, &AddToConstants).unwrap(), 1), ["T.evaluate(6)"]);
    context.set_option("test.amount", "10").unwrap();
    assert_eq!(last_lines(&run(&context, &AddToConstants).unwrap(), 1), ["T.evaluate(15)"]);
    let error = context.set_option("test.amount", "many").unwrap_err();
    assert_eq!(error.to_string(), "the pass option `test.amount` is an integer, not \"many\"");
    let error = context.set_option("test.amoun", "1").unwrap_err();
    assert_eq!(error.to_string(), "unknown pass option `test.amoun`");
    let error = run(&PassContext::new(), &AddToConstants).unwrap_err();
    assert_eq!(error.to_string(), "in the pass `test.AddToConstants`: unknown pass option `test.amount`");
}

#[test]
fn sequences_select_and_require_passes() {
    let registry = with_test_passes();
    let table = PassTable::of(&registry).expect("passes");
    let both = Sequential::new("both")
        .then_shared(table.pass("test.AddToConstants").expect("registered").clone())
        .then_shared(table.pass("test.Forgetful").expect("registered").clone());
    let lines = |context: PassContext<'_>| run(&context, &both).unwrap().matches("T.evaluate(").count();
    let value = |context: PassContext<'_>| {
        run(&context, &both).unwrap().split("evaluate(").nth(1).unwrap()[..1].to_owned()
    };
    assert_eq!(lines(PassContext::of(&registry)), 1, "level 3 is above the level of the context");
    assert_eq!(lines(PassContext::of(&registry).with_opt_level(3)), 2);
    assert_eq!(lines(PassContext::of(&registry).with_required("test.Forgetful")), 2);
    let disabled = PassContext::of(&registry).with_opt_level(3).with_disabled("test.Forgetful");
    assert_eq!(lines(disabled), 1);
    assert_eq!(value(PassContext::of(&registry).with_opt_level(3)), "7", "the requirement runs, too");
}

#[test]
fn errors_name_the_pass() {
    let error = run(&PassContext::new(), &Sequential::new("all").then(Failing)).unwrap_err();
    assert_eq!(error.to_string(), "in the pass `test.Failing`: the module is too nice");
    let text: Object = tvmscript_ir_core::Str::new("text").into();
    let error = on_module(text, Ok).unwrap_err();
    assert_eq!(error.to_string(), "a pass needs a module or a function, not a `Str`");
}

#[test]
fn requirements_are_checked_with_the_registry() {
    pass! {
        /// Requires a pass that nobody registers.
        Lonely = "test.Lonely", requires = ["test.Nobody"] |module, _context| { Ok(module) }
    }
    let errors = registry_builder().with(Dialect::new("test").pass(Lonely).pass(Lonely)).build().unwrap_err();
    let errors = errors.to_string();
    assert!(errors.contains("the pass `test.Lonely`"), "{errors}");
    assert!(errors.contains("the pass `test.Nobody`, which `test.Lonely` requires"), "{errors}");
}

#[test]
fn instruments_see_every_pass_of_a_sequence() {
    let registry = with_test_passes();
    let sequence =
        Sequential::new("all").then(AddToConstants).then(Sequential::new("inner").then(AddToConstants));
    let (report, timing) = (Report::default(), Timing::default());
    let changes = Rc::new(RefCell::new(Vec::new()));
    let progress = Rc::new(RefCell::new(Vec::new()));
    let texts = Rc::new(RefCell::new(String::new()));
    let context = PassContext::of(&registry)
        .with_instrument(report.clone())
        .with_instrument(timing.clone())
        .with_instrument(Progress::new(|done, pass: &str| {
            progress.borrow_mut().push(format!("{done} {pass}"))
        }))
        .with_instrument(OnChange(|pass: &PassInfo, _: &Ref<IRModule>, _: &Ref<IRModule>| {
            changes.borrow_mut().push(pass.name.clone());
        }))
        .with_instrument(PrintModules::new(
            PrintWhen::Before,
            &registry,
            PrinterConfig::default(),
            |text: &str| {
                texts.borrow_mut().push_str(text);
            },
        ))
        .with_instrument(WellFormed(&registry))
        .with_instrument(RoundTrip { registry: &registry, config: PrinterConfig::default() });
    run(&context, &sequence).unwrap();
    drop(context);
    let passes = report.passes();
    assert_eq!(passes.len(), 2);
    assert!(passes.iter().all(|pass| pass.pass == "test.AddToConstants" && pass.changed));
    assert_eq!(timing.passes().len(), 2);
    assert!(timing.to_string().contains("test.AddToConstants"));
    assert_eq!(changes.borrow().len(), 2);
    assert_eq!(*progress.borrow(), ["0 test.AddToConstants", "1 test.AddToConstants"]);
    let texts = texts.borrow();
    assert!(texts.contains("T.evaluate(5)") && texts.contains("T.evaluate(6)"), "{texts}");
    let json = serde_json::to_value(&passes).unwrap();
    let keys: Vec<&String> = json[0].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["pass", "ms", "changed", "nodes", "nodes_with_source"]);
}

#[test]
fn lost_sources_are_counted_and_named() {
    let registry = with_test_passes();
    let context = PassContext::of(&registry).with_instrument(SpanSurvival::at_least(1.0));
    run(&context, &AddToConstants).unwrap();
    let error = run(&context, &Forgetful).unwrap_err().to_string();
    assert!(error.contains("nodes have a source; without: tir.Evaluate at <root>.functions["), "{error}");
    assert!(error.ends_with(".body.seq[1]"), "{error}");
    let coverage = source_coverage(&script());
    assert_eq!(coverage.share(), 1.0, "{coverage:?}");
}

#[test]
fn b06_an_instrument_dumps_the_module_between_passes() {
    let registry = with_test_passes();
    let dir = std::env::temp_dir().join(format!("tvmscript-dump-{}", std::process::id()));
    for (format, extension, word) in [
        (DumpFormat::Dot, "dot", "digraph {"),
        (DumpFormat::Text, "py", "@I.ir_module"),
        (DumpFormat::Json, "json", "{"),
    ] {
        let dump = DumpModules::new(&dir, format, &registry, PrinterConfig::default());
        let context = PassContext::of(&registry).with_instrument(dump);
        run(&context, &Sequential::new("lower").then(AddToConstants).then(AddToConstants)).unwrap();
        for name in ["00-input", "01-test.AddToConstants", "02-test.AddToConstants"] {
            let text =
                std::fs::read_to_string(dir.join(format!("{name}.{extension}"))).expect("a file per phase");
            assert!(text.contains(word), "{text}");
        }
    }
    std::fs::remove_dir_all(&dir).unwrap();
}

#[test]
fn p92_17_an_option_switches_si_builder_off() {
    pass! {
        /// Records whether sources are filled.
        Probe = "test.Probe" |module, _context| {
            match tvmscript::si_builder::is_enabled() {
                true => Ok(module),
                false => Err(PassError::unsupported("off")),
            }
        }
    }
    let mut context = PassContext::new();
    run(&context, &Probe).unwrap();
    context.set_option("ir.enable_si_builder", "false").unwrap();
    assert!(run(&context, &Probe).is_err());
    assert!(tvmscript::si_builder::is_enabled(), "the switch is restored");
}

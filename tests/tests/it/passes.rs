//! Passes: the fixtures, and the spans that each pass keeps.

use std::path::PathBuf;

use tvmscript::interpreter::{Argument, InputOptions, Limits, generate, run as interpret};
use tvmscript::ir::IRModule;
use tvmscript::pass::instrument::{SpanSurvival, source_coverage};
use tvmscript::pass::{PassContext, PassTable, Sequential};
use tvmscript::passes::on_module;
use tvmscript::tir::PrimFunc;
use tvmscript::{Object, Ref, registry};
use tvmscript_tests::{
    Fixture, canonical_options, check_all, check_roundtrip, fixtures, folder, on_small_stack, parse_ok,
};

/// Environment variable to rewrite the expected output.
const BLESS: &str = "TVMSCRIPT_BLESS";

/// Runs passes on a function or module. They have to keep all spans if the input has all.
fn run(node: &Object, passes: &[&str], options: &[(&str, &str)]) -> Result<Object, String> {
    let mut context = PassContext::of(registry()).with_opt_level(3);
    if source_coverage(node).share() == 1.0 {
        context = context.with_instrument(SpanSurvival::at_least(1.0));
    }
    for (key, value) in options {
        context.set_option(key, value).map_err(|error| error.to_string())?;
    }
    let mut sequence = Sequential::new("test");
    for name in passes {
        let pass = PassTable::<IRModule>::of(registry()).and_then(|table| table.pass(name));
        sequence = sequence.then_shared(pass.ok_or_else(|| format!("there is no pass {name}"))?.clone());
    }
    let result = on_module(node.clone(), |module| context.run(&sequence, module));
    result.map_err(|error| format!("{}: {error}", error.diagnostic().code()))
}

/// The values of the marks of a fixture.
fn marks<'t>(text: &'t str, mark: &'t str) -> impl Iterator<Item = &'t str> {
    text.lines().filter_map(move |line| line.strip_prefix(mark)).map(str::trim)
}

fn check(fixture: &Fixture) -> Result<(), String> {
    let passes: Vec<&str> = marks(&fixture.text, "# passes:").flat_map(|list| list.split(", ")).collect();
    let options: Vec<_> =
        marks(&fixture.text, "# opt:").filter_map(|option| option.split_once('=')).collect();
    let [input] = parse_ok(&fixture.name, &fixture.text)?.try_into().map_err(|_| "expected one script")?;
    let coverage = source_coverage(&input);
    if coverage.share() < 1.0 {
        return Err(format!("nodes of the input have no span: {coverage:?}"));
    }
    let result = run(&input, &passes, &options)?;
    if let Some(error) = tvmscript::tir::check::well_formed(&result).first() {
        return Err(format!("not well-formed: {}", error.kind));
    }
    let text = check_roundtrip(&[result], &canonical_options())?;
    let file = folder("passes").join(format!("{}.printed", fixture.name));
    if std::env::var_os(BLESS).is_some() {
        return std::fs::write(&file, format!("{}\n", text.trim_end())).map_err(|e| e.to_string());
    }
    let expected = std::fs::read_to_string(&file)
        .map_err(|e| format!("{}: {e} ({BLESS}=1 writes what is printed now)", file.display()))?;
    if text.trim_end() == expected.trim_end() { Ok(()) } else { Err(format!("another result:\n{text}")) }
}

#[test]
fn passes_transform_as_recorded() {
    check_all("passes", check);
}

/// The functions and modules of the corpus and of hand-written kernels.
fn programs() -> Vec<(String, Object)> {
    let corpus = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let mut texts: Vec<Fixture> = fixtures("kernels");
    for kind in ["tir", "tir_lowered", "mixed"] {
        for entry in std::fs::read_dir(corpus.join(kind)).expect("a folder of the corpus") {
            let path = entry.expect("an entry of the folder").path();
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            texts.push(Fixture { name, text: std::fs::read_to_string(&path).expect("a program") });
        }
    }
    texts.sort_by(|a, b| a.name.cmp(&b.name));
    let programs = texts.into_iter().filter_map(|fixture| {
        let node = parse_ok(&fixture.name, &fixture.text).ok()?.into_iter().next()?;
        (source_coverage(&node).share() == 1.0).then_some((fixture.name, node))
    });
    programs.collect()
}

/// Whether an error says that a pass cannot transform the program, or that a number is too large for 32 bits. Lost spans and
/// wrong results are other errors.
fn is_refusal(error: &str) -> bool {
    ["E1101: ", "E1107: in the pass `tir.ForceNarrowIndexToInt32`: the value "]
        .iter()
        .any(|start| error.starts_with(start))
}

#[test]
fn p92_21_each_tir_pass_keeps_all_spans() {
    on_small_stack(|| {
        let programs = programs();
        assert!(programs.len() > 150, "{} programs with all spans", programs.len());
        let table = PassTable::<IRModule>::of(registry()).expect("passes are registered");
        let names = table.passes().map(|pass| pass.info().name).filter(|name| name.starts_with("tir."));
        for pass in names.collect::<Vec<_>>() {
            let mut transformed = 0;
            for (name, node) in &programs {
                match run(node, &[&pass], &[]) {
                    Ok(_) => transformed += 1,
                    Err(error) => assert!(is_refusal(&error), "{pass} on {name}: {error}"),
                }
            }
            assert!(transformed > programs.len() / 4, "{pass}: {transformed} of {}", programs.len());
        }
    });
}

#[test]
fn p92_21_tir_passes_in_sequence_keep_all_spans() {
    const LOWERING: [&str; 11] = [
        "tir.LowerInitBlock",
        "tir.ConvertBlocksToOpaque",
        "tir.UnifyThreadBinding",
        "tir.ForceNarrowIndexToInt32",
        "tir.LowerOpaqueBlock",
        "tir.Simplify",
        "tir.VectorizeLoop",
        "tir.UnrollLoop",
        "tir.RewriteUnsafeSelect",
        "tir.Simplify",
        "tir.RemoveNoOp",
    ];
    let options = [("tir.UnrollLoop.auto_max_step", "16"), ("tir.UnrollLoop.unroll_local_access", "true")];
    on_small_stack(move || {
        let mut lowered = 0;
        for (name, node) in programs() {
            match run(&node, &LOWERING, &options) {
                Ok(_) => lowered += 1,
                Err(error) => assert!(is_refusal(&error), "{name}: {error}"),
            }
        }
        assert!(lowered > 50, "{lowered}");
    });
}

/// Programs that passes change as TVM's do: folding a cast of a `float32` literal to `float64` keeps the digits of the
/// literal, which running it rounds.
const ROUNDED: [&str; 1] = ["min_max_values_and_literals"];

/// The contents of a function's arguments after a run; `None` if the interpreter cannot run it within the steps.
fn outcome(function: &Ref<PrimFunc>, arguments: &[Argument], steps: u64) -> Option<Vec<Vec<u8>>> {
    let mut arguments = arguments.to_vec();
    interpret(function, &mut arguments, Limits { steps, ..Limits::default() }).ok()?;
    Some(arguments.iter().filter_map(Argument::tensor).map(|tensor| tensor.bytes().to_vec()).collect())
}

#[test]
fn passes_keep_what_functions_compute() {
    on_small_stack(|| {
        let table = PassTable::<IRModule>::of(registry()).expect("passes are registered");
        let names = table.passes().map(|pass| pass.info().name);
        let passes: Vec<String> = names.filter(|name| name.starts_with("tir.")).collect();
        let options = [("tir.UnrollLoop.auto_max_step", "16")];
        let (mut compared, mut changed) = (0, Vec::new());
        for (name, node) in programs().into_iter().filter(|(name, _)| !ROUNDED.contains(&name.as_str())) {
            let Ok(function) = node.clone().downcast::<PrimFunc>() else { continue };
            let inputs = InputOptions { default_size: 4, seed: 7, ..InputOptions::default() };
            let Ok(arguments) = generate(&function, &inputs) else { continue };
            let Some(before) = outcome(&function, &arguments, 100_000) else { continue };
            for pass in &passes {
                let Ok(new) = run(&node, &[pass], &options) else { continue };
                let new = new.downcast::<PrimFunc>().expect("a function stays a function");
                let after = outcome(&new, &arguments, 1_000_000);
                if after.is_none_or(|after| after != before) {
                    changed.push(format!("{pass} of {name}"));
                }
                compared += 1;
            }
        }
        assert!(changed.is_empty(), "of {compared} results these differ: {changed:#?}");
        assert!(compared > 500, "{compared}");
    });
}

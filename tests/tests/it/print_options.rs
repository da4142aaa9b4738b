//! Random printer options: the text reads back to the same program and prints again to the same bytes, or the printer
//! rejects the options.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;
use tvmscript::ir::constants::ConstantStore;
use tvmscript::ir::print::ConstantOptions;
use tvmscript::ir_core::{AccessPath, DataType};
use tvmscript::relax::print::RelaxOptions;
use tvmscript::tir::print::TirOptions;
use tvmscript::{Object, ParseOptions, PrinterConfig, Registry, parse, print, registry};
use tvmscript_test_texts::Random;
use tvmscript_tests::generate::module_text;
use tvmscript_tests::{check_all, describe, equal, fixtures, parse_ok};

const INTS: [&str; 8] = ["int32", "int64", "int8", "int16", "uint8", "uint32", "uint64", "void"];
const FLOATS: [&str; 6] = ["void", "float32", "float16", "float64", "bfloat16", "float8_e4m3fn"];
const BUFFERS: [&str; 8] = ["float32", "float16", "int32", "int64", "bool", "uint8", "float32x4", "void"];
/// Candidate prefixes and aliases, including names of other dialects, variables and functions.
const NAMES: [&str; 13] = ["T", "I", "R", "X", "tir", "ir", "main", "f0", "A", "i", "_", "Module", "cls"];

/// Random options.
#[derive(Debug, Clone)]
struct Drawn {
    int: DataType,
    float: DataType,
    buffer: DataType,
    prefixes: Vec<(&'static str, &'static str)>,
    alias: &'static str,
    name: Option<&'static str>,
    width: Option<u32>,
    indent: u32,
    sugar: bool,
    verbose: bool,
    addresses: bool,
    infers: bool,
    elide: Option<u64>,
    comment: bool,
}

fn pick<T: Copy>(random: &mut Random, from: &[T]) -> T {
    from[random.below(from.len())]
}

impl Drawn {
    fn new(random: &mut Random) -> Drawn {
        let dtype = |name: &str| name.parse().expect("a data type");
        let often = |random: &mut Random| random.below(2) == 0;
        let mut prefixes = Vec::new();
        for dialect in ["tir", "ir", "relax"] {
            if random.below(3) == 0 {
                prefixes.push((dialect, pick(random, &NAMES)));
            }
        }
        Drawn {
            int: dtype(pick(random, &INTS)),
            float: dtype(pick(random, &FLOATS)),
            buffer: dtype(pick(random, &BUFFERS)),
            prefixes,
            alias: if often(random) {
                "cls"
            } else {
                pick(random, &["", "M", "Module", "A", "x", "main", "f0"])
            },
            name: if often(random) { None } else { Some(pick(random, &["T", "f", "main", "x", "Module"])) },
            width: if often(random) { None } else { Some(20 + random.below(100) as u32) },
            indent: 1 + random.below(8) as u32,
            sugar: often(random),
            verbose: often(random),
            addresses: random.below(4) == 0,
            infers: often(random),
            elide: if random.below(8) == 0 { Some(random.below(8) as u64) } else { None },
            comment: random.below(4) == 0,
        }
    }

    fn config(&self) -> PrinterConfig {
        let mut config = PrinterConfig {
            show_meta: true,
            prefixes: self.prefixes.iter().map(|(d, p)| ((*d).to_owned(), (*p).to_owned())).collect(),
            module_alias: self.alias.to_owned(),
            name: self.name.map(str::to_owned),
            max_width_columns: self.width,
            indent_spaces: self.indent,
            syntax_sugar: self.sugar,
            verbose_expr: self.verbose,
            show_object_address: self.addresses,
            ..PrinterConfig::default()
        };
        if self.comment {
            config
                .path_to_annotate
                .push((AccessPath::root(), "tvmscript: a comment, int_dtype = none".to_owned()));
        }
        let types = TirOptions { int_dtype: self.int, float_dtype: self.float, buffer_dtype: self.buffer };
        config
            .with_part(types)
            .with_part(RelaxOptions { show_all_struct_info: !self.infers })
            .with_part(ConstantOptions { elide: self.elide })
    }

    /// A registry with the constants that the text leaves out.
    fn registry(&self, objects: &[Object]) -> Option<Registry> {
        let limit = self.elide?;
        let mut store = ConstantStore::new();
        objects.iter().try_for_each(|object| store.add_nodes(object, limit)).ok()?;
        // Constants that the program already lacks stay left out.
        if store.is_empty() {
            return None;
        }
        tvmscript::registry_builder().with(store.dialect()).build().ok()
    }
}

fn print_all(objects: &[Object], config: &PrinterConfig) -> Result<String, String> {
    let print = |node| print(node, registry(), config).map_err(|e| e.to_string());
    Ok(objects.iter().map(print).collect::<Result<Vec<_>, _>>()?.join("\n\n"))
}

/// Checks the options; returns `false` if the printer rejects them.
fn check(objects: &[Object], drawn: &Drawn) -> Result<bool, String> {
    let config = drawn.config();
    if let Err(refused) = config.check(registry()) {
        let printed = print(&objects[0], registry(), &config);
        return match printed {
            Err(error) if error == refused => Ok(false),
            _ => Err(format!("{drawn:?} is refused by one and not by the other: {refused}")),
        };
    }
    let fail = |what: String, text: &str| format!("{what}\n{drawn:?}\n{text}");
    let text = print_all(objects, &config).map_err(|e| fail(e, ""))?;
    let own = drawn.registry(objects);
    let parsed = parse("print", &text, own.as_ref().unwrap_or(registry()), &ParseOptions::default());
    if let Some(error) = parsed.errors.first() {
        return Err(fail(describe(&text, error), &text));
    }
    let again: Vec<Object> = parsed.scripts.into_iter().map(|script| script.node).collect();
    if !equal(objects, &again) {
        return Err(fail("another program".to_owned(), &text));
    }
    // Addresses differ each time.
    let config = PrinterConfig { show_object_address: false, ..drawn.config() };
    let (first, second) = (print_all(objects, &config)?, print_all(&again, &config)?);
    match first == second {
        true => Ok(true),
        false => Err(fail(format!("printed again:\n{second}\nbefore:"), &first)),
    }
}

/// Checks each program of a folder with two sets of options.
fn check_folder(folder: &'static str) {
    let programs = Arc::new(AtomicUsize::new(0));
    let checked = Arc::clone(&programs);
    check_all(folder, move |fixture| {
        let Ok(objects) = parse_ok(&fixture.name, &fixture.text) else { return Ok(()) };
        if objects.is_empty() {
            return Ok(());
        }
        let seed = tvmscript_test_texts::number("TVMSCRIPT_OPTIONS_SEED", 1);
        let seed = fixture.name.bytes().fold(seed, |seed, b| seed.wrapping_mul(131).wrapping_add(b.into()));
        let mut random = Random::new(seed);
        let mut followed = 0;
        for _ in 0..20 {
            followed += usize::from(check(&objects, &Drawn::new(&mut random))?);
            if followed == 2 {
                break;
            }
        }
        checked.fetch_add(usize::from(followed == 2), Ordering::Relaxed);
        Ok(())
    });
    let (programs, all) = (programs.load(Ordering::Relaxed), fixtures(folder).len());
    assert!(programs * 10 > all * 9, "{programs} of {all} programs of {folder}");
}

#[test]
fn fixtures_read_back_under_any_options() {
    check_folder("ok");
}

#[test]
fn kernels_read_back_under_any_options() {
    check_folder("kernels");
}

#[test]
fn programs_read_back_under_any_options() {
    check_folder("programs");
}

#[test]
fn functions_of_the_corpus_read_back_under_any_options() {
    check_folder("../corpus/tir");
    check_folder("../corpus/tir_lowered");
}

#[test]
fn modules_of_the_corpus_read_back_under_any_options() {
    check_folder("../corpus/relax");
    check_folder("../corpus/mixed");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_modules_read_back_under_any_options(text in module_text(), seed in any::<u64>()) {
        let fail = |what: String| TestCaseError::fail(format!("{what}\n{text}"));
        let objects = parse_ok("random", &text).map_err(fail)?;
        check(&objects, &Drawn::new(&mut Random::new(seed))).map_err(fail)?;
    }
}

//! Cost of a dialect in a file: loading 500 operators, and parsing and printing with it beside the same dialect as a crate.
//!
//! `cargo bench -p tvmscript-tests --bench dialect_file` prints one line per measurement. Wanted are at most 10 ms to load,
//! and at most 1.25 times the time of the crate to parse and print.

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::{Duration, Instant};

use tvmscript::dialect_file::{DialectFile, LoadOptions};
use tvmscript::{ParseOptions, PrinterConfig, Registry, parse, print, registry_builder};

const TOY: &str = include_str!("../dialects/toy.toml");

/// A dialect with this many operators. Each number gives another text.
fn description(operators: usize, number: usize) -> String {
    let mut text = format!("[dialect]\nname = \"many{number}\"\nprefix = \"Many\"\n");
    for index in 0..operators {
        let _ = write!(
            text,
            "\n[op.operator_{index}]\ndoc = \"Operator {index}.\"\nvariables = {{ T = {{ any_of = [\"float16\", \"float32\"] }} }}\n\
             parameters = {{ left = \"T\", right = \"T\", axis = {{ kind = \"int\", default = {index} }} }}\nresult = \"T\"\n\
             checks = [\"axis >= 0\"]\n"
        );
    }
    text
}

/// A function with statements of the toy dialect; `clamp` is the call of its operator, with or without a check.
fn script(statements: usize, operator: &str) -> String {
    let mut text = "@T.prim_func\ndef main(A: T.Buffer((16,), \"int32\"), n: T.int32):\n".to_owned();
    for index in 0..statements / 2 {
        let _ = writeln!(text, "    Toy.trace(\"label {index}\", A[{}])", index % 16);
        let _ = writeln!(text, "    A[{}] = {operator}", index % 16);
    }
    text
}

fn median(mut f: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..15)
        .map(|_| {
            let start = Instant::now();
            f();
            start.elapsed()
        })
        .collect();
    times.sort();
    times[times.len() / 2]
}

fn main() {
    let base = tvmscript::registry();
    let mut number = 0;
    let texts: Vec<String> = (0..9).map(|number| description(500, number)).collect();
    let loaded = {
        let mut times: Vec<Duration> = texts
            .iter()
            .map(|text| {
                number += 1;
                let start = Instant::now();
                black_box(DialectFile::load(text, base).expect("a description"));
                start.elapsed()
            })
            .collect();
        times.sort();
        times[times.len() / 2]
    };
    println!("load 500 operators: {loaded:?}");
    let read = |name: &str| (name == "toy.py").then(|| include_str!("../dialects/toy.py").to_owned());
    let options = LoadOptions { read: &read, ..LoadOptions::default() };
    let file = DialectFile::load_with(TOY, base, &options).expect("a description");
    let data = registry_builder().with(file.dialect()).build().expect("the dialects go together");
    let compiled =
        registry_builder().with(tvmscript_toy_dialect::dialect()).build().expect("the dialects go together");
    for (what, operator) in [("checked", "Toy.clamp(A[0] + n, 0, 255)"), ("unchecked", "Toy.twice(A[0] + n)")]
    {
        let text = script(2000, operator);
        let parsed = |registry: &Registry| {
            let parsed = parse("toy.py", &text, registry, &ParseOptions::default());
            assert!(parsed.errors.is_empty());
            parsed.scripts.into_iter().next().map(|script| script.node).expect("a function")
        };
        let times = [&compiled, &data].map(|registry| {
            let node = parsed(registry);
            let parse = median(|| _ = black_box(parsed(registry)));
            let print = median(|| _ = black_box(print(&node, registry, &PrinterConfig::default())));
            (parse, print)
        });
        let [(parse, print), (parse_data, print_data)] = times;
        let ratio = |a: Duration, b: Duration| b.as_secs_f64() / a.as_secs_f64();
        println!("{what}: parse {parse:?}, as data {parse_data:?}: {:.2}", ratio(parse, parse_data));
        println!("{what}: print {print:?}, as data {print_data:?}: {:.2}", ratio(print, print_data));
    }
}

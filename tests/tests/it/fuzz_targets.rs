//! Bodies of the fuzz targets, run on mutated fixtures and JSON with fixed seeds.
//!
//! `FUZZ_ROUNDS` (mutations per text) and `FUZZ_SEED` change the run; `FUZZ_SECONDS` repeats it with other mutations
//! for that long.

use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use tvmscript_test_texts::{Random, Scale, files_of, host_program, number, tokens};
use tvmscript_tests::json_changes;

#[path = "../../fuzz/src/lib.rs"]
pub(crate) mod targets;

/// Replacements for tokens, besides other tokens of the text.
const TOKENS: &str = "0 1 -1 2 64 -9223372036854775808 9223372036854775807 99999999999999999999 0.0 1e309 nan 1e-320 \
    True False None \"\" \"n\" \"int32\" \"float8_e4m3fn\" \"int8x4\" \"float32xvscalex4\" \"handle\" \"void\" \"global\" ( ) [ ] { } , : . = == + - * / // % ** -> @ * ** \
    lambda if else for in not and or pass return del class def with as \
    T.int64(0) T.float32(\"inf\") T.Ramp(0,1,4) T.max(a,b) T.int32() T.serial T.grid T.sblock T.Buffer T.handle() T.evaluate T.reads() T.where \
    R.Tensor R.Shape R.Tuple() R.Object R.call_tir R.output R.dataflow() R.shape([1]) R.prim_value(1) R.const(1) R.str(\"a\") \
    [0] {} null {\"type_key\":\"\"} \"root\" 4294967296 -2";

/// Removes, duplicates, replaces or swaps one to three tokens, or moves a line.
fn change(text: &str, other: &str, random: &mut Random) -> String {
    let mut text = text.to_owned();
    for _ in 0..1 + random.below(3) {
        let found = tokens(&text);
        if found.is_empty() {
            break;
        }
        let token = found[random.below(found.len())].range.clone();
        let words: Vec<&str> = TOKENS.split_whitespace().collect();
        let elsewhere = tokens(other);
        let new = match random.below(7) {
            0 => String::new(),
            1 => text[token.clone()].repeat(2),
            2 | 3 => words[random.below(words.len())].to_owned(),
            4 => text[found[random.below(found.len())].range.clone()].to_owned(),
            5 if !elsewhere.is_empty() => {
                other[elsewhere[random.below(elsewhere.len())].range.clone()].to_owned()
            }
            _ => {
                let mut lines: Vec<&str> = text.lines().collect();
                let line = lines.remove(random.below(lines.len()));
                lines.insert(random.below(lines.len() + 1), line);
                text = lines.join("\n") + "\n";
                continue;
            }
        };
        text.replace_range(token, &new);
    }
    text
}

/// Runs targets on mutations of each text.
fn campaign(name: &str, texts: &[String], rounds: u64, targets: &[fn(&str)]) {
    assert!(texts.len() > 20, "{} texts", texts.len());
    campaign_with(
        name,
        texts,
        rounds,
        |text| targets.iter().for_each(|target| target(text)),
        |text, other, random| change(text, other, random),
    );
}

/// Runs a check on mutations of each input; keeps the inputs of failures.
pub(crate) fn campaign_with<T: AsRef<[u8]>>(
    name: &str,
    inputs: &[T],
    rounds: u64,
    check: impl Fn(&T),
    change: impl Fn(&T, &T, &mut Random) -> T,
) {
    assert!(!inputs.is_empty());
    let mut random = Random::new(number("FUZZ_SEED", 1));
    let mut failures = Vec::new();
    let start = std::time::Instant::now();
    let seconds = number("FUZZ_SECONDS", 0);
    let passes = std::iter::once(())
        .chain(std::iter::repeat_with(|| ()).take_while(|()| start.elapsed().as_secs() < seconds));
    for input in passes.flat_map(|()| inputs) {
        for _ in 0..number("FUZZ_ROUNDS", rounds) {
            let other = &inputs[random.below(inputs.len())];
            let input = change(input, other, &mut random);
            if catch_unwind(AssertUnwindSafe(|| check(&input))).is_err() {
                failures.push(input);
            }
        }
    }
    let shown = failures.iter().min_by_key(|input| input.as_ref().len());
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fuzz-{name}"));
    if shown.is_some() {
        std::fs::create_dir_all(&folder).unwrap();
        for (i, input) in failures.iter().enumerate() {
            std::fs::write(folder.join(format!("{i}.txt")), input).unwrap();
        }
    }
    assert!(
        shown.is_none(),
        "{} failures, in {}; one:\n{}",
        failures.len(),
        folder.display(),
        shown.map(|input| String::from_utf8_lossy(input.as_ref())).unwrap_or_default()
    );
}

fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    files_of(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), extension)
}

/// Maximum size of a text, to limit the time.
const MAX_BYTES: usize = 4_000;

#[test]
fn changed_scripts_parse_or_err_and_read_back() {
    let mut texts: Vec<String> = ["fixtures/ok", "fixtures/kernels", "fixtures/err"]
        .iter()
        .flat_map(|folder| files(folder, "py"))
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    texts.retain(|text| text.len() <= MAX_BYTES);
    campaign("scripts", &texts, 2, &[targets::parse, targets::roundtrip]);
}

#[test]
fn changed_host_code_ends() {
    let texts = files("fixtures/files", "py").into_iter().map(|path| std::fs::read_to_string(path).unwrap());
    let programs = (1..=40).map(|seed| host_program(&mut Random::new(seed), Scale::Small));
    let texts: Vec<String> = texts.chain(programs).collect();
    campaign("host", &texts, 2, &[targets::host]);
}

/// TVM's JSON of the corpus.
fn corpus_json() -> Vec<String> {
    let mut texts: Vec<String> = files("corpus/json", "gz")
        .iter()
        .map(|path| {
            let mut text = String::new();
            flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap())
                .read_to_string(&mut text)
                .unwrap();
            text
        })
        .collect();
    texts.retain(|text| text.len() <= 10 * MAX_BYTES);
    texts
}

/// Programs as JSON in both formats.
fn json_of_programs() -> Vec<String> {
    let registry = tvmscript::registry();
    let mut texts = corpus_json();
    let mut scripts = files("fixtures/ok", "py");
    scripts.extend(files("fixtures/kernels", "py"));
    for path in scripts {
        let text = std::fs::read_to_string(path).unwrap();
        let parsed = tvmscript::parse("fuzz", &text, registry, &tvmscript::ParseOptions::default());
        texts.extend(parsed.scripts.iter().filter_map(|script| tvmscript::to_tvm_json(&script.node).ok()));
    }
    texts.retain(|text| text.len() <= 10 * MAX_BYTES);
    let ours = texts.iter().filter_map(|text| tvmscript::from_tvm_json(text, registry).ok());
    let ours: Vec<String> = ours.map(|node| tvmscript::to_json(&node)).collect();
    texts.extend(ours);
    assert!(texts.len() > 20, "{} texts", texts.len());
    texts
}

#[test]
fn json_with_changed_values_loads_or_errs() {
    let texts = json_of_programs();
    campaign_with(
        "from-json",
        &texts,
        1,
        |text| targets::from_json(text),
        |text, _, random| json_changes::change_structure(text, random),
    );
}

#[test]
fn json_with_changed_bytes_loads_or_errs() {
    let texts = json_of_programs();
    campaign_with(
        "from-json-bytes",
        &texts,
        1,
        |text| targets::from_json(text),
        |text, _, random| json_changes::change_bytes(text, random),
    );
}

#[test]
fn changed_json_loads_or_errs() {
    let texts = corpus_json();
    campaign("json", &texts, 6, &[targets::json]);
}

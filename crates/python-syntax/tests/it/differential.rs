//! Both backends build the same tree with the same ranges.
#![cfg(feature = "ruff")]

use std::path::Path;

use crate::support;
use tvmscript_python_syntax::{Backend, ParsedPython, PythonOptions, parse_python};
use tvmscript_test_texts::{corpus, files_below};

fn read(text: &str, backend: Backend) -> ParsedPython {
    let mut options = PythonOptions::default();
    options.backend = backend;
    parse_python(text, &options)
}

fn compare(path: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(path).unwrap();
    let name = path.display();
    let (a, b) = (read(&text, Backend::RustPython), read(&text, Backend::Ruff));
    // Some printed programs are not Python; both backends then report the same line first.
    let first_line = |parsed: &ParsedPython| {
        let start = parsed.errors.first()?.range.to_usize().start;
        Some(text[..start].lines().count())
    };
    if first_line(&a) != first_line(&b) {
        return Err(format!("{name}: {:?} {:?}", a.errors, b.errors));
    }
    if !a.errors.is_empty() {
        return Ok(());
    }
    if a.comments != b.comments {
        return Err(format!("{name}: comments differ"));
    }
    let (a, b) = (support::dump(&a.ast), support::dump(&b.ast));
    let differences: Vec<String> = a
        .lines()
        .zip(b.lines())
        .filter(|(x, y)| x != y)
        .take(40)
        .map(|(x, y)| format!("  {x}\n  {y}"))
        .collect();
    if differences.is_empty() && a.len() == b.len() {
        Ok(())
    } else {
        Err(format!("{name}: trees differ\n{}", differences.join("\n")))
    }
}

fn compare_all(root: &Path) -> usize {
    // Unoptimised foreign parsers take minutes for the largest files.
    let largest = if cfg!(debug_assertions) { 20_000 } else { u64::MAX };
    let mut files = files_below(root, "py");
    files.retain(|path| path.metadata().is_ok_and(|m| m.len() <= largest));
    let failures: Vec<String> = files.iter().filter_map(|path| compare(path).err()).collect();
    assert!(failures.is_empty(), "{} of {} differ\n{}", failures.len(), files.len(), failures[0]);
    files.len()
}

#[test]
fn both_backends_read_the_same_tree() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files");
    assert!(compare_all(&root) > 0);
}

/// Requires the large corpus.
#[test]
fn both_backends_read_the_same_corpus() {
    compare_all(&corpus());
}

/// Texts that only one of the backends accepts.
#[test]
fn what_only_one_backend_reads_is_an_error_of_the_other() {
    use Backend::{Ruff, RustPython};
    for (text, reader) in [
        // Python 3.12: quotes of an f-string inside its `{}`, line breaks there, deeper specifications.
        ("x = f\"{a[\"b\"]}\"\n", Ruff),
        ("x = f'{a\n}'\n", Ruff),
        ("x = f'{*a}'\n", Ruff),
        ("x = f'{a:{b:{c}}}'\n", Ruff),
        // Defaults of type parameters, and exceptions without parentheses.
        ("def f[T = int](): pass\n", Ruff),
        ("try: pass\nexcept A, B: pass\n", Ruff),
        // A tab after spaces in the indentation.
        ("if x:\n  \ty\n", Ruff),
        // Rejected by CPython too.
        ("f(a for a in b, c)\n", RustPython),
        ("def f(*, **k): pass\n", RustPython),
    ] {
        for backend in [RustPython, Ruff] {
            let errors = read(text, backend).errors;
            assert_eq!(errors.is_empty(), backend == reader, "{text:?} {backend:?} {errors:?}");
        }
    }
}

/// Short texts with former differences.
#[test]
fn corner_cases_are_read_alike() {
    for text in ["x[*a]\n", "x[a:b, *c]\n", "x[a,]\n", "with (a, b) as c: pass\n", "for a in *b, c: pass\n"] {
        let [a, b] = [Backend::RustPython, Backend::Ruff].map(|backend| read(text, backend));
        assert!(a.errors.is_empty() && b.errors.is_empty(), "{text}");
        assert_eq!(support::dump(&a.ast), support::dump(&b.ast), "{text}");
    }
}

/// Identifiers are compared in normalised form: `ﬁ` is `fi`.
#[test]
fn identifiers_are_normalised_alike() {
    let written =
        "def ﬁ(𝐱, *ª, ℌ=1, **µ):\n    global ſ\n    𝐱.ℌ = ﬁ(ℌ=𝐱)\nimport ℌ.ﬁ as ﬀ\nfrom ﬁ import ℌ as ﬀ\n";
    let normal = "def fi(x, *a, H=1, **μ):\n    global s\n    x.H = fi(H=x)\nimport H.fi as ff\nfrom fi import H as ff\n";
    let names = |text: &str, backend| {
        let parsed = read(text, backend);
        assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
        // Without ranges, which count bytes.
        let dump = support::dump(&parsed.ast);
        let words = dump.split_whitespace().filter(|word| !word.contains(".."));
        words.collect::<Vec<_>>().join(" ")
    };
    let wanted = names(normal, Backend::Ruff);
    for backend in [Backend::RustPython, Backend::Ruff] {
        assert_eq!(names(written, backend), wanted, "{backend:?}");
    }
}

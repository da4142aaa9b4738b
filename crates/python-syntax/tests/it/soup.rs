//! Unusual texts: parsed in time, with all ranges inside the text.

use std::time::{Duration, Instant};

use tvmscript_python_syntax::ast::TextRange;
use tvmscript_python_syntax::{Backend, PythonOptions, parse_python};
use tvmscript_test_texts::{Random, number};

const BACKENDS: &[Backend] = &[
    Backend::RustPython,
    #[cfg(feature = "ruff")]
    Backend::Ruff,
];

const PARTS: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "\"",
    "'",
    "\"\"\"",
    "'''",
    "f\"",
    "f'''",
    "rb'",
    "\\",
    "\\\n",
    "\n",
    "\n",
    "\n    ",
    "\n        ",
    "\n\t",
    "\n  ",
    "\r\n",
    "\r",
    "#",
    "# c\n",
    ":",
    ":\n    ",
    ",",
    ";",
    "=",
    "==",
    "+",
    "-",
    "*",
    "**",
    ".",
    "...",
    "@",
    "->",
    ":=",
    "!",
    "$",
    "?",
    "\0",
    "\x0c",
    "é",
    "名",
    "\u{feff}",
    "💥",
    " ",
    "x",
    "y1",
    "_",
    "0",
    "1.5",
    "0x",
    "1e",
    "1_",
    "0b2",
    "2j",
    "if ",
    "elif ",
    "else",
    "for ",
    "in ",
    "while ",
    "def ",
    "class ",
    "lambda ",
    "return ",
    "with ",
    "as ",
    "try",
    "except ",
    "finally",
    "match ",
    "case ",
    "type ",
    "async ",
    "await ",
    "yield ",
    "from ",
    "import ",
    "global ",
    "not ",
    "and ",
    "is ",
    "del ",
    "pass",
    "None",
    "print ",
    "{x!r:>{w}}",
    "{{",
    "}}",
    "{a:{b:{c}}}",
    "\\N{",
    "\\x4",
    "f(a=1, b)",
    "def f(a, a): pass\n",
    "x: int = 1\n",
    "@d\n",
    "else:\n",
    "if x:\n    pass\n",
];

fn answer(text: &str, backend: Backend) {
    let mut options = PythonOptions::default();
    options.backend = backend;
    let start = Instant::now();
    let parsed = parse_python(text, &options);
    assert!(start.elapsed() < Duration::from_secs(120), "{backend:?} {:?}: {text:?}", start.elapsed());
    let inside = |range: TextRange| {
        assert!(
            range.start <= range.end && text.get(range.to_usize()).is_some(),
            "{backend:?} {range:?}: {text:?}"
        );
    };
    for error in &parsed.errors {
        inside(error.range);
        error.related.iter().for_each(|(range, _)| inside(*range));
    }
    parsed.comments.iter().for_each(|comment| inside(comment.range));
    parsed.ast.module_body().iter().for_each(|id| inside(parsed.ast.range(*id)));
    assert!(parsed.errors.windows(2).all(|pair| pair[0].range.start <= pair[1].range.start));
}

#[test]
fn any_sequence_of_parts_is_answered() {
    let mut random = Random::new(number("SOUP_SEED", 11));
    for round in 0..number("SOUP_ROUNDS", 1_500) {
        let len = 1 + random.below(if round % 50 == 0 { 400 } else { 25 });
        let text: String = (0..len).map(|_| PARTS[random.below(PARTS.len())]).collect();
        for &backend in BACKENDS {
            answer(&text, backend);
        }
    }
}

#[test]
fn one_part_many_times_is_answered_in_time() {
    for part in PARTS {
        for unit in
            [(*part).to_owned(), format!("{part}\n"), format!("{part}x = 1\n"), format!("x = ({part}")]
        {
            let text = unit.repeat(1_000);
            for &backend in BACKENDS {
                answer(&text, backend);
            }
        }
    }
}

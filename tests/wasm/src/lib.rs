//! The library inside WebAssembly, as a module that the test `p79_10` loads: reads and prints a program of the corpus, and
//! reads a text that nests too deeply for the stack there.

use tvmscript::{parse, print, registry, ParseOptions, PrinterConfig};

/// A program as it is printed.
const PROGRAM: &str = include_str!("../../corpus/tir/topi_resize2d_nn_float32.py");

/// Parses and prints a program. Returns 1 if the text is the same.
#[no_mangle]
pub extern "C" fn round_trip() -> u32 {
    let parsed = parse("program.py", PROGRAM, registry(), &ParseOptions::default());
    let Some(script) = parsed.scripts.first() else { return 0 };
    let text = print(&script.node, registry(), &PrinterConfig::default());
    u32::from(text.is_ok_and(|text| text.trim_end() == PROGRAM.trim_end()))
}

/// Parses and prints a sum of this many terms. Returns the number of errors.
#[no_mangle]
pub extern "C" fn sum(terms: u32) -> u32 {
    let sum = vec!["n"; terms as usize].join(" + ");
    errors_of(&format!("@T.prim_func\ndef f(n: T.int32):\n    T.evaluate({sum})\n"))
}

/// Parses and prints nested loops. Returns the number of errors.
#[no_mangle]
pub extern "C" fn loops(depth: u32) -> u32 {
    let mut text = "@T.prim_func\ndef f(n: T.int32):\n".to_owned();
    for level in 0..=depth as usize {
        let head = if level < depth as usize {
            format!("for i{level} in range(2):")
        } else {
            "T.evaluate(n)".to_owned()
        };
        text.push_str(&format!("{}{head}\n", "    ".repeat(level + 1)));
    }
    errors_of(&text)
}

fn errors_of(text: &str) -> u32 {
    let parsed = parse("deep.py", text, registry(), &ParseOptions::default());
    let printed =
        parsed.scripts.iter().map(|script| print(&script.node, registry(), &PrinterConfig::default()));
    (parsed.errors.len() + printed.filter(Result::is_err).count()) as u32
}

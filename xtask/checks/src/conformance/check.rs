//! The offline questions about one program, asked on threads with small stacks.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use tvmscript::tvm_json::TvmJsonVersion;

use super::corpus::Program;
use super::graph;
use crate::subject;

/// The stack of a worker: small on purpose, since no input may need more.
const STACK_BYTES: usize = 2 << 20;

/// An answer: yes, or no and why. `None` where the question does not arise.
pub type Answer = Option<Result<(), String>>;

/// The answers about one program.
#[derive(Default)]
pub struct Outcome {
    /// It parses.
    pub parses: Answer,
    /// Its print is its text.
    pub same_text: Answer,
    /// Its print reads back structurally equal.
    pub equal: Answer,
    /// The second print is the first.
    pub stable: Answer,
    /// Our JSON of the parse is TVM's recorded one.
    pub reparse_json: Answer,
    /// TVM's JSON of the original loads, and its print is the text or reads back to it.
    pub json: Answer,
    /// No call panicked.
    pub survives: Answer,
    /// Our JSON of the parse loads to an equal program.
    pub own_json: Answer,
    /// TVM reads our print as it reads the original.
    pub live_equal: Answer,
    /// Our JSON of the parse is TVM's live one.
    pub live_json: Answer,
    /// TVM's live JSON loads to a program that is equal to our parse.
    pub live_load: Answer,
    /// Our print.
    pub printed: Option<String>,
    /// The release whose JSON the parse is saved in.
    pub release: Option<&'static str>,
}

/// Answers the questions for all programs, in their order.
pub fn all(programs: &[Program], trace: bool) -> Vec<Outcome> {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let outcomes = in_parallel(programs.len(), |i| {
        if trace {
            eprintln!("{}/{}", programs[i].kind, programs[i].name);
        }
        let result = catch_unwind(AssertUnwindSafe(|| one(&programs[i])));
        result.unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string()));
            let text = format!("panic: {}", text.unwrap_or_default());
            Outcome { parses: Some(Err(text.clone())), survives: Some(Err(text)), ..Outcome::default() }
        })
    });
    std::panic::set_hook(hook);
    outcomes
}

/// Runs `work` for every index below `count` on as many threads as there are cores.
pub fn in_parallel<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<T>>> = (0..count).map(|_| Mutex::new(None)).collect();
    let threads = std::thread::available_parallelism().map_or(2, usize::from).min(count.max(1));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let worker = || {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    if i >= count {
                        return;
                    }
                    let result = work(i);
                    if let Ok(mut slot) = results[i].lock() {
                        *slot = Some(result);
                    }
                }
            };
            std::thread::Builder::new()
                .stack_size(STACK_BYTES)
                .spawn_scoped(scope, worker)
                .expect("the system gives a thread");
        }
    });
    let filled = results.into_iter().filter_map(|slot| slot.into_inner().ok().flatten());
    filled.collect()
}

/// The answers about one program.
fn one(program: &Program) -> Outcome {
    let mut outcome = Outcome { survives: Some(Ok(())), ..Outcome::default() };
    if let Some(file) = &program.json {
        outcome.json = Some(loads(program, file));
    }
    let first = match subject::parse(&program.name, &program.text) {
        Ok(first) => first,
        Err(errors) => {
            outcome.parses = Some(Err(errors
                .first()
                .map_or_else(String::new, |e| format!("{}:{}: {}", e.line, e.column, e.message))));
            return outcome;
        }
    };
    outcome.parses = Some(Ok(()));
    let json = first.to_tvm_json();
    if let Some(file) = &program.json_reparse {
        outcome.reparse_json = Some(json.clone().and_then(|ours| {
            let theirs = graph::read_gzip(file)?;
            graph::compare(&ours, &theirs)
        }));
    }
    if first.has_tvm_json() {
        outcome.own_json = Some(json.clone().and_then(|json| loads_equal(&json, &first)));
    }
    outcome.release = json.is_ok().then(|| first.json_version().unwrap_or(&TvmJsonVersion::V0_23).name);
    let text = match first.print() {
        Ok(text) => text,
        Err(error) => {
            let no = Some(Err(format!("does not print: {error}")));
            outcome.same_text = no.clone();
            outcome.equal = no.clone();
            outcome.stable = no;
            return outcome;
        }
    };
    if program.canonical {
        outcome.same_text = Some(difference(&program.text, &text));
    }
    match subject::parse(&program.name, &text) {
        Ok(second) => {
            let equal = second.equal(&first);
            outcome.equal =
                Some(if equal { Ok(()) } else { Err("not equal after a round trip".to_string()) });
            outcome.stable = Some(second.print().and_then(|again| difference(&text, &again)));
        }
        Err(errors) => {
            let why = errors
                .first()
                .map_or_else(String::new, |e| format!("{}:{}: {}", e.line, e.column, e.message));
            outcome.equal = Some(Err(format!("our print does not parse: {why}")));
            outcome.stable = Some(Err("our print does not parse".to_string()));
        }
    }
    outcome.printed = Some(text);
    outcome
}

/// Checks that a JSON text loads to a program.
pub fn loads_equal(json: &str, program: &subject::Program) -> Result<(), String> {
    match subject::Program::from_tvm_json(json)? {
        loaded if loaded.equal(program) => Ok(()),
        loaded => Err(format!("the JSON loads to another program: {}", loaded.difference(program))),
    }
}

/// Checks that TVM's JSON of the original loads and prints to the text, or to one that reads back to it.
fn loads(program: &Program, file: &std::path::Path) -> Result<(), String> {
    let json = graph::read_gzip(file)?;
    let loaded = subject::Program::from_tvm_json(&json)?;
    let text = loaded.print()?;
    let Err(why) = difference(&program.text, &text) else { return Ok(()) };
    match subject::parse(&program.name, &text) {
        Ok(read) if read.equal(&loaded) => Ok(()),
        Ok(_) => Err(format!("the print of the JSON reads back to another program; {why}")),
        Err(errors) => {
            let place = errors.first().map_or_else(String::new, |e| format!("{}: {}", e.line, e.message));
            Err(format!("the print of the JSON does not parse: {place}; {why}"))
        }
    }
}

/// The first line in which two texts differ, final newlines aside.
pub fn difference(expected: &str, found: &str) -> Result<(), String> {
    let (expected, found) = (expected.trim_end_matches('\n'), found.trim_end_matches('\n'));
    if expected == found {
        return Ok(());
    }
    let (mut a, mut b) = (expected.lines(), found.lines());
    let mut line = 0;
    loop {
        line += 1;
        match (a.next(), b.next()) {
            (Some(x), Some(y)) if x == y => {}
            (x, y) => {
                let cut = |s: Option<&str>| {
                    s.map_or("<end>".to_string(), |s| s.trim_start().chars().take(300).collect())
                };
                return Err(format!("line {line}:\n      expected {}\n      found    {}", cut(x), cut(y)));
            }
        }
    }
}

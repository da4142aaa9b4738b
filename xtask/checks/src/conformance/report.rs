//! Figures by kind, ours beside TVM's, and the failing files by cause.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::Result;

use super::check::{Answer, Outcome};
use super::corpus::Program;
use xtask::workspace;

/// The number of misses of each question, by kind.
pub type Figures = BTreeMap<String, BTreeMap<String, u64>>;

/// A question: its name, the answer, and which programs it is counted on.
struct Question {
    name: &'static str,
    answer: fn(&Outcome) -> &Answer,
    counts: fn(&Program) -> bool,
    /// TVM's own share, if the corpus tells.
    tvm: Option<fn(&Program) -> bool>,
}

/// The questions, in the order of the table.
const QUESTIONS: &[Question] = &[
    Question { name: "no panic", answer: |o| &o.survives, counts: |_| true, tvm: None },
    Question { name: "parses", answer: |o| &o.parses, counts: |p| p.tvm_parses, tvm: None },
    Question { name: "parses, all", answer: |o| &o.parses, counts: |_| true, tvm: Some(|p| p.tvm_parses) },
    Question { name: "same text", answer: |o| &o.same_text, counts: |p| p.tvm_fixpoint, tvm: None },
    Question {
        name: "same text, all",
        answer: |o| &o.same_text,
        counts: |_| true,
        tvm: Some(|p| p.tvm_fixpoint),
    },
    Question { name: "equal", answer: |o| &o.equal, counts: |_| true, tvm: Some(|p| p.tvm_roundtrip) },
    Question { name: "stable", answer: |o| &o.stable, counts: |_| true, tvm: None },
    Question { name: "json of parse", answer: |o| &o.reparse_json, counts: |_| true, tvm: None },
    Question { name: "json loads", answer: |o| &o.json, counts: |_| true, tvm: None },
    Question { name: "json round trip", answer: |o| &o.own_json, counts: |_| true, tvm: None },
    Question { name: "TVM: equal", answer: |o| &o.live_equal, counts: |_| true, tvm: None },
    Question { name: "TVM: json", answer: |o| &o.live_json, counts: |_| true, tvm: None },
    Question { name: "TVM: json loads", answer: |o| &o.live_load, counts: |_| true, tvm: None },
];

/// Prints the table and gives its misses.
pub fn table(programs: &[Program], outcomes: &[Outcome]) -> Figures {
    let mut kinds: Vec<&str> = Vec::new();
    for program in programs {
        if !kinds.contains(&program.kind.as_str()) {
            kinds.push(&program.kind);
        }
    }
    let mut figures = Figures::new();
    println!("{:<18}{:>7}  ours, of so many; (TVM)", "", "files");
    for kind in kinds {
        let of_kind: Vec<(&Program, &Outcome)> =
            programs.iter().zip(outcomes).filter(|(p, _)| p.kind == kind).collect();
        println!("{kind:<18}{:>7}", of_kind.len());
        for question in QUESTIONS {
            let counted: Vec<_> = of_kind.iter().filter(|(p, _)| (question.counts)(p)).collect();
            let asked: Vec<_> = counted.iter().filter(|(_, o)| (question.answer)(o).is_some()).collect();
            if asked.is_empty() {
                continue;
            }
            let yes = asked.iter().filter(|(_, o)| matches!((question.answer)(o), Some(Ok(())))).count();
            let misses = asked.len() - yes;
            let mut line = format!("    {:<18}{}", question.name, share(yes, asked.len()));
            if let Some(tvm) = question.tvm
                && !matches!(kind, "kernels" | "programs" | "ok" | "files")
            {
                let theirs = counted.iter().filter(|(p, _)| tvm(p)).count();
                let _ = write!(line, "   (TVM {})", share(theirs, counted.len()));
            }
            println!("{line}");
            figures.entry(kind.to_string()).or_default().insert(question.name.to_string(), misses as u64);
        }
    }
    figures
}

/// `n / of  per cent`.
pub fn share(n: usize, of: usize) -> String {
    let percent = if of == 0 { 100.0 } else { 100.0 * n as f64 / of as f64 };
    format!("{n:>5} / {of:<5}{percent:>6.1} %")
}

/// Prints the first failures of each question, grouped by cause, and writes all of them to a file.
///
/// # Errors
/// When the file cannot be written.
pub fn failures(name: &str, programs: &[Program], outcomes: &[Outcome], show: usize) -> Result<()> {
    let mut all = String::new();
    for question in QUESTIONS {
        // What TVM itself does not do is only in the file.
        let show = if question.name.ends_with(", all") { 0 } else { show };
        let mut causes: BTreeMap<String, Vec<(String, &str)>> = BTreeMap::new();
        for (program, outcome) in programs.iter().zip(outcomes).filter(|(p, _)| (question.counts)(p)) {
            if let Some(Err(why)) = (question.answer)(outcome) {
                let mut label = format!("{}/{}", program.kind, program.name);
                if let Some(id) = &program.deviation {
                    let _ = write!(label, " [{id}]");
                }
                causes.entry(cause(why)).or_default().push((label, why));
            }
        }
        let mut causes: Vec<_> = causes.into_iter().collect();
        causes.sort_by_key(|(_, files)| std::cmp::Reverse(files.len()));
        for (i, (cause, files)) in causes.iter().enumerate() {
            let mut text = format!("{}: {} x {cause}\n", question.name, files.len());
            for (file, why) in files {
                let _ = writeln!(text, "    {file}: {why}");
            }
            if i < show {
                print!("{}", text.lines().take(5).map(|l| format!("{l}\n")).collect::<String>());
            } else if i == show && show > 0 {
                println!("{}: {} more causes", question.name, causes.len() - show);
            }
            all.push_str(&text);
        }
    }
    let dir = workspace::root().join("target/conformance");
    std::fs::create_dir_all(&dir)?;
    std::fs::write(dir.join(format!("{name}.txt")), all)?;
    println!("all failures: target/conformance/{name}.txt");
    Ok(())
}

/// The cause without its place: numbers, quoted names and paths are dropped.
pub fn cause(why: &str) -> String {
    let line = why.lines().next().unwrap_or_default();
    let line = line.split(" at <root>").next().unwrap_or(line);
    let mut cause = String::new();
    let mut quote = None;
    for c in line.chars().take(160) {
        match c {
            _ if quote == Some(c) => quote = None,
            _ if quote.is_some() => {}
            '`' | '"' => {
                quote = Some(c);
                cause.push_str("`..`");
            }
            '0'..='9' => {
                if !cause.ends_with('#') {
                    cause.push('#');
                }
            }
            _ => cause.push(c),
        }
    }
    cause
}

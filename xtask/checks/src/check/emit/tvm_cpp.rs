//! Programs in C++ for TVM's own builder: they are checked against its headers, and not linked.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};

use super::{Answer, Emitted};
use crate::conformance::in_parallel;

/// Programs of one unit of compilation, which reads the headers once.
const PER_UNIT: usize = 50;

/// Characters shown of a message of the compiler.
const MAX_MESSAGE: usize = 160;

/// Checks programs; returns the name and the answer of each.
pub(super) fn run(
    folder: &Path,
    headers: &[PathBuf],
    programs: &[Emitted<'_>],
) -> Result<Vec<(String, Answer)>> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    let chunks: Vec<&[Emitted<'_>]> = programs.chunks(PER_UNIT).collect();
    let answers = in_parallel(chunks.len(), |i| run_chunk(&folder.join(i.to_string()), headers, chunks[i]));
    let mut all = Vec::new();
    for answers in answers {
        all.extend(answers?);
    }
    Ok(all)
}

fn run_chunk(folder: &Path, headers: &[PathBuf], programs: &[Emitted<'_>]) -> Result<Vec<(String, Answer)>> {
    fs::create_dir_all(folder)?;
    let mut main = String::new();
    // A header that a program includes in its namespace was included before.
    let first = programs.first().context("a program")?;
    main.extend(first.text.lines().filter(|line| line.starts_with("#include")).flat_map(|line| [line, "\n"]));
    for (number, program) in programs.iter().enumerate() {
        fs::write(folder.join(format!("p{number}.cpp")), &program.text)?;
        main.push_str(&format!("namespace p{number} {{\n#include \"p{number}.cpp\"\n}}\n"));
    }
    let unit = folder.join("main.cpp");
    fs::write(&unit, main)?;
    let mut compiler = Command::new(std::env::var_os("CXX").unwrap_or_else(|| "c++".into()));
    compiler.args(["-std=c++17", "-fsyntax-only", "-w"]).arg(&unit);
    for headers in headers {
        compiler.arg("-I").arg(headers);
    }
    let output = compiler.output().context("the compiler of C++")?;
    let messages = String::from_utf8_lossy(&output.stderr);
    fs::write(folder.join("messages.txt"), messages.as_bytes())?;
    let answer = |(number, program): (usize, &Emitted<'_>)| {
        let file = format!("/p{number}.cpp:");
        // A header has the mistake if a template of it does not fit: a line before says which program uses it.
        let is_own = messages.lines().position(|line| line.contains(&file) && !line.contains("note: "));
        let answer = match is_own {
            Some(at) => Err(cause(messages.lines().skip(at))),
            None if !output.status.success() && !messages.contains(".cpp:") => Err(cause(messages.lines())),
            None => Ok(()),
        };
        (program.script.0.clone(), answer)
    };
    Ok(programs.iter().enumerate().map(answer).collect())
}

/// The first message of an error.
fn cause<'m>(mut messages: impl Iterator<Item = &'m str>) -> String {
    let error = messages.find_map(|line| line.split_once("error: ")).map_or("fails", |(_, error)| error);
    error.chars().take(MAX_MESSAGE).collect()
}

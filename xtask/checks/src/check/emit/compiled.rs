//! Programs in compiled languages: many in one executable, which writes what each builds.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use tvmscript::{from_json, registry};
use xtask::workspace;

use super::{Answer, Emitted, compare};
use crate::conformance::in_parallel;

/// Programs that are compiled into one.
const PER_EXECUTABLE: usize = 60;

/// Lines shown of the messages of a compiler.
const MAX_LINES: usize = 12;

/// A compiled language.
pub(super) trait Language: Sync {
    /// Of its files.
    const EXTENSION: &'static str;

    /// The file that runs the programs `p0`, `p1` and so on, and writes for each `p0.json` or `p0.error` into the folder that is
    /// its argument.
    fn main(&self, count: usize) -> String;

    /// The call of the compiler, with the folder of optimised libraries.
    fn compiler(&self, main: &Path, executable: &Path, libraries: &Path) -> Command;
}

/// Compiles and runs programs; returns the name and the answer of each.
pub(super) fn run<L: Language>(
    language: &L,
    folder: &Path,
    programs: &[Emitted<'_>],
) -> Result<Vec<(String, Answer)>> {
    let mut build = workspace::cargo();
    build.args(workspace::OPTIMIZED).args(["--lib", "-p", "tvmscript", "-p", "tvmscript-c"]);
    if !build.status()?.success() {
        bail!("the library does not build");
    }
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    let chunks: Vec<&[Emitted<'_>]> = programs.chunks(PER_EXECUTABLE).collect();
    let answers = in_parallel(chunks.len(), |i| run_chunk(language, &folder.join(i.to_string()), chunks[i]));
    let mut all = Vec::new();
    for answers in answers {
        all.extend(answers?);
    }
    Ok(all)
}

fn run_chunk<L: Language>(
    language: &L,
    folder: &Path,
    programs: &[Emitted<'_>],
) -> Result<Vec<(String, Answer)>> {
    fs::create_dir_all(folder)?;
    for (number, program) in programs.iter().enumerate() {
        fs::write(folder.join(format!("p{number}.{}", L::EXTENSION)), &program.text)?;
    }
    let main = folder.join(format!("main.{}", L::EXTENSION));
    fs::write(&main, language.main(programs.len()))?;
    let executable = match compile(language, &main)? {
        Ok(executable) => executable,
        Err(error) => {
            let first = error.lines().take(MAX_LINES).collect::<Vec<_>>().join("\n");
            return Ok(programs.iter().map(|program| (name(program), Err(first.clone()))).collect());
        }
    };
    let ran = Command::new(&executable).arg(folder).output()?;
    let answer = |(number, program): (usize, &Emitted<'_>)| {
        let (script, text) = program.script;
        let read = |kind: &str| fs::read_to_string(folder.join(format!("p{number}.{kind}")));
        let answer = match read("json") {
            Ok(json) => match from_json(&json, registry()) {
                Ok(node) => compare(script, text, &node),
                Err(error) => Err(error.to_string()),
            },
            Err(_) => Err(read("error")
                .unwrap_or_else(|_| format!("the program stops: {}", String::from_utf8_lossy(&ran.stderr)))),
        };
        (name(program), answer)
    };
    Ok(programs.iter().enumerate().map(answer).collect())
}

fn name(program: &Emitted<'_>) -> String {
    program.script.0.clone()
}

/// Compiles a file; returns the executable, or the messages of the compiler.
fn compile<L: Language>(language: &L, main: &Path) -> Result<Result<PathBuf, String>> {
    let built = workspace::optimized("tvmscript");
    let libraries = built.parent().context("a folder of built programs")?;
    let executable = main.with_extension(std::env::consts::EXE_EXTENSION);
    let output = language.compiler(main, &executable, libraries).output()?;
    Ok(match output.status.success() {
        true => Ok(executable),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    })
}

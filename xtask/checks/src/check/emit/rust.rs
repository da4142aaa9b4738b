//! Programs in Rust: compiled against the optimised library, many in one program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use tvmscript::{from_json, registry};
use xtask::workspace;

use super::{Answer, Emitted, compare};
use crate::conformance::in_parallel;

/// Programs that are compiled into one.
const PER_PROGRAM: usize = 60;

/// The function that runs one of them.
const RUN: &str = "
fn run(folder: &str, name: &str, build: fn() -> Result<tvmscript::Object, tvmscript::dynamic::BuildErrors>) {
    let (kind, text) = match build() {
        Ok(node) => (\"json\", tvmscript::to_json(&node)),
        Err(errors) => (\"error\", errors.to_string()),
    };
    std::fs::write(format!(\"{folder}/{name}.{kind}\"), text).expect(\"the folder exists\");
}
";

/// Compiles and runs programs; returns the name and the answer of each.
pub(super) fn run(folder: &Path, programs: &[Emitted<'_>]) -> Result<Vec<(String, Answer)>> {
    let mut build = workspace::cargo();
    build.args(workspace::OPTIMIZED).args(["--lib", "-p", "tvmscript"]);
    if !build.status()?.success() {
        bail!("the library does not build");
    }
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    let chunks: Vec<&[Emitted<'_>]> = programs.chunks(PER_PROGRAM).collect();
    let answers = in_parallel(chunks.len(), |i| run_chunk(&folder.join(i.to_string()), chunks[i]));
    let mut all = Vec::new();
    for answers in answers {
        all.extend(answers?);
    }
    Ok(all)
}

fn run_chunk(folder: &Path, programs: &[Emitted<'_>]) -> Result<Vec<(String, Answer)>> {
    fs::create_dir_all(folder)?;
    let mut main = String::new();
    let mut calls = String::new();
    for (number, program) in programs.iter().enumerate() {
        fs::write(folder.join(format!("p{number}.rs")), &program.text)?;
        main.push_str(&format!("mod p{number};\n"));
        calls.push_str(&format!("    run(&folder, \"p{number}\", p{number}::build);\n"));
    }
    main.push_str(RUN);
    main.push_str(&format!(
        "\nfn main() {{\n    let folder = std::env::args().nth(1).expect(\"a folder\");\n{calls}}}\n"
    ));
    fs::write(folder.join("main.rs"), main)?;
    let binary = compile(folder)?;
    let binary = match binary {
        Ok(binary) => binary,
        Err(error) => {
            let first = error.lines().take(12).collect::<Vec<_>>().join("\n");
            return Ok(programs.iter().map(|program| (name(program), Err(first.clone()))).collect());
        }
    };
    let ran = Command::new(&binary).arg(folder).output()?;
    let answer = |(number, program): (usize, &Emitted<'_>)| {
        let (script, text) = program.script;
        let answer = match fs::read_to_string(folder.join(format!("p{number}.json"))) {
            Ok(json) => match from_json(&json, registry()) {
                Ok(node) => compare(script, text, &node),
                Err(error) => Err(error.to_string()),
            },
            Err(_) => Err(fs::read_to_string(folder.join(format!("p{number}.error")))
                .unwrap_or_else(|_| format!("the program stops: {}", String::from_utf8_lossy(&ran.stderr)))),
        };
        (name(program), answer)
    };
    Ok(programs.iter().enumerate().map(answer).collect())
}

fn name(program: &Emitted<'_>) -> String {
    program.script.0.clone()
}

/// Compiles `main.rs` of a folder; returns the program, or the messages of the compiler.
fn compile(folder: &Path) -> Result<Result<PathBuf, String>> {
    let built = workspace::optimized("tvmscript");
    let profile = built.parent().context("a folder of built programs")?;
    let binary = folder.join("programs");
    let output = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
        .args(["--edition", "2024", "--crate-name", "programs", "-D", "warnings"])
        .arg("--extern")
        .arg(format!("tvmscript={}", profile.join("libtvmscript.rlib").display()))
        .arg("-L")
        .arg(format!("dependency={}", profile.join("deps").display()))
        .arg("-o")
        .arg(&binary)
        .arg(folder.join("main.rs"))
        .output()?;
    Ok(match output.status.success() {
        true => Ok(binary),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    })
}

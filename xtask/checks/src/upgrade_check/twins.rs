//! Programs that TVM's own Python package holds or builds in both releases: the upgraded text of the older one against
//! the program of the newest.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use super::{Figures, question, upgrade};
use crate::conformance::{Oracle, in_parallel};
use xtask::workspace;

/// Compares the programs of the packages in two virtual environments.
pub(super) fn compare(binary: &Path, older: &Path, newest: &Path) -> Result<Figures> {
    let programs = run(older, &[], "")?;
    let texts = in_parallel(programs.len(), |i| {
        upgrade(binary, programs[i]["text"].as_str().context("a program without text")?)
    });
    let mut figures = Figures::default();
    let mut request = String::new();
    for (program, text) in programs.iter().zip(texts) {
        let name = program["name"].as_str().unwrap_or_default();
        match text? {
            Ok(upgraded) => {
                figures.count(question::PACKAGE_UPGRADED, name, &Ok(()));
                request += &format!("{}\n", json!({"name": name, "text": upgraded["text"]}));
            }
            Err(reason) => figures.count(question::PACKAGE_UPGRADED, name, &Err(reason)),
        }
    }
    // A program that the newest release does not have gives no answer.
    for answer in run(newest, &["--compare"], &request)? {
        let name = answer["name"].as_str().unwrap_or_default();
        let equal = super::answer(&answer, |answer| answer["equal"] == true);
        // A text cannot be equal to a program that no text holds.
        let own =
            if answer["own"] == true { Ok(()) } else { Err("its own text is another program".to_owned()) };
        if own.is_ok() {
            figures.count(question::PACKAGE, name, &equal);
        }
        figures.count(question::PACKAGE_HELD, name, &own);
    }
    Ok(figures)
}

/// The lines that `programs.py` prints in the Python of a virtual environment.
fn run(venv: &Path, arguments: &[&str], input: &str) -> Result<Vec<Value>> {
    let mut child = Command::new(venv.join("bin/python"))
        .arg(workspace::root().join("xtask/checks/src/upgrade_check/programs.py"))
        .args(arguments)
        .env("TVMSCRIPT_ORACLE", Oracle::shared_script())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("starting Python of {}", venv.display()))?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(input.as_bytes())?;
    }
    let output = child.wait_with_output()?;
    if !output.status.success() {
        bail!("programs.py ended with {} in {}", output.status, venv.display());
    }
    let lines = String::from_utf8(output.stdout)?;
    let answers = lines.lines().map(serde_json::from_str).collect::<Result<Vec<Value>, _>>()?;
    // Each name stands for one program.
    let names: BTreeMap<_, _> = answers.iter().map(|answer| (answer["name"].to_string(), ())).collect();
    if names.len() != answers.len() {
        bail!("programs.py gave two programs of one name");
    }
    Ok(answers)
}

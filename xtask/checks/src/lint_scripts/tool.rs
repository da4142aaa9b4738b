//! The tools, and what they print.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

/// A finding of a tool: the rule, `file:line` and the message.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Finding {
    pub(super) place: String,
    pub(super) rule: String,
    pub(super) message: String,
}

/// A tool: its name, its arguments before the files, and the reader of its output.
pub(super) struct Tool {
    pub(super) name: &'static str,
    /// Bits of exit statuses that mean that the tool itself failed.
    failure: i32,
    arguments: &'static [&'static str],
    /// Beginnings of rules about the characters of a text, which hold for scripts as for any text.
    layout: &'static [&'static str],
    read: fn(&str) -> Result<Vec<Finding>>,
}

/// Beginnings of messages about other packages: pylint takes the results of `numpy.array` for the function.
const OF_OTHERS: [&str; 1] = ["Function 'array' has no"];

pub(super) const TOOLS: [Tool; 5] = [
    Tool {
        name: "mypy",
        failure: !1,
        arguments: &[
            "--config-file=mypy.ini",
            "--output=json",
            "--explicit-package-bases",
            "--namespace-packages",
        ],
        layout: &[],
        read: |text| text.lines().filter(|line| line.starts_with('{')).map(of_mypy).collect(),
    },
    Tool {
        name: "pyright",
        failure: !1,
        arguments: &["--outputjson"],
        layout: &[],
        read: |text| {
            let all = serde_json::from_str::<Value>(text)?;
            list(&all["generalDiagnostics"], |item| {
                let line = item["range"]["start"]["line"].as_u64().unwrap_or_default() + 1;
                let rule = item["rule"].as_str().unwrap_or("syntax");
                let rule = format!("{rule} ({})", string(&item["severity"]));
                (rule, string(&item["file"]), line, string(&item["message"]))
            })
        },
    },
    Tool {
        name: "ty",
        failure: !1,
        arguments: &["check", "--extra-search-path=typings", "--output-format=gitlab"],
        layout: &[],
        read: |text| {
            let all = serde_json::from_str::<Value>(text)?;
            list(&all, |item| {
                let line = &item["location"]["positions"]["begin"]["line"];
                let line = line.as_u64().unwrap_or_default();
                let file = string(&item["location"]["path"]);
                (string(&item["check_name"]), file, line, string(&item["description"]))
            })
        },
    },
    Tool {
        name: "pylint",
        failure: 1 | 32,
        arguments: &["--rcfile=/dev/null", "--load-plugins=tvmscript_pylint", "--output-format=json"],
        layout: &["C0301", "C0302", "C0303", "C0304", "C0305", "C0321", "C0325", "C0327", "C0328", "W0311"],
        read: |text| {
            let all = serde_json::from_str::<Value>(text)?;
            list(&all, |item| {
                let rule = format!("{} {}", string(&item["message-id"]), string(&item["symbol"]));
                let line = item["line"].as_u64().unwrap_or_default();
                (rule, string(&item["path"]), line, string(&item["message"]))
            })
        },
    },
    Tool {
        name: "ruff",
        failure: !1,
        arguments: &["check", "--config=typings/ruff.toml", "--no-cache", "--output-format=json"],
        layout: &[],
        read: |text| {
            let all = serde_json::from_str::<Value>(text)?;
            list(&all, |item| {
                let rule = item["code"].as_str().unwrap_or("syntax").to_owned();
                let line = item["location"]["row"].as_u64().unwrap_or_default();
                (rule, string(&item["filename"]), line, string(&item["message"]))
            })
        },
    },
];

fn string(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn list<'a>(
    items: &'a Value,
    parts: impl Fn(&'a Value) -> (String, String, u64, String),
) -> Result<Vec<Finding>> {
    let items = items.as_array().context("the tool's output is not a list of findings")?;
    let findings = items.iter().map(|item| {
        let (rule, file, line, message) = parts(item);
        let file = Path::new(&file).file_name().unwrap_or_default().to_string_lossy().into_owned();
        Finding { place: format!("{file}:{line}"), rule, message }
    });
    Ok(findings.collect())
}

fn of_mypy(line: &str) -> Result<Finding> {
    let item: Value = serde_json::from_str(line)?;
    let file = string(&item["file"]);
    let file = Path::new(&file).file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Finding {
        place: format!("{file}:{}", item["line"]),
        rule: item["code"].as_str().unwrap_or("syntax").to_owned(),
        message: string(&item["message"]),
    })
}

impl Tool {
    /// Returns `true` if a folder of the search path has the tool.
    pub(super) fn is_installed(&self, path: &OsStr) -> bool {
        std::env::split_paths(path).any(|folder| folder.join(self.name).is_file())
    }

    /// Returns `true` if a finding is about the characters of a text or about another package.
    pub(super) fn is_about_python(&self, finding: &Finding) -> bool {
        self.layout.iter().any(|rule| finding.rule.starts_with(rule))
            || OF_OTHERS.iter().any(|message| finding.message.starts_with(message))
    }

    /// The findings in the files of a folder, in the order of their places.
    pub(super) fn findings(
        &self,
        dir: &Path,
        files: &[std::path::PathBuf],
        path: &OsStr,
        venv: Option<&Path>,
    ) -> Result<Vec<Finding>> {
        let mut command = Command::new(self.name);
        command.args(self.arguments).args(files).current_dir(dir);
        command.env("PATH", path).env("MYPYPATH", "typings").env("PYTHONPATH", "typings");
        if let Some(venv) = venv {
            command.env("VIRTUAL_ENV", venv);
        }
        let output = command.output().with_context(|| self.name.to_owned())?;
        let text = String::from_utf8_lossy(&output.stdout);
        let failed = || format!("{} fails: {text}{}", self.name, String::from_utf8_lossy(&output.stderr));
        if output.status.code().is_none_or(|code| code & self.failure != 0) {
            bail!(failed());
        }
        let mut findings = (self.read)(&text).with_context(failed)?;
        findings.sort();
        Ok(findings)
    }
}

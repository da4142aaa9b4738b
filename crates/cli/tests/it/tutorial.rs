//! The files and commands of `docs/metaprogramming.md` (79-21), `docs/schedules.md` and `docs/import.md`.
//!
//! A block `python title="name.py"` is a file, which `check` accepts unless the block says more. A block `console` holds
//! commands behind `$`, each followed by what it writes. `TVMSCRIPT_BLESS=1` records the output.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

const BLESS: &str = "TVMSCRIPT_BLESS";

/// Splits a command at spaces outside of single quotes.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut is_quoted = false;
    for c in command.chars() {
        match c {
            '\'' => is_quoted = !is_quoted,
            ' ' if !is_quoted => words.push(String::new()),
            c => words.last_mut().unwrap().push(c),
        }
    }
    words
}

/// The status and output of a command of the page.
fn run(folder: &Path, command: &str) -> (bool, String) {
    let words = words(command);
    assert_eq!(words[0], "tvmscript", "{command}");
    let ran = Command::new(env!("CARGO_BIN_EXE_tvmscript"))
        .args(&words[1..])
        .current_dir(folder)
        .output()
        .expect("the command starts");
    let text = String::from_utf8(ran.stdout).unwrap() + &String::from_utf8(ran.stderr).unwrap();
    (ran.status.success(), text)
}

/// The page with the output that its commands have now, and the number of files and commands.
fn executed(page: &str, folder: &Path) -> (String, usize, usize) {
    let (mut files, mut commands) = (0, 0);
    let mut text = String::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        text.push_str(line);
        text.push('\n');
        let Some(info) = line.strip_prefix("```") else { continue };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        if let Some(rest) = info.strip_prefix("python title=\"") {
            let (name, rest) = rest.split_once('"').expect("a name of the file");
            let source = block.join("\n") + "\n";
            std::fs::write(folder.join(name), &source).expect("the file is written");
            if rest.is_empty() {
                let (ok, output) = run(folder, &format!("tvmscript check {name} --import-root ."));
                assert!(ok, "{name}: {output}");
            }
            text.push_str(&source);
            files += 1;
        } else if info == "console" {
            for command in block.iter().filter_map(|line| line.strip_prefix("$ ")) {
                let _ = write!(text, "$ {command}\n{}", run(folder, command).1);
                commands += 1;
            }
        } else {
            assert!(
                matches!(info, "rust" | "sh"),
                "every block in Python is a file, and what is shown runs: {info}"
            );
            text.push_str(&(block.join("\n") + "\n"));
        }
        text.push_str("```\n");
    }
    (text, files, commands)
}

/// Runs a page and compares it; it has at least so many files and commands.
fn is_true(name: &str, least: (usize, usize)) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    let page = std::fs::read_to_string(&path).expect("the page is there");
    let folder = std::env::temp_dir().join(format!("tvmscript-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the files");
    let model = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/models/convnet.onnx");
    std::fs::copy(model, folder.join("convnet.onnx")).expect("the model is there");
    let (text, files, commands) = executed(&page, &folder);
    std::fs::remove_dir_all(&folder).expect("the folder is removed");
    assert!(files >= least.0 && commands >= least.1, "{files} files, {commands} commands");
    if std::env::var_os(BLESS).is_some() {
        std::fs::write(&path, &text).expect("the page is written");
    }
    let first = text.lines().zip(page.lines()).find(|(now, then)| now != then);
    assert!(
        text == page || std::env::var_os(BLESS).is_some(),
        "the output changed ({BLESS}=1 records it); now, then: {first:#?}"
    );
}

#[test]
fn p79_21_the_tutorial_runs() {
    is_true("metaprogramming.md", (15, 15));
}

#[test]
fn the_tutorial_of_schedules_runs() {
    is_true("schedules.md", (3, 7));
}

#[test]
fn p92_36_the_tutorial_of_models_runs() {
    is_true("import.md", (0, 4));
}

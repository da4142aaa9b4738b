//! Programs in Rust, compiled against the optimised library.

use std::path::Path;
use std::process::Command;

use super::compiled::Language;

/// The function that runs a program.
const RUN: &str = r#"
fn run(folder: &str, name: &str, build: fn() -> Result<tvmscript::Object, tvmscript::dynamic::BuildErrors>) {
    let (kind, text) = match build() {
        Ok(node) => ("json", tvmscript::to_json(&node)),
        Err(errors) => ("error", errors.to_string()),
    };
    std::fs::write(format!("{folder}/{name}.{kind}"), text).expect("the folder exists");
}
"#;

pub(super) struct Rust;

impl Language for Rust {
    const EXTENSION: &'static str = "rs";

    fn main(&self, count: usize) -> String {
        let modules: String = (0..count).map(|number| format!("mod p{number};\n")).collect();
        let run = |number| format!("    run(&folder, \"p{number}\", p{number}::build);\n");
        let calls: String = (0..count).map(run).collect();
        let folder = "let folder = std::env::args().nth(1).expect(\"a folder\");";
        format!("{modules}{RUN}\nfn main() {{\n    {folder}\n{calls}}}\n")
    }

    fn compiler(&self, main: &Path, executable: &Path, libraries: &Path) -> Command {
        let mut command = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
        command.args(["--edition", "2024", "--crate-name", "programs", "-D", "warnings", "--extern"]);
        command.arg(format!("tvmscript={}", libraries.join("libtvmscript.rlib").display()));
        command.arg("-L").arg(format!("dependency={}", libraries.join("deps").display()));
        command.arg("-o").arg(executable).arg(main);
        command
    }
}

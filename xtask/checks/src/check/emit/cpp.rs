//! Programs in C++17, compiled against the header and the shared library of the C interface.

use std::path::Path;
use std::process::Command;

use xtask::workspace;

use super::compiled::Language;

/// The function that runs a program.
const RUN: &str = r#"
static void run(const std::string &folder, const char *name, tvmscript::Object (*build)()) {
    const std::string file = folder + "/" + name;
    try {
        std::ofstream(file + ".json") << build().json();
    } catch (const std::exception &error) {
        std::remove((file + ".json").c_str());
        std::ofstream(file + ".error") << error.what();
    }
}
"#;

pub(super) struct Cpp;

impl Language for Cpp {
    const EXTENSION: &'static str = "cpp";

    fn main(&self, count: usize) -> String {
        let mut text = "#include <cstdio>\n#include <fstream>\n#include <tvmscript.hpp>\n\n".to_owned();
        text.extend(
            (0..count).map(|number| format!("namespace p{number} {{\n#include \"p{number}.cpp\"\n}}\n")),
        );
        text.push_str(RUN);
        text.push_str("\nint main(int, char **arguments) {\n");
        text.extend(
            (0..count).map(|number| format!("    run(arguments[1], \"p{number}\", p{number}::build);\n")),
        );
        text.push_str("}\n");
        text
    }

    fn compiler(&self, main: &Path, executable: &Path, libraries: &Path) -> Command {
        let mut command = Command::new(std::env::var_os("CXX").unwrap_or_else(|| "c++".into()));
        command.args(["-std=c++17", "-Wall", "-Wextra", "-Werror", "-I"]);
        command.arg(workspace::root().join("crates/capi/include"));
        command.arg("-o").arg(executable).arg(main).arg("-L").arg(libraries).arg("-ltvmscript_c");
        command.arg(format!("-Wl,-rpath,{}", libraries.display()));
        command
    }
}

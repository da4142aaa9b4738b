//! "No other crate names a release": names of releases stand in the crate `releases`, and in files named after one.
//!
//! The releases are the files of `crates/releases/src`. Their names are those in code and in files: `tvm_0_27`,
//! `TVM_0_27`, `Tvm027`, `V0_27`, `tvm-0.27` and `"0.27`. Code outside of tests may have them
//!
//! - in `releases`, and in the packages above it: the facade and the command;
//! - in `frontend`, whose importers make the operators of one release;
//! - in a file or folder named after a release, such as `tirx/src/tvm_0_27/print.rs` or
//!   `tvm-json/src/translate/to_tvm_0_27.rs`, which may build on another one: `tirx_0_1` uses parts of `tvm_0_27`;
//! - in the file that declares a module of this name, such as `mod tvm_0_27;`.
//!
//! The first release, for which the dialects are written, has no file in `releases`, so dialects may name it; the generic crates
//! may not, as [`neutral`](super::neutral) says. Comments may name any release.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::Findings;
use super::source::{self, Line};
use xtask::workspace;

/// Folders of the packages that may name releases.
const ABOVE: [&str; 4] = ["crates/releases", "crates/tvmscript", "crates/cli", "crates/frontend"];

/// Checks the sources of the crates.
///
/// # Errors
/// When a file cannot be read.
pub fn check(files: &[PathBuf], findings: &mut Findings) -> Result<()> {
    let releases: Vec<String> = files.iter().filter_map(|file| release(file)).collect();
    for file in files.iter().filter(|file| is_below(file)) {
        let text = std::fs::read_to_string(workspace::root().join(file))?;
        let lines = source::lines(&text);
        let lines = &lines[..source::tests_start(&lines)];
        for release in releases.iter().filter(|release| !may_name(file, lines, release)) {
            let names = names(release);
            for (index, line) in lines.iter().enumerate() {
                if let Some(name) = names.iter().find(|name| line.code.contains(name.as_str())) {
                    let name = name.trim_start_matches('"');
                    findings.at(
                        file,
                        index + 1,
                        format!("a crate below `releases` names a release: `{name}`"),
                    );
                }
            }
        }
    }
    Ok(())
}

/// The release that a file describes, such as `tvm_0_27`.
fn release(file: &Path) -> Option<String> {
    let stem = file.file_stem()?.to_str()?;
    let is_one = stem.contains(|c: char| c.is_ascii_digit());
    (is_one && file.parent() == Some(Path::new("crates/releases/src"))).then(|| stem.to_owned())
}

fn is_below(file: &Path) -> bool {
    let is_source = file.extension().is_some_and(|extension| extension == "rs")
        && file.components().nth(2).is_some_and(|part| part.as_os_str() == "src");
    is_source && file.starts_with("crates") && !ABOVE.iter().any(|above| file.starts_with(above))
}

/// The names of a release in code.
fn names(release: &str) -> Vec<String> {
    let (family, version) = release.split_once('_').unwrap_or((release, ""));
    let dotted = version.replace('_', ".");
    let mut camel = family.to_owned();
    camel[..1].make_ascii_uppercase();
    vec![
        release.to_owned(),
        release.to_ascii_uppercase(),
        format!("{camel}{}", version.replace('_', "")),
        format!("V{version}"),
        format!("{family}-{dotted}"),
        format!("\"{dotted}"),
    ]
}

/// Returns `true` for a file named after a release, and for the file that declares a module of this release.
fn may_name(file: &Path, lines: &[Line], release: &str) -> bool {
    let declares = |line: &Line| {
        let code = line.bare.trim();
        code.ends_with(';') && code.split_once("mod ").is_some_and(|(_, name)| name.contains(release))
    };
    file.components().any(|part| has_version(&part.as_os_str().to_string_lossy()))
        || lines.iter().any(declares)
}

/// Returns `true` for the name of a file or folder that ends with a version, such as `tvm_0_23`.
fn has_version(name: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let mut parts = name.strip_suffix(".rs").unwrap_or(name).rsplitn(3, '_');
    parts.next().is_some_and(is_number) && parts.next().is_some_and(is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_has_its_names_in_code() {
        let expected = ["tvm_0_27", "TVM_0_27", "Tvm027", "V0_27", "tvm-0.27", "\"0.27"];
        assert_eq!(names("tvm_0_27"), expected);
        assert_eq!(release(Path::new("crates/releases/src/tvm_0_27.rs")).as_deref(), Some("tvm_0_27"));
        assert_eq!(release(Path::new("crates/releases/src/lib.rs")), None);
    }

    #[test]
    fn files_of_a_release_and_those_that_declare_them_may_name_it() {
        let may = |file: &str, text: &str| may_name(Path::new(file), &source::lines(text), "tvm_0_27");
        assert!(may("crates/tirx/src/tvm_0_27/print.rs", ""));
        assert!(may("crates/tvm-json/src/translate/to_tvm_0_27.rs", ""));
        assert!(may("crates/tirx/src/tirx_0_1/print.rs", "use crate::tvm_0_27::print::bind;"));
        assert!(may("crates/tirx/src/lib.rs", "pub mod tvm_0_27;"));
        assert!(!has_version("v2_types.rs") && has_version("tvm_0_23"));
        assert!(!may("crates/tirx/src/print.rs", "use crate::tvm_0_27::OPERATORS;"));
        assert!(is_below(Path::new("crates/tirx/src/print.rs")));
        assert!(!is_below(Path::new("crates/cli/src/args.rs")));
        assert!(!is_below(Path::new("crates/cli/tests/it/args.rs")));
    }
}

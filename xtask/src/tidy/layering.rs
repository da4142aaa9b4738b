//! "Arrows run downwards only": who may depend on whom, in which features, and who may name the foreign parser.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhow::{Result, bail};

use super::Findings;
use super::source;
use xtask::workspace::{self, Package};

/// Packages of the workspace that each package may name in `[dependencies]`, without the common prefix.
const ALLOWED: &[(&str, &[&str])] = &[
    ("ir-macros", &[]),
    ("ir-core", &["ir-macros"]),
    ("doc", &["ir-core"]),
    ("diagnostics", &["ir-core"]),
    ("docsifier", &["ir-core", "ir-macros", "doc", "diagnostics"]),
    ("diff", &["ir-core", "doc", "docsifier"]),
    ("python-syntax", &[]),
    ("script-value", &["ir-core"]),
    ("script-eval", &["ir-core", "python-syntax", "script-value"]),
    ("irbuilder", &["ir-core", "ir-macros", "script-value"]),
    ("script-parser", &["ir-core", "irbuilder", "python-syntax", "script-value", "script-eval"]),
    ("stubs", &["ir-core", "irbuilder", "python-syntax", "script-parser"]),
    (
        "dialect-file",
        &[
            "ir-core",
            "docsifier",
            "irbuilder",
            "pass",
            "python-syntax",
            "script-eval",
            "script-parser",
            "si-builder",
        ],
    ),
    ("si-builder", &["ir-core", "ir-macros"]),
    ("tvm-json", &["ir-core"]),
    (
        "prim",
        &[
            "ir-core",
            "ir-macros",
            "doc",
            "docsifier",
            "irbuilder",
            "python-syntax",
            "script-parser",
            "si-builder",
        ],
    ),
    ("arith", &["ir-core", "ir-macros", "prim"]),
    (
        "ir",
        &[
            "ir-core",
            "ir-macros",
            "doc",
            "docsifier",
            "irbuilder",
            "python-syntax",
            "script-parser",
            "si-builder",
            "prim",
            "arith",
            "tvm-json",
        ],
    ),
    (
        "tir",
        &[
            "ir-core",
            "ir-macros",
            "doc",
            "docsifier",
            "irbuilder",
            "python-syntax",
            "script-parser",
            "si-builder",
            "prim",
            "arith",
            "tvm-json",
            "ir",
        ],
    ),
    (
        "relax",
        &[
            "ir-core",
            "ir-macros",
            "doc",
            "docsifier",
            "irbuilder",
            "python-syntax",
            "script-parser",
            "si-builder",
            "prim",
            "arith",
            "tvm-json",
            "ir",
        ],
    ),
    (
        "tirx",
        &[
            "ir-core",
            "ir-macros",
            "docsifier",
            "irbuilder",
            "python-syntax",
            "script-parser",
            "prim",
            "ir",
            "tir",
        ],
    ),
    (
        "upgrade",
        &[
            "ir-core",
            "diagnostics",
            "docsifier",
            "python-syntax",
            "script-eval",
            "script-parser",
            "prim",
            "ir",
            "tir",
            "tirx",
            "relax",
        ],
    ),
    ("releases", &["ir-core", "irbuilder", "ir", "relax", "tirx", "tvm-json", "upgrade"]),
    ("interpreter", &["ir-core", "prim", "ir", "tir", "tirx"]),
    (
        "explain",
        &[
            "ir-core",
            "doc",
            "docsifier",
            "irbuilder",
            "python-syntax",
            "script-eval",
            "script-parser",
            "prim",
            "ir",
            "tir",
            "relax",
        ],
    ),
    ("pass", &["ir-core", "docsifier", "script-parser", "si-builder"]),
    (
        "passes",
        &[
            "ir-core",
            "ir-macros",
            "pass",
            "si-builder",
            "prim",
            "arith",
            "interpreter",
            "ir",
            "tir",
            "relax",
            "te",
        ],
    ),
    ("capi", &["the facade"]),
    ("c", &["capi"]),
    ("plugin", &[]),
];

/// Each package names in `[dependencies]` only packages below it.
pub fn direct(packages: &BTreeMap<String, Package>, findings: &mut Findings) {
    for package in packages.values() {
        let Some(short) = package.name.strip_prefix("tvmscript-") else { continue };
        let Some((_, allowed)) = ALLOWED.iter().find(|(name, _)| *name == short) else { continue };
        for dependency in package.dependencies.iter().filter(|d| !d.dev) {
            let name = dependency.name.as_str();
            let ours = name.strip_prefix("tvmscript-").or((name == "tvmscript").then_some("the facade"));
            if let Some(target) = ours
                && !allowed.contains(&target)
            {
                findings.add(format!("{}: may not depend on {name}", package.name));
            }
        }
    }
}

/// A user who only prints does not compile the Python parser, and so on: the tree of every feature combination.
///
/// # Errors
/// When `cargo tree` fails.
pub fn features(packages: &BTreeMap<String, Package>, findings: &mut Findings) -> Result<()> {
    const FEATURES: [&str; 3] = ["print", "build", "parse"];
    let mut sets = Vec::new();
    for package in packages.values() {
        let known: Vec<&str> =
            FEATURES.iter().copied().filter(|f| package.features.contains_key(*f)).collect();
        if !package.name.starts_with("tvmscript")
            || matches!(package.name.as_str(), "tvmscript-cli" | "tvmscript-explain")
        {
            continue;
        }
        for set in 0..1_usize << known.len() {
            let chosen: Vec<&str> =
                known.iter().enumerate().filter(|(i, _)| set >> i & 1 == 1).map(|(_, f)| *f).collect();
            sets.push((package, !known.is_empty(), chosen));
        }
    }
    let trees: Vec<Result<BTreeSet<String>>> = std::thread::scope(|scope| {
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
        let run = |part: &[(&Package, bool, Vec<&str>)]| -> Vec<_> {
            part.iter().map(|(package, _, chosen)| tree(&package.name, chosen)).collect()
        };
        let parts = sets.chunks(sets.len().div_ceil(threads).max(1));
        let runs: Vec<_> = parts.map(|part| scope.spawn(move || run(part))).collect();
        runs.into_iter().flat_map(|run| run.join().expect("no panic")).collect()
    });
    for ((package, layered, chosen), tree) in sets.into_iter().zip(trees) {
        let tree = tree?;
        let has = |name: &str| tree.contains(name);
        let forbid = |name: &str, findings: &mut Findings| {
            if has(name) && package.name != name {
                findings.add(format!(
                    "{} with features [{}]: builds {name}",
                    package.name,
                    chosen.join(", ")
                ));
            }
        };
        let parses = chosen.contains(&"parse") || (!layered && has("tvmscript-script-parser"));
        let builds = parses || chosen.contains(&"build");
        if layered && !parses {
            forbid("tvmscript-script-parser", findings);
            forbid("tvmscript-script-eval", findings);
        }
        if !parses && !reads_python(&package.name) && !is_top(&package.name) {
            for name in tree.iter().filter(|n| foreign(n)) {
                forbid(name, findings);
            }
        }
        if layered && !builds {
            forbid("tvmscript-irbuilder", findings);
            forbid("tvmscript-script-value", findings);
        }
        if layered && !chosen.contains(&"print") {
            forbid("tvmscript-docsifier", findings);
        }
    }
    Ok(())
}

/// A feature of a package is one of the packages below as well, so that packages that build together build alone.
pub fn passed_on(packages: &BTreeMap<String, Package>, findings: &mut Findings) {
    const FEATURES: [&str; 4] = ["print", "build", "parse", "ruff"];
    for package in packages.values() {
        for (feature, enabled) in FEATURES.iter().filter_map(|f| package.features.get_key_value(*f)) {
            for dependency in package.dependencies.iter().filter(|d| !d.dev) {
                let Some(below) = packages.get(&dependency.name) else { continue };
                let is_default =
                    |f: &String| below.features.get("default").is_some_and(|all| all.contains(f));
                if !below.features.contains_key(feature)
                    || dependency.default_features && is_default(feature)
                    || ["/", "?/"]
                        .iter()
                        .any(|mark| enabled.contains(&format!("{}{mark}{feature}", below.name)))
                {
                    continue;
                }
                let (name, below) = (&package.name, &below.name);
                findings.add(format!("{name}: the feature `{feature}` does not pass on to {below}"));
            }
        }
    }
}

/// Packages that read Python whatever the features.
fn reads_python(name: &str) -> bool {
    matches!(name, "tvmscript-python-syntax" | "tvmscript-script-eval")
}

/// Packages above the facade, which use everything.
fn is_top(name: &str) -> bool {
    matches!(name, "tvmscript-tests" | "tvmscript-toy-dialect")
}

/// Returns `true` if a package belongs to a foreign parser of Python.
fn foreign(name: &str) -> bool {
    name.starts_with("rustpython") || name.starts_with("ruff_") || name.starts_with("ruff-")
}

/// The packages that `package` builds with `features`.
fn tree(package: &str, features: &[&str]) -> Result<BTreeSet<String>> {
    let output = workspace::cargo()
        .args(["tree", "-e", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}"])
        .args(["--no-default-features", "-p", package, "--features", &features.join(",")])
        .output()?;
    if !output.status.success() {
        bail!("cargo tree -p {package} failed:\n{}", String::from_utf8_lossy(&output.stderr));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.lines().filter_map(|l| l.split_whitespace().next()).map(str::to_string).collect())
}

/// One module of `python-syntax` names the foreign parser, and no other package depends on it.
///
/// # Errors
/// When a file cannot be read.
pub fn foreign_parser(
    packages: &BTreeMap<String, Package>,
    files: &[PathBuf],
    findings: &mut Findings,
) -> Result<()> {
    for package in packages.values() {
        for dependency in package.dependencies.iter().filter(|d| foreign(&d.name)) {
            if package.name != "tvmscript-python-syntax" && package.name != "tvmscript-tests" {
                findings
                    .add(format!("{}: only python-syntax may depend on {}", package.name, dependency.name));
            }
        }
    }
    let mut homes: BTreeMap<PathBuf, (PathBuf, usize)> = BTreeMap::new();
    for file in crate_sources(files) {
        let text = std::fs::read_to_string(workspace::root().join(file))?;
        let lines = source::lines(&text);
        let named =
            lines.iter().position(|l| l.bare.contains("rustpython_") || l.bare.contains("ruff_python"));
        let Some(line) = named else { continue };
        if !file.starts_with("crates/python-syntax/src") {
            findings.at(file, line + 1, "only the adapter module of python-syntax names the foreign parser");
            continue;
        }
        let module: PathBuf = file.components().take(4).collect();
        homes.entry(module.with_extension("")).or_insert((file.clone(), line + 1));
    }
    if homes.len() > 1 {
        for (file, line) in homes.values() {
            findings.at(file, *line, "more than one module of python-syntax names the foreign parser");
        }
    }
    Ok(())
}

/// The Rust sources of the crates.
fn crate_sources(files: &[PathBuf]) -> impl Iterator<Item = &PathBuf> {
    files.iter().filter(|f| {
        f.starts_with("crates")
            && f.extension().is_some_and(|e| e == "rs")
            && f.components().nth(2).is_some_and(|c| c.as_os_str() == "src")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::neutral::GENERIC;

    /// The packages of the project that `package` needs, with those that its own tests need.
    fn needed(package: &str, packages: &BTreeMap<String, Package>) -> BTreeSet<String> {
        let mut needed = BTreeSet::new();
        let mut open = vec![(package.to_owned(), true)];
        while let Some((name, with_tests)) = open.pop() {
            let Some(package) = packages.get(&name) else { continue };
            if needed.insert(name) {
                let dependencies = package.dependencies.iter().filter(|d| with_tests || !d.dev);
                open.extend(dependencies.map(|dependency| (dependency.name.clone(), false)));
            }
        }
        needed
    }

    #[test]
    fn p74_02_generic_crates_and_their_tests_need_no_dialect_of_tvm() {
        let packages = workspace::packages().expect("the packages of the workspace");
        let dialects = ["prim", "ir", "tir", "tirx", "relax"].map(|name| format!("tvmscript-{name}"));
        assert!(dialects.iter().all(|name| packages.contains_key(name)));
        for name in GENERIC {
            let needed = needed(&format!("tvmscript-{name}"), &packages);
            assert!(!needed.is_empty(), "there is no package of {name}");
            let found: Vec<_> = dialects.iter().filter(|dialect| needed.contains(*dialect)).collect();
            assert!(found.is_empty(), "{name} needs {found:?}");
        }
        assert!(needed("tvmscript-relax", &packages).contains("tvmscript-prim"), "edges are found");
    }

    #[test]
    fn a_feature_that_does_not_pass_on_is_found() {
        let mut packages = workspace::packages().expect("the packages of the workspace");
        let mut findings = Findings::default();
        passed_on(&packages, &mut findings);
        assert!(findings.0.is_empty(), "{:?}", findings.0);
        let relax = packages.get_mut("tvmscript-relax").expect("a package");
        relax.features.get_mut("print").expect("a feature").retain(|enabled| enabled != "tvmscript-ir/print");
        passed_on(&packages, &mut findings);
        assert_eq!(findings.0, ["tvmscript-relax: the feature `print` does not pass on to tvmscript-ir"]);
    }
}

//! The root of the workspace, its packages and its source files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::Deserialize as _;
use serde_json::Value;

/// The root of the workspace.
pub fn root() -> PathBuf {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().unwrap_or(xtask).to_path_buf()
}

/// A `cargo` command that runs in the root.
pub fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// Arguments of `cargo` that build the command and the package `xtask-checks` with optimisation, together, so that both get
/// the same features. The instructions that `cargo xtask bench-gate` records are those of this build.
pub const OPTIMIZED: [&str; 8] =
    ["build", "--profile", "gate", "--bins", "-p", "tvmscript-cli", "-p", "xtask-checks"];

/// The feature of the second backend of the reader of Python, whose tests run along with all others.
pub const RUFF: &str = "tvmscript-python-syntax/ruff";

/// A program that [`OPTIMIZED`] builds.
pub fn optimized(name: &str) -> PathBuf {
    root().join("target/gate").join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

/// The folder that cargo builds into.
///
/// # Errors
/// When `cargo metadata` fails.
pub fn target() -> Result<PathBuf> {
    Ok(PathBuf::from(metadata()?["target_directory"].as_str().context("no target folder in the metadata")?))
}

/// The workspace as cargo describes it.
fn metadata() -> Result<Value> {
    let output = cargo().args(["metadata", "--format-version", "1", "--no-deps"]).output()?;
    if !output.status.success() {
        bail!("cargo metadata failed:\n{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// A package of the workspace, as `cargo metadata` tells it.
pub struct Package {
    /// The package's name.
    pub name: String,
    /// The folder of its manifest, relative to the root.
    pub dir: PathBuf,
    /// The minimum version of Rust that its manifest declares; empty for none.
    pub rust_version: String,
    /// `false` for a package that never goes to a registry.
    pub is_published: bool,
    /// `true` if it has a library that is not a procedural macro.
    pub has_library: bool,
    /// `true` if tests build the library once more for unit tests.
    pub builds_unit_tests: bool,
    /// Its features, each with those that it enables.
    pub features: BTreeMap<String, Vec<String>>,
    /// Its direct dependencies.
    pub dependencies: Vec<Dependency>,
}

/// A direct dependency as the manifest declares it.
pub struct Dependency {
    /// The name of the package depended on.
    pub name: String,
    /// `true` for `[dev-dependencies]`.
    pub dev: bool,
    /// `true` if its default features are on.
    pub default_features: bool,
}

/// The packages of the workspace by name.
///
/// # Errors
/// When `cargo metadata` fails.
pub fn packages() -> Result<BTreeMap<String, Package>> {
    let metadata = metadata()?;
    let root = root();
    let mut packages = BTreeMap::new();
    for package in metadata["packages"].as_array().context("no packages in the metadata")? {
        let name = package["name"].as_str().context("a package without a name")?.to_string();
        let manifest = PathBuf::from(package["manifest_path"].as_str().unwrap_or_default());
        let dir = manifest.parent().unwrap_or(&root);
        let dir = dir.strip_prefix(&root).unwrap_or(dir).to_path_buf();
        let features = BTreeMap::deserialize(&package["features"])?;
        let dependencies = package["dependencies"].as_array().map_or(&[][..], Vec::as_slice);
        let dependencies = dependencies
            .iter()
            .map(|d| Dependency {
                name: d["name"].as_str().unwrap_or_default().to_string(),
                dev: d["kind"] == "dev",
                default_features: d["uses_default_features"] == true,
            })
            .collect();
        let rust_version = package["rust_version"].as_str().unwrap_or_default().to_string();
        let is_published = package["publish"].is_null();
        let targets = package["targets"].as_array().map_or(&[][..], Vec::as_slice);
        let library = targets.iter().find(|target| target["kind"][0] == "lib");
        let package = Package {
            name,
            dir,
            rust_version,
            is_published,
            has_library: library.is_some(),
            builds_unit_tests: library.is_some_and(|library| library["test"] == true),
            features,
            dependencies,
        };
        packages.insert(package.name.clone(), package);
    }
    Ok(packages)
}

/// The files of the workspace that version control knows or would take, relative to the root, sorted.
///
/// # Errors
/// When neither `git` nor the file system lists them.
pub fn files() -> Result<Vec<PathBuf>> {
    let listed = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(root())
        .output();
    if let Ok(output) = listed
        && output.status.success()
    {
        let mut files: Vec<PathBuf> =
            String::from_utf8_lossy(&output.stdout).lines().map(PathBuf::from).collect();
        files.retain(|f| root().join(f).is_file());
        files.sort();
        return Ok(files);
    }
    let mut files = Vec::new();
    walk(&root(), &mut |path| {
        if let Ok(relative) = path.strip_prefix(root()) {
            files.push(relative.to_path_buf());
        }
    })?;
    files.sort();
    Ok(files)
}

/// Calls `visit` for every file below `dir`, build output and hidden folders aside.
///
/// # Errors
/// When a folder cannot be read.
pub fn walk(dir: &Path, visit: &mut dyn FnMut(&Path)) -> Result<()> {
    let entries = std::fs::read_dir(dir).with_context(|| format!("reading {}", dir.display()))?;
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            if name != "target" && (!name.starts_with('.') || name == ".ci" || name == ".cargo") {
                walk(&path, visit)?;
            }
        } else {
            visit(&path);
        }
    }
    Ok(())
}

/// Material beside the project (a full corpus, vectors, the oracle): `$TVMSCRIPT_SHARED`, or `../shared`.
pub fn shared() -> PathBuf {
    match std::env::var_os("TVMSCRIPT_SHARED") {
        Some(dir) => PathBuf::from(dir),
        None => root().join("../shared"),
    }
}

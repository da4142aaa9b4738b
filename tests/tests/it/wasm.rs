//! The library in WebAssembly. The test needs the target `wasm32-unknown-unknown` and Node.js, and is skipped without them.

use std::path::{Path, PathBuf};
use std::process::Command;

const TARGET: &str = "wasm32-unknown-unknown";

/// Loads the module of its argument and prints the results of its functions.
const RUN: &str = "
(async () => {
    const bytes = require('fs').readFileSync(process.argv[1]);
    const { exports } = (await WebAssembly.instantiate(bytes)).instance;
    const results = [exports.round_trip(), exports.sum(400), exports.sum(20000), exports.loops(40), exports.loops(1000)];
    console.log(JSON.stringify(results));
})();
";

/// The reason why the test cannot run here.
fn missing() -> Option<String> {
    let libraries = Command::new("rustc").args(["--print", "target-libdir", "--target", TARGET]).output();
    let path = libraries.ok().map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    if !path.is_some_and(|path| !path.is_empty() && Path::new(&path).is_dir()) {
        return Some(format!("the target {TARGET} is not installed (`rustup target add {TARGET}`)"));
    }
    match Command::new("node").arg("--version").output() {
        Ok(output) if output.status.success() => None,
        _ => Some("there is no `node` to run WebAssembly".to_owned()),
    }
}

/// Builds the module, with little optimisation: without any, its frames take most of the stack.
fn build() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = root.join("target/wasm");
    let built = Command::new(env!("CARGO"))
        .current_dir(&root)
        .args(["build", "--quiet", "--package", "tvmscript-wasm", "--target", TARGET, "--target-dir"])
        .arg(&folder)
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .env("CARGO_PROFILE_DEV_OPT_LEVEL", "1")
        .status();
    assert!(built.is_ok_and(|status| status.success()), "the module does not build");
    folder.join(TARGET).join("debug/tvmscript_wasm.wasm")
}

#[test]
fn p79_10_a_program_is_read_and_printed_in_webassembly() {
    if let Some(reason) = missing() {
        eprintln!("skipped: {reason}");
        return;
    }
    let module = build();
    let ran = Command::new("node").args(["-e", RUN]).arg(module).output().expect("node runs");
    let results = String::from_utf8_lossy(&ran.stdout);
    let errors = String::from_utf8_lossy(&ran.stderr);
    // What is too deep for the stack is one error in the text, not a trap.
    assert_eq!(results.trim(), "[1,0,1,0,1]", "{errors}");
}

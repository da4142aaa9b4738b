//! Compilers, and programs that they make.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folder of the shared library: that of this program, or the one above.
pub(crate) fn library() -> PathBuf {
    let program = std::env::current_exe().expect("the path of this program");
    let name = format!("{}tvmscript_c{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let folder = program.ancestors().skip(1).find(|folder| folder.join(&name).is_file());
    folder.unwrap_or_else(|| panic!("no {name} beside {}", program.display())).to_owned()
}

/// Runs a compiler; `None` if it is not installed.
pub(crate) fn compiler(name: &str, args: &[&str]) -> Option<Output> {
    Command::new(name).args(args).output().ok()
}

/// What a compiler checks while a program runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sanitizer {
    /// Nothing.
    None,
    /// The use of memory.
    Address,
    /// Races between threads.
    Thread,
}

impl Sanitizer {
    /// The option of compilers.
    fn option(self) -> Option<&'static str> {
        match self {
            Sanitizer::None => None,
            Sanitizer::Address => Some("-fsanitize=address,undefined"),
            Sanitizer::Thread => Some("-fsanitize=thread"),
        }
    }

    /// Returns `true` if programs with it link and run.
    pub(crate) fn works(self) -> bool {
        static ADDRESS: OnceLock<bool> = OnceLock::new();
        static THREAD: OnceLock<bool> = OnceLock::new();
        let (cell, name) = match self {
            Sanitizer::None => return true,
            Sanitizer::Address => (&ADDRESS, "address"),
            Sanitizer::Thread => (&THREAD, "thread"),
        };
        *cell.get_or_init(|| {
            let source = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("probe_{name}.c"));
            let written = std::fs::write(&source, "int main(void) { return 0; }\n");
            let program = source.with_extension("out");
            let args = [self.option().unwrap_or_default(), path(&source), "-o", path(&program)];
            let output = compiler("cc", &args);
            let links = written.is_ok() && output.is_some_and(|output| output.status.success());
            links && Command::new(&program).status().is_ok_and(|status| status.success())
        })
    }
}

pub(crate) fn path(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

/// Compiles a program under a name that no other test has; `None` without a compiler.
pub(crate) fn build(source: &str, name: &str) -> Option<PathBuf> {
    let sanitizer = if Sanitizer::Address.works() { Sanitizer::Address } else { Sanitizer::None };
    build_with(source, name, sanitizer)
}

/// As [`build`], with a sanitizer that works.
pub(crate) fn build_with(source: &str, name: &str, sanitizer: Sanitizer) -> Option<PathBuf> {
    let source = root().join(source);
    let is_cpp = source.extension().is_some_and(|extension| extension == "cpp");
    let (compiler_name, standard) = if is_cpp { ("c++", "-std=c++17") } else { ("cc", "-std=c11") };
    let program =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    let (include, library) = (root().join("include"), library());
    let (include, library) = (format!("-I{}", path(&include)), path(&library).to_owned());
    let (search, run_path) = (format!("-L{library}"), format!("-Wl,-rpath,{library}"));
    let mut args = vec![standard, "-Wall", "-Wextra", "-Werror", "-g", &include, path(&source)];
    args.extend(sanitizer.option());
    args.extend(["-o", path(&program), &search, "-ltvmscript_c", &run_path, "-lpthread"]);
    let Some(output) = compiler(compiler_name, &args) else {
        eprintln!("skipped: there is no `{compiler_name}`");
        return None;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(program)
}

/// Runs a program with a text as its input.
pub(crate) fn run(program: &Path, args: &[&str], input: &str) -> Output {
    run_with(program, args, input, true)
}

/// Runs a program, with or without a search for memory that is lost.
pub(crate) fn run_with(program: &Path, args: &[&str], input: &str, finds_leaks: bool) -> Output {
    let mut child = Command::new(program)
        .args(args)
        // The search path of the tests may have an older build of the library.
        .env("LD_LIBRARY_PATH", library())
        .env("ASAN_OPTIONS", if finds_leaks { "detect_leaks=1" } else { "detect_leaks=0" })
        // The library is built without a sanitizer, so that its locks are not seen: only what the program does is checked.
        .env("TSAN_OPTIONS", "ignore_noninstrumented_modules=1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // A program may stop before it has read its input.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    child.wait_with_output().expect("the program ends")
}

pub(crate) fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

/// The output of a program that succeeds without a word.
pub(crate) fn output(program: &Path, args: &[&str], input: &str) -> String {
    let output = run(program, args, input);
    assert_eq!(text(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    text(&output.stdout).to_owned()
}

/// Writes a file for a program.
pub(crate) fn file(name: &str, text: &str) -> PathBuf {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&file, text).expect("a file");
    file
}

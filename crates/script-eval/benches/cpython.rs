//! Programs of host code beside CPython, in one run: CPU time of each, and the ratio.
//!
//! `cargo bench -p tvmscript-script-eval --bench cpython [-- NAME..]` runs the programs of `benches/shapes`. Rounds of both
//! alternate, and the best of each counts, so that other work on the machine disturbs both alike. Both must come to the
//! same result. The interpreter is `python3`, or that of the environment variable `PYTHON`; without one, only the times
//! of the evaluator are shown.

use std::error::Error;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use rustix::time::{ClockId, clock_gettime};
use tvmscript_ir_core::SourceId;
use tvmscript_python_syntax::{PythonOptions, parse_python};
use tvmscript_script_eval::{Binding, Evaluator, Limits, Plain, Program, Run};

/// Rounds per program; the best counts.
const ROUNDS: usize = 7;

/// Runs a file per line of input and writes its CPU time and result.
const DRIVER: &str = "
import sys, time
for path in sys.stdin:
    with open(path.strip()) as file:
        code = compile(file.read(), path, 'exec')
    names = {'__name__': 'shape'}
    before = time.process_time()
    exec(code, names)
    print(time.process_time() - before, names['result'], flush=True)
";

/// CPU time of the thread in seconds.
fn cpu() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Runs a program: seconds without those for its syntax tree, and the value of `result`.
fn evaluate(text: &str, run: Run) -> Result<(f64, String), Box<dyn Error>> {
    let parsed = parse_python(text, &PythonOptions::default());
    let mut limits = Limits::default();
    (limits.max_steps, limits.max_memory_bytes) = (u64::MAX / 2, u64::MAX / 2);
    let program = Program::new(parsed.ast, text, SourceId::new("shape"), limits);
    let mut evaluator = Evaluator::new(program, Plain);
    evaluator.run_as(run);
    let program = evaluator.program().clone();
    let before = cpu();
    for id in program.ast.module_body() {
        if evaluator.run_statement(*id).is_err() {
            return Err(format!("the program fails: {:?}", evaluator.take_errors()).into());
        }
    }
    let seconds = cpu() - before;
    let name = program.ast.find_name("result").ok_or("no `result`")?;
    let Binding::Value(value) = program.global(name) else { return Err("no value of `result`".into()) };
    Ok((seconds, format!("{value:?}")))
}

/// A CPython that runs programs one after the other.
struct Python {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Python {
    fn start() -> Option<Python> {
        let python = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
        let mut command = Command::new(python);
        command.args(["-I", "-c", DRIVER]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().ok()?;
        let (input, output) = (child.stdin.take()?, BufReader::new(child.stdout.take()?));
        Some(Python { child, input, output })
    }

    fn run(&mut self, path: &Path) -> Result<(f64, String), Box<dyn Error>> {
        writeln!(self.input, "{}", path.display())?;
        self.input.flush()?;
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        let (seconds, result) = line.trim().split_once(' ').ok_or("CPython gives no answer")?;
        Ok((seconds.parse()?, result.to_owned()))
    }

    fn stop(self) -> std::io::Result<()> {
        let Python { mut child, input, .. } = self;
        drop(input);
        child.wait().map(drop)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    // Cargo passes `--bench`.
    let chosen: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/shapes");
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    paths.sort();
    let mut python = Python::start();
    println!("{:<16} {:>9} {:>9} {:>7} {:>9}", "program", "CPython", "here", "ratio", "tolerant");
    for path in paths {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if !chosen.is_empty() && !chosen.contains(&name) {
            continue;
        }
        let text = std::fs::read_to_string(&path)?;
        let mut best = [f64::INFINITY; 3];
        for _ in 0..ROUNDS {
            let (theirs, expected) = match &mut python {
                Some(python) => python.run(&path)?,
                None => (f64::NAN, String::new()),
            };
            best[0] = best[0].min(theirs);
            for (best, run) in best[1..].iter_mut().zip([Run::Strict, Run::Tolerant]) {
                let (seconds, result) = evaluate(&text, run)?;
                if python.is_some() && result != expected {
                    return Err(format!("{name}: {result} here, {expected} in CPython").into());
                }
                *best = best.min(seconds);
            }
        }
        let [theirs, ours, tolerant] = best;
        let ms = |seconds: f64| format!("{:.2} ms", seconds * 1e3);
        let mut line = format!("{name:<16} {:>9} {:>9}", ms(theirs), ms(ours));
        write!(line, " {:>7.2} {:>9.2}", ours / theirs, tolerant / theirs)?;
        println!("{line}");
    }
    python.map_or(Ok(()), |python| Ok(python.stop()?))
}

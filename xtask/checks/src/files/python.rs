//! `scripts.py` behind line-delimited JSON.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Mutex;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::File;
use xtask::workspace;

/// The program that scans and runs files.
const SOURCE: &str = include_str!("scripts.py");

/// Pools of running processes, with and without TVM; each is started when first needed.
pub struct Script {
    interpreter: PathBuf,
    file: PathBuf,
    plain: Mutex<Vec<Server>>,
    with_tvm: Mutex<Vec<Server>>,
}

/// One process.
struct Server {
    child: Child,
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Drop for Server {
    fn drop(&mut self) {
        // The end of its input ends the process.
        self.requests = None;
        let _ = self.child.wait();
    }
}

impl Script {
    /// A script that this interpreter runs.
    ///
    /// # Errors
    /// When it cannot be written to `target`.
    pub fn new(interpreter: PathBuf) -> Result<Script> {
        let dir = workspace::root().join("target/files");
        std::fs::create_dir_all(&dir)?;
        let file = dir.join("scripts.py");
        std::fs::write(&file, SOURCE)?;
        Ok(Script { interpreter, file, plain: Mutex::default(), with_tvm: Mutex::default() })
    }

    /// The definitions of scripts in a file.
    ///
    /// # Errors
    /// When the process does not answer.
    pub fn scan(&self, file: &File) -> Result<Value> {
        let request = json!({"op": "scan", "file": file.path, "module": file.module});
        self.ask(&self.plain, false, &request)
    }

    /// Returns TVM's scripts of a file, compared with ours.
    ///
    /// # Errors
    /// When the process does not answer.
    pub fn run(&self, file: &File, ours: &[Value]) -> Result<Value> {
        let request = json!({"op": "run", "file": file.path, "module": file.module, "ours": ours});
        self.ask(&self.with_tvm, true, &request)
    }

    fn ask(&self, pool: &Mutex<Vec<Server>>, tvm: bool, request: &Value) -> Result<Value> {
        let idle = pool.lock().ok().and_then(|mut servers| servers.pop());
        let mut server = match idle {
            Some(server) => server,
            None => self.start(tvm)?,
        };
        let answer = server.ask(request)?;
        if let Ok(mut servers) = pool.lock() {
            servers.push(server);
        }
        Ok(answer)
    }

    fn start(&self, tvm: bool) -> Result<Server> {
        let mut child = Command::new(&self.interpreter)
            .arg(&self.file)
            .args(tvm.then_some("--tvm"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("starting {}", self.interpreter.display()))?;
        let requests = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().context("the process has an output")?);
        Ok(Server { child, requests, answers })
    }
}

impl Server {
    fn ask(&mut self, request: &Value) -> Result<Value> {
        let requests = self.requests.as_mut().context("the process has an input")?;
        writeln!(requests, "{request}")?;
        requests.flush()?;
        let mut line = String::new();
        if self.answers.read_line(&mut line)? == 0 {
            bail!("the process ended");
        }
        Ok(serde_json::from_str(&line)?)
    }
}

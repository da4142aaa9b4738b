//! The real TVM behind line-delimited JSON, its answers kept in `target/oracle-cache`.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Mutex;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use xtask::workspace;

/// A pool of running oracles; each is started when first needed.
pub struct Oracle {
    python: PathBuf,
    script: PathBuf,
    /// Texts of the scripts, which the answers depend on.
    scripts: String,
    cache: PathBuf,
    idle: Mutex<Vec<Server>>,
}

/// One process.
struct Server {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Drop for Server {
    fn drop(&mut self) {
        // Closing its input ends the process; what it says then interests nobody.
        let _ = self.requests.write_all(b"{\"op\": \"quit\"}\n");
        let _ = self.child.wait();
    }
}

impl Oracle {
    /// An oracle in the virtual environment `venv`; the script is `$TVMSCRIPT_ORACLE` or the shared one.
    ///
    /// # Errors
    /// When either is not there.
    pub fn new(venv: &Path) -> Result<Oracle> {
        Oracle::with_script(venv.join("bin/python"), Oracle::shared_script())
    }

    /// The oracle script: `$TVMSCRIPT_ORACLE` or the shared one.
    pub fn shared_script() -> PathBuf {
        match std::env::var_os("TVMSCRIPT_ORACLE") {
            Some(script) => PathBuf::from(script),
            None => workspace::shared().join("oracle/oracle.py"),
        }
    }

    /// An oracle that runs `script`, which finds the oracle script in the variable `TVMSCRIPT_ORACLE`.
    ///
    /// # Errors
    /// When either is not there.
    pub fn with_script(python: PathBuf, script: PathBuf) -> Result<Oracle> {
        for file in [&python, &script] {
            if !file.is_file() {
                bail!("there is no {}", file.display());
            }
        }
        let cache = workspace::root().join("target/oracle-cache");
        std::fs::create_dir_all(&cache)?;
        let shared = std::fs::read_to_string(Oracle::shared_script()).unwrap_or_default();
        let scripts = format!("{shared}{}", std::fs::read_to_string(&script)?);
        Ok(Oracle { python, script, scripts, cache, idle: Mutex::new(Vec::new()) })
    }

    /// The answer to a request, from the cache if it was asked before.
    ///
    /// # Errors
    /// When the oracle does not answer.
    pub fn ask(&self, request: &Value) -> Result<Value> {
        let mut hasher = DefaultHasher::new();
        let text = request.to_string();
        self.scripts.hash(&mut hasher);
        text.hash(&mut hasher);
        let first = hasher.finish();
        text.len().hash(&mut hasher);
        let file = self.cache.join(format!("{first:016x}{:016x}.json", hasher.finish()));
        if let Ok(kept) = std::fs::read_to_string(&file)
            && let Ok(answer) = serde_json::from_str(&kept)
        {
            return Ok(answer);
        }
        let answer = self.ask_anew(request)?;
        // A hang or a crash may be the machine's doing: ask again next time.
        if answer.get("crash").is_none() {
            std::fs::write(&file, answer.to_string())?;
        }
        Ok(answer)
    }

    /// The answer to a request whose answers differ, such as times.
    ///
    /// # Errors
    /// When the oracle does not answer.
    pub fn ask_anew(&self, request: &Value) -> Result<Value> {
        let idle = self.idle.lock().ok().and_then(|mut servers| servers.pop());
        let mut server = match idle {
            Some(server) => server,
            None => self.start()?,
        };
        let answer = server.ask(&request.to_string())?;
        if let Ok(mut servers) = self.idle.lock() {
            servers.push(server);
        }
        Ok(answer)
    }

    fn start(&self) -> Result<Server> {
        let mut child = Command::new(&self.python)
            .arg(&self.script)
            .arg("serve")
            .env("TVMSCRIPT_ORACLE", Oracle::shared_script())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("starting {}", self.python.display()))?;
        let requests = child.stdin.take().context("the oracle has an input")?;
        let answers = BufReader::new(child.stdout.take().context("the oracle has an output")?);
        Ok(Server { child, requests, answers })
    }
}

impl Server {
    fn ask(&mut self, request: &str) -> Result<Value> {
        self.requests.write_all(request.as_bytes())?;
        self.requests.write_all(b"\n")?;
        self.requests.flush()?;
        let mut line = String::new();
        if self.answers.read_line(&mut line)? == 0 {
            bail!("the oracle ended");
        }
        Ok(serde_json::from_str(&line)?)
    }
}

/// A request for TVM's JSON of a text.
pub fn json_of(text: &str) -> Value {
    json!({"op": "json", "text": text})
}

/// A request for TVM's print of a text.
pub fn print_of(text: &str) -> Value {
    json!({"op": "print", "text": text})
}

/// A request whether TVM reads two texts as structurally equal programs.
pub fn equal(a: &str, b: &str, map_free_vars: bool) -> Value {
    json!({"op": "equal", "a": a, "b": b, "map_free_vars": map_free_vars})
}

//! `--timings`: time spent in each phase.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use tvmscript::Release;
use tvmscript::ir_core::release::Reason;

/// Duration of each phase and size of the input.
#[derive(Debug, Clone, Default)]
pub(crate) struct Timings {
    phases: Vec<(&'static str, Duration)>,
    /// Size of all files.
    pub(crate) input_bytes: usize,
    /// Number of Python statements.
    pub(crate) statements: usize,
    /// The releases of the texts, each with the reason.
    releases: BTreeSet<(String, String)>,
}

impl Timings {
    /// Runs `work` as part of a phase.
    pub(crate) fn time<T>(&mut self, phase: &'static str, work: impl FnOnce() -> T) -> T {
        let begin = Instant::now();
        let result = work();
        self.add(phase, begin.elapsed());
        result
    }

    fn add(&mut self, phase: &'static str, time: Duration) {
        match self.phases.iter_mut().find(|(name, _)| *name == phase) {
            Some((_, sum)) => *sum += time,
            None => self.phases.push((phase, time)),
        }
    }

    /// Records the release of a text.
    pub(crate) fn add_release(&mut self, release: &Release, reason: Reason) {
        self.releases.insert((release.id(), reason.to_string()));
    }

    /// The release of the first text, with the reason; `null` if no text was read.
    pub(crate) fn release(&self) -> Value {
        self.releases.first().map_or(Value::Null, release_json)
    }

    /// Adds the times of another file.
    pub(crate) fn merge(&mut self, other: &Timings) {
        for (phase, time) in &other.phases {
            self.add(phase, *time);
        }
        self.input_bytes += other.input_bytes;
        self.statements += other.statements;
        self.releases.extend(other.releases.iter().cloned());
    }

    /// One line of JSON; times in milliseconds, `total` from start to end.
    pub(crate) fn to_json(&self, files: usize, total: Duration) -> String {
        let milliseconds = |time: Duration| json!((time.as_secs_f64() * 1e6).round() / 1e3);
        let mut line = Map::new();
        for (phase, time) in &self.phases {
            line.insert(format!("{phase}_ms"), milliseconds(*time));
        }
        line.insert("total_ms".to_owned(), milliseconds(total));
        line.insert("files".to_owned(), json!(files));
        line.insert("input_bytes".to_owned(), json!(self.input_bytes));
        line.insert("statements".to_owned(), json!(self.statements));
        line.insert("profiles".to_owned(), self.releases.iter().map(release_json).collect());
        Value::Object(line).to_string()
    }
}

fn release_json((id, reason): &(String, String)) -> Value {
    json!({"id": id, "reason": reason})
}

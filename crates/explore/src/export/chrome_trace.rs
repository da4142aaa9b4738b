//! The times of passes as Chrome's trace events, which Perfetto opens.
//!
//! Format: "Trace Event Format", complete events (`"ph": "X"`) with times in microseconds. A pass begins where the one before
//! it ended; passes inside another one begin with it. A run is a process.

use serde_json::{Value, json};

use crate::page::{Page, Run};

/// Microseconds in a millisecond.
const MICROSECONDS: f64 = 1e3;

/// Writes the times of the passes of all runs as JSON.
pub fn write(page: &Page) -> String {
    let mut events = Vec::new();
    for (process, run) in page.runs.iter().enumerate() {
        let process = process + 1;
        events.push(
            json!({"ph": "M", "name": "process_name", "pid": process, "tid": 1, "args": {"name": run.name}}),
        );
        events.extend(passes(run, process));
    }
    format!("{}\n", json!({"displayTimeUnit": "ms", "traceEvents": events}))
}

/// The events of a run, outer passes first.
fn passes(run: &Run, process: usize) -> Vec<Value> {
    let count = run.versions.len();
    // Parts of each pass; the last list has the passes that are not a part of another one.
    let mut parts: Vec<Vec<usize>> = vec![Vec::new(); count + 1];
    for (index, version) in run.versions.iter().enumerate() {
        let outer = version.inside.map_or(count, |outer| outer as usize);
        if let Some(parts) = parts.get_mut(outer.min(count)) {
            parts.push(index);
        }
    }
    let mut events = Vec::new();
    let mut open = vec![(count, 0.0_f64)];
    while let Some((outer, mut start)) = open.pop() {
        for index in parts.get(outer).into_iter().flatten().copied() {
            let Some(version) = run.versions.get(index) else { continue };
            let Some(ms) = version.ms.filter(|ms| ms.is_finite()) else { continue };
            let duration = ms.max(0.0) * MICROSECONDS;
            events.push(json!({
                "ph": "X",
                "name": version.name,
                "cat": version.phase.as_deref().unwrap_or("pass"),
                "ts": rounded(start),
                "dur": rounded(duration),
                "pid": process,
                "tid": 1,
                "args": {"version": index, "changed": version.changed, "nodes": version.nodes},
            }));
            open.push((index, start));
            start += duration;
        }
    }
    events
}

/// A time in microseconds, in steps of a nanosecond.
fn rounded(time: f64) -> f64 {
    (time * 1e3).round() / 1e3
}

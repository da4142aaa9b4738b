//! Comparing two IRs in TVM's JSON graph form, whatever the numbers of their nodes.
//!
//! The walk starts at the two roots and follows fields by name. Nodes that are identities (variables, buffers) must
//! correspond one to one; for all others sharing does not matter. Ignored are spans, a module's source map, and the
//! call annotations that only a fork of TVM has.

use std::collections::{HashMap, HashSet};
use std::io::Read;
use std::path::Path;

use serde_json::{Map, Value};

use tvmscript::tvm_json::TvmJsonVersion;

use crate::subject;

/// Node types whose identity is part of the program.
const IDENTITIES: [&str; 8] = [
    "tir.Var",
    "tir.SizeVar",
    "tir.Buffer",
    "ir.GlobalVar",
    "tir.IterVar",
    "ir.Var",
    "relax.expr.DataflowVar",
    "tirx.IterVar",
];

/// Fields that are not compared.
const IGNORED: &[(&str, &str)] = &[("ir.IRModule", "source_map"), ("tir.Call", "annotations")];

/// Reads a gzipped JSON file.
///
/// # Errors
/// When it cannot be read.
pub fn read_gzip(file: &Path) -> Result<String, String> {
    let bytes = std::fs::File::open(file).map_err(|e| format!("{}: {e}", file.display()))?;
    let mut text = String::new();
    let mut decoder = flate2::read::GzDecoder::new(bytes);
    decoder.read_to_string(&mut text).map_err(|e| format!("{}: {e}", file.display()))?;
    Ok(text)
}

/// Parses TVM's JSON, in which `NaN`, `Infinity` and `-Infinity` stand bare; they become strings.
///
/// # Errors
/// When it is not JSON.
pub fn read_json(text: &str) -> Result<Value, String> {
    let mut strict = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['"', 'N', 'I']) {
        strict.push_str(&rest[..at]);
        rest = &rest[at..];
        if rest.starts_with('"') {
            let end = string_end(rest);
            strict.push_str(&rest[..end]);
            rest = &rest[end..];
            continue;
        }
        let word = if rest.starts_with("NaN") { "NaN" } else { "Infinity" };
        let minus = strict.ends_with('-');
        if minus {
            strict.pop();
        }
        strict.push_str(if minus { "\"-" } else { "\"" });
        strict.push_str(word);
        strict.push('"');
        rest = rest.get(word.len()..).ok_or("an unknown word")?;
    }
    strict.push_str(rest);
    serde_json::from_str(&strict).map_err(|e| e.to_string())
}

/// The length of the string literal that `text` begins with.
fn string_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut i = 1;
    while i < bytes.len() {
        match bytes[i] {
            b'\\' => i += 2,
            b'"' => return i + 1,
            _ => i += 1,
        }
    }
    bytes.len()
}

/// Compares our JSON with TVM's; the first difference in the order of fields otherwise.
///
/// # Errors
/// The difference: its kind first, then the path to it.
pub fn compare(ours: &str, theirs: &str) -> Result<(), String> {
    let (_, version) = subject::release_of_json(theirs);
    let ours = read_json(ours).map_err(|e| format!("our JSON: {e}"))?;
    let theirs = read_json(theirs).map_err(|e| format!("TVM's JSON: {e}"))?;
    let (a, b) = (Graph::new(&ours)?, Graph::new(&theirs)?);
    Walk {
        version,
        a,
        b,
        forward: HashMap::new(),
        backward: HashMap::new(),
        seen: HashSet::new(),
        steps: Vec::new(),
    }
    .run()
}

/// One side.
struct Graph<'a> {
    nodes: &'a [Value],
    root: usize,
}

impl<'a> Graph<'a> {
    fn new(value: &'a Value) -> Result<Self, String> {
        let nodes = value["nodes"].as_array().ok_or("no `nodes`")?;
        let root = value["root_index"].as_u64().ok_or("no `root_index`")? as usize;
        Ok(Graph { nodes, root })
    }

    fn kind(&self, index: usize) -> &'a str {
        self.nodes.get(index).and_then(|n| n["type"].as_str()).unwrap_or("<no node>")
    }

    fn data(&self, index: usize) -> &'a Value {
        self.nodes.get(index).map_or(&Value::Null, |n| &n["data"])
    }
}

/// A pair of nodes still to be compared, and the step that leads to it.
struct Pair {
    a: usize,
    b: usize,
    step: usize,
}

/// The comparison under way.
struct Walk<'a> {
    version: &'static TvmJsonVersion,
    a: Graph<'a>,
    b: Graph<'a>,
    forward: HashMap<usize, usize>,
    backward: HashMap<usize, usize>,
    seen: HashSet<(usize, usize)>,
    /// Each step: its parent and its text.
    steps: Vec<(usize, String)>,
}

impl<'a> Walk<'a> {
    fn run(mut self) -> Result<(), String> {
        self.steps.push((0, "<root>".to_string()));
        let mut work = vec![Pair { a: self.a.root, b: self.b.root, step: 0 }];
        while let Some(pair) = work.pop() {
            let from = work.len();
            self.node(&pair, &mut work)?;
            work[from..].reverse();
        }
        Ok(())
    }

    /// The difference `what` at `step`.
    fn differ<T>(&self, step: usize, what: String) -> Result<T, String> {
        let mut path = Vec::new();
        let mut at = step;
        while at != 0 {
            path.push(self.steps[at].1.as_str());
            at = self.steps[at].0;
        }
        path.push("<root>");
        path.reverse();
        Err(format!("{what} at {}", path.concat()))
    }

    fn push(
        &mut self,
        work: &mut Vec<Pair>,
        parent: usize,
        text: String,
        a: &Value,
        b: &Value,
    ) -> Result<(), String> {
        let (Some(a), Some(b)) = (a.as_u64(), b.as_u64()) else {
            return self.differ(parent, format!("no index in {text}"));
        };
        self.steps.push((parent, text));
        work.push(Pair { a: a as usize, b: b as usize, step: self.steps.len() - 1 });
        Ok(())
    }

    fn node(&mut self, pair: &Pair, work: &mut Vec<Pair>) -> Result<(), String> {
        let (a, b, step) = (pair.a, pair.b, pair.step);
        let (kind, other) = (self.a.kind(a), self.b.kind(b));
        if kind != other {
            return self.differ(step, format!("a node is {kind}, for TVM {other},"));
        }
        if IDENTITIES.contains(&kind) {
            let there = *self.forward.entry(a).or_insert(b);
            let back = *self.backward.entry(b).or_insert(a);
            if there != b || back != a {
                return self.differ(step, format!("another {kind}"));
            }
        }
        if !self.seen.insert((a, b)) {
            return Ok(());
        }
        match (self.a.data(a), self.b.data(b)) {
            (Value::Object(x), Value::Object(y)) => self.fields(kind, x, y, step, work),
            (Value::Array(x), Value::Array(y)) if kind == "ffi.Map" => self.map(x, y, step, work),
            (Value::Array(x), Value::Array(y)) if kind == "ffi.Array" => {
                if x.len() != y.len() {
                    let (n, m) = (x.len(), y.len());
                    return self.differ(step, format!("an array has {n} elements, for TVM {m},"));
                }
                for (i, (x, y)) in x.iter().zip(y).enumerate() {
                    self.push(work, step, format!("[{i}]"), x, y)?;
                }
                Ok(())
            }
            (x, y) if same_plain(x, y) => Ok(()),
            (x, y) => self.differ(step, format!("{kind} is {}, for TVM {},", cut(x), cut(y))),
        }
    }

    fn fields(
        &mut self,
        kind: &str,
        x: &Map<String, Value>,
        y: &Map<String, Value>,
        step: usize,
        work: &mut Vec<Pair>,
    ) -> Result<(), String> {
        let ignored = |name: &str| name == "span" || IGNORED.contains(&(kind, name));
        if let Some(name) = x.keys().find(|n| !ignored(n) && !y.contains_key(*n)) {
            return self.differ(step, format!("{kind} has `{name}`, unknown to TVM,"));
        }
        for (name, theirs) in y.iter().filter(|(n, _)| !ignored(n)) {
            let Some(ours) = x.get(name) else {
                return self.differ(step, format!("{kind} lacks `{name}`"));
            };
            let plain = !theirs.is_u64() || !ours.is_u64() || self.version.is_plain_number(kind, name);
            if !plain {
                self.push(work, step, format!(".{name}"), ours, theirs)?;
            } else if !same_plain(ours, theirs) {
                return self
                    .differ(step, format!("{kind}.{name} is {}, for TVM {},", cut(ours), cut(theirs)));
            }
        }
        Ok(())
    }

    /// Maps: by text where the keys are strings or named, else by what is already known of the keys, else in order.
    fn map(&mut self, x: &[Value], y: &[Value], step: usize, work: &mut Vec<Pair>) -> Result<(), String> {
        if x.len() != y.len() {
            let (n, m) = (x.len() / 2, y.len() / 2);
            return self.differ(step, format!("a map has {n} entries, for TVM {m},"));
        }
        let mut rest: Vec<&[Value]> = y.chunks_exact(2).collect();
        for entry in x.chunks_exact(2) {
            let Some(key) = entry[0].as_u64().map(|k| k as usize) else {
                return self.differ(step, "a map without indices".to_string());
            };
            let label = key_label(&self.a, key);
            let found = rest.iter().position(|other| {
                let Some(other) = other[0].as_u64().map(|k| k as usize) else { return false };
                match self.forward.get(&key) {
                    Some(known) => *known == other,
                    None => label.is_some() && label == key_label(&self.b, other),
                }
            });
            let found = match (found, &label) {
                (Some(found), _) => found,
                (None, Some(label)) if !self.forward.contains_key(&key) => {
                    return self.differ(step, format!("a map has the key {label:?}, for TVM not,"));
                }
                (None, _) => 0,
            };
            let other = rest.remove(found);
            let text = label.map_or("[..]".to_string(), |l| format!("[{l:?}]"));
            self.push(work, step, format!("{text}.key"), &entry[0], &other[0])?;
            self.push(work, step, text, &entry[1], &other[1])?;
        }
        Ok(())
    }
}

/// The text by which a map's key is known on both sides.
fn key_label(graph: &Graph, key: usize) -> Option<String> {
    match graph.kind(key) {
        "ffi.String" => graph.data(key).as_str().map(str::to_string),
        "ir.GlobalVar" => {
            let name = graph.data(key)["name_hint"].as_u64()?;
            graph.data(name as usize).as_str().map(str::to_string)
        }
        "int" | "bool" => Some(graph.data(key).to_string()),
        _ => None,
    }
}

/// Returns `true` if two plain values are the same; floats by their bits, whole floats also against integers.
fn same_plain(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(x), Value::Number(y)) if x.is_f64() || y.is_f64() => {
            x.as_f64().map(f64::to_bits) == y.as_f64().map(f64::to_bits)
        }
        _ => a == b,
    }
}

/// A value short enough for a line.
fn cut(value: &Value) -> String {
    value.to_string().chars().take(80).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `x + (x | y)` as a graph; the second variable is `other`.
    fn sum(other: usize, value: &str) -> String {
        format!(
            r#"{{"root_index": 4, "nodes": [{{"type": "None"}},
            {{"type": "tir.Var", "data": {{"span": 0, "dtype": "int32"}}}},
            {{"type": "tir.Var", "data": {{"span": 0, "dtype": "int32"}}}},
            {{"type": "ir.FloatImm", "data": {{"span": 0, "value": {value}}}}},
            {{"type": "tir.Add", "data": {{"span": 0, "a": 1, "b": {other}, "c": 3}}}}]}}"#
        )
    }

    #[test]
    fn numbering_does_not_matter_but_identity_does() {
        assert_eq!(compare(&sum(1, "1.0"), &sum(1, "1.0")), Ok(()));
        assert_eq!(compare(&sum(2, "1.0"), &sum(2, "1.0")), Ok(()));
        assert_eq!(compare(&sum(2, "1.0"), &sum(1, "1.0")), Err("another tir.Var at <root>.b".to_string()));
    }

    #[test]
    fn numbers_that_json_lacks_are_read() {
        assert_eq!(compare(&sum(1, "NaN"), &sum(1, "NaN")), Ok(()));
        assert_eq!(compare(&sum(1, "-Infinity"), &sum(1, "-Infinity")), Ok(()));
        assert!(compare(&sum(1, "-0.0"), &sum(1, "0.0")).is_err());
    }
}

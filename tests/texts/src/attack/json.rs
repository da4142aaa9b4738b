//! JSON: mutations of valid files, and files that are deep or long.

use super::{Bases, Scale, pick};
use crate::Random;

/// A valid file of which a few values were replaced.
pub(super) fn mutated(random: &mut Random, bases: &Bases, scale: Scale) -> String {
    let Some(base) = bases.jsons.get(random.below(bases.jsons.len())) else { return "{}".to_owned() };
    let mut text = base.clone();
    for _ in 0..1 + random.below(4) {
        text = mutate(random, &text, scale);
    }
    text
}

/// Replaces, removes or doubles one token.
fn mutate(random: &mut Random, text: &str, scale: Scale) -> String {
    let tokens = crate::tokens(text);
    let Some(token) = tokens.get(random.below(tokens.len())) else { return text.to_owned() };
    let (before, this, after) =
        (&text[..token.range.start], &text[token.range.clone()], &text[token.range.end..]);
    let new = match random.below(12) {
        0 => super::number(random).replace("10**", "1e").to_lowercase(),
        1 => format!("\"{}\"", "int99999x999999".repeat(random.below(3))),
        2 => "null".to_owned(),
        3 => format!("{this}, {this}"),
        4 => String::new(),
        5 => pick(random, &["[]", "{}", "[[]]", "{\"node\": 0}", "true", "-0.0", "1e400", "NaN"]).to_owned(),
        6 => "[".repeat(scale.size(random, 200_000)),
        7 => format!("\"{}\"", "a".repeat(scale.size(random, 1_000_000))),
        8 => "9".repeat(scale.size(random, 100_000)),
        9 => pick(
            random,
            &[
                "\"int32\"",
                "\"float32x65535\"",
                "\"handle\"",
                "\"bool\"",
                "\"int0\"",
                "\"float8_e4m3fn\"",
                "\"\\u0000\"",
                "\"\\ud800\"",
                "\"custom[x]32\"",
            ],
        )
        .to_owned(),
        10 => {
            let other = &tokens[random.below(tokens.len())];
            text[other.range.clone()].to_owned()
        }
        _ => match this.parse::<i64>() {
            Ok(value) => (value + random.below(5) as i64 - 2).to_string(),
            Err(_) => this.chars().rev().collect(),
        },
    };
    format!("{before}{new}{after}")
}

/// Files that are deep or long, or tensors that say they are large.
pub(super) fn deep(random: &mut Random, scale: Scale) -> String {
    let size = scale.size(random, 300_000);
    let graph = |nodes: &[String], root: usize| {
        let nodes = nodes.join(",");
        format!(r#"{{"root_index": {root}, "nodes": [{nodes}], "metadata": {{"tvm_version": "0.23.dev0"}}}}"#)
    };
    match random.below(8) {
        0 => format!("{}1{}", "[".repeat(size), "]".repeat(size)),
        1 => format!("{{\"root_index\": {}1", "[".repeat(size)),
        2 => {
            let mut nodes = vec![r#"{"type": "ffi.Array", "data": []}"#.to_owned()];
            nodes.extend((0..size).map(|i| format!(r#"{{"type": "ffi.Array", "data": [{i}]}}"#)));
            graph(&nodes, size)
        }
        3 => {
            let mut nodes: Vec<String> = vec![
                r#"{"type": "None"}"#.to_owned(),
                r#"{"type": "ir.IntImm", "data": {"span": 0, "dtype": "int32", "value": 1}}"#.to_owned(),
            ];
            let add = |i| {
                format!(r#"{{"type": "tir.Add", "data": {{"span": 0, "dtype": "int32", "a": {i}, "b": 1}}}}"#)
            };
            nodes.extend((1..size + 1).map(add));
            graph(&nodes, size)
        }
        4 => {
            // A cycle, or a reference forward.
            let ahead = random.below(3);
            let nodes: Vec<String> = (0..3)
                .map(|i| format!(r#"{{"type": "ffi.Array", "data": [{}]}}"#, (i + ahead) % 3))
                .collect();
            graph(&nodes, 0)
        }
        5 => {
            let dims = pick(
                random,
                &[
                    "[1000000000, 1000000000]",
                    "[-1]",
                    "[9223372036854775807, 2]",
                    "[0, 9223372036854775807]",
                    "[4]",
                ],
            );
            format!(
                r#"{{"format": "tvmscript-ir", "version": 1, "root": {{"node": 0}}, "nodes": [{{"type": "ffi.Tensor", "tensor": {{"dtype": "float32", "shape": {dims}, "data": "AAAA"}}}}]}}"#
            )
        }
        6 => {
            let items = "0,".repeat(size * 4);
            graph(
                &[
                    r#"{"type": "int", "data": 1}"#.to_owned(),
                    format!(r#"{{"type": "ffi.Array", "data": [{items}0]}}"#),
                ],
                1,
            )
        }
        _ => {
            let deep = "{\"a\": ".repeat(size);
            format!(r#"{{"format": "tvmscript-ir", "version": 1, "root": {deep}"#)
        }
    }
}

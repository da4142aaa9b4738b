//! Options at random, of programs that are right.

use super::{Attack, Bases, Scale, pick};
use crate::Random;

const OPTIONS: &[&[&str]] = &[
    &["--width", "1"],
    &["--width", "4294967295"],
    &["--indent", "64"],
    &["--show-meta"],
    &["--no-syntax-sugar"],
    &["--verbose-expr"],
    &["--show-object-address"],
    &["--module-alias", ""],
    &["--module-alias", "R"],
    &["--module-alias", "x"],
    &["--name", "T"],
    &["--tir-prefix", "I"],
    &["--tir-prefix", "tir"],
    &["--relax-prefix", "T"],
    &["--ir-prefix", "x"],
    &["--int-dtype", "int64"],
    &["--int-dtype", "nonsense"],
    &["--buffer-dtype", "void"],
    &["--buffer-dtype", "int8"],
    &["--max-text-bytes", "0"],
    &["--max-text-bytes", "100"],
    &["--max-docs", "10"],
    &["--max-node-bytes", "1000"],
    &["--max-input-bytes", "10"],
    &["--elide-constants", "0"],
];

/// A base and a few options, which may contradict each other.
pub(super) fn attack(random: &mut Random, bases: &Bases, _: Scale) -> Attack {
    let is_json = random.below(4) == 0;
    let texts = if is_json { &bases.jsons } else { &bases.scripts };
    let content = texts.get(random.below(texts.len())).cloned().unwrap_or_default();
    let mut options = Vec::new();
    for _ in 0..1 + random.below(4) {
        let option = pick(random, OPTIONS);
        if options.iter().all(|other| other != option[0]) {
            options.extend(option.iter().map(|&word| word.to_owned()));
        }
    }
    Attack { family: "options", content: content.into_bytes(), is_json, options }
}

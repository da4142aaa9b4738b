//! Inputs that are made to hurt: what a reader must answer, or refuse, within bounds of time and memory.
//!
//! An [`Attack`] is one file and the options to read it with. The same seed, number and bases give the same attack. A family
//! is one idea of an attacker; [`families`] lists them.
//!
//! ```
//! use tvmscript_test_texts::attack::{Attack, Bases};
//!
//! let bases = Bases { scripts: vec!["x = 1\n".to_owned()], jsons: vec!["{}".to_owned()] };
//! let attack = Attack::new(7, 3, &bases, 100);
//! assert_eq!(attack.content, Attack::new(7, 3, &bases, 100).content);
//! ```

mod bombs;
mod json;
mod lazy;
mod literals;
mod options;
mod sharing;
mod sizes;

use crate::{Random, change_token};

/// Valid inputs that attacks begin with.
#[derive(Debug, Clone, Default)]
pub struct Bases {
    /// Scripts.
    pub scripts: Vec<String>,
    /// JSON in both forms.
    pub jsons: Vec<String>,
}

/// One input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attack {
    /// The idea, one of [`families`].
    pub family: &'static str,
    /// The file.
    pub content: Vec<u8>,
    /// Whether the file is meant to be JSON.
    pub is_json: bool,
    /// Options of `print`, `roundtrip` and `equal`.
    pub options: Vec<String>,
}

/// The function that makes an attack of a family.
type Make = fn(&mut Random, &Bases, Scale) -> Attack;

/// The families, in turn.
const MAKERS: &[(&str, Make)] = &[
    ("literals", |r, _, s| Attack::script("literals", literals::literal(r, s))),
    ("nesting", |r, _, s| Attack::script("nesting", literals::nesting(r, s))),
    ("chains", |r, _, s| Attack::script("chains", literals::chain(r, s))),
    ("sharing-tir", |r, _, s| Attack::script("sharing-tir", sharing::tir(r, s))),
    ("sharing-relax", |r, _, s| Attack::script("sharing-relax", sharing::relax(r, s))),
    ("sharing-json", |r, _, s| Attack::json("sharing-json", sharing::json(r, s))),
    ("json", |r, b, s| Attack::json("json", json::mutated(r, b, s))),
    ("json-deep", |r, _, s| Attack::json("json-deep", json::deep(r, s))),
    ("options", options::attack),
    ("bombs", |r, _, s| Attack::script("bombs", bombs::bomb(r, s))),
    ("sizes-relax", |r, _, _| Attack::script("sizes-relax", sizes::relax(r))),
    ("sizes-tir", |r, _, _| Attack::script("sizes-tir", sizes::tir(r))),
    ("lazy", |r, _, s| Attack::script("lazy", lazy::lazy(r, s))),
    ("noise", noise),
];

/// The names of the families.
pub fn families() -> impl Iterator<Item = &'static str> {
    MAKERS.iter().map(|(name, _)| *name)
}

/// Sizes in per cent of what a release build gets: 100, or less for tests.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale(u32);

impl Scale {
    /// A size up to `most`, scaled: small, middle and large ones are alike frequent.
    fn size(self, random: &mut Random, most: usize) -> usize {
        let most = (most as u64 * u64::from(self.0) / 100).max(2) as usize;
        let bits = usize::BITS - most.leading_zeros();
        let limit = 1_usize << (random.below(bits as usize) + 1);
        1 + random.below(limit.min(most))
    }
}

impl Attack {
    /// The attack of this number for a seed; `percent` scales large sizes.
    #[must_use]
    pub fn new(seed: u64, number: u64, bases: &Bases, percent: u32) -> Attack {
        let mut random =
            Random::new(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ number.wrapping_mul(0xD1B5_4A32));
        // The first numbers of close seeds are alike.
        for _ in 0..4 {
            random.below(2);
        }
        let (_, make) = MAKERS[(number % MAKERS.len() as u64) as usize];
        make(&mut random, bases, Scale(percent))
    }

    fn script(family: &'static str, text: String) -> Attack {
        Attack { family, content: text.into_bytes(), is_json: false, options: Vec::new() }
    }

    fn json(family: &'static str, text: String) -> Attack {
        Attack { family, content: text.into_bytes(), is_json: true, options: Vec::new() }
    }
}

/// The first lines of most scripts.
const IMPORTS: &str = "from tvm.script import ir as I, relax as R, tir as T\n\n";

/// One of several.
fn pick<'a, T: ?Sized>(random: &mut Random, items: &[&'a T]) -> &'a T {
    items[random.below(items.len())]
}

/// A number at the edge of something.
fn number(random: &mut Random) -> &'static str {
    const NUMBERS: &[&str] = &[
        "-9223372036854775809",
        "-9223372036854775808",
        "-2147483649",
        "-2147483648",
        "-65536",
        "-2",
        "-1",
        "0",
        "1",
        "2",
        "3",
        "7",
        "16",
        "255",
        "256",
        "65535",
        "65536",
        "1000000",
        "2147483647",
        "2147483648",
        "4294967296",
        "10**12",
        "4611686018427387904",
        "9223372036854775807",
        "9223372036854775808",
        "10**30",
        "1.5",
        "True",
    ];
    pick(random, NUMBERS)
}

/// A template with each `{n}` a number of [`number`].
fn filled(random: &mut Random, template: &str) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some(at) = rest.find("{n}") {
        text.push_str(&rest[..at]);
        // Mostly sensible numbers, so that one absurd one is met.
        text.push_str(if random.below(3) == 0 {
            number(random)
        } else {
            pick(random, &["0", "1", "2", "4", "8"])
        });
        rest = &rest[at + 3..];
    }
    text + rest
}

/// Bytes, characters and tokens at random.
fn noise(random: &mut Random, bases: &Bases, scale: Scale) -> Attack {
    let base = match bases.scripts.get(random.below(bases.scripts.len())) {
        Some(script) => script.clone(),
        None => String::new(),
    };
    let content = match random.below(5) {
        0 => (0..scale.size(random, 100_000)).map(|_| random.below(256) as u8).collect(),
        1 => {
            let chars = [
                '\0',
                '\u{1b}',
                '\u{7}',
                '\u{202e}',
                '\u{feff}',
                '\u{2028}',
                'é',
                '²',
                '\u{10ffff}',
                'ﬁ',
                '\t',
                '\r',
                '\n',
                '\\',
                '"',
                '\'',
                '#',
                '(',
                ')',
            ];
            (0..scale.size(random, 100_000))
                .map(|_| chars[random.below(chars.len())])
                .collect::<String>()
                .into_bytes()
        }
        2 => {
            let mut bytes = base.into_bytes();
            for _ in 0..1 + random.below(20) {
                let at = random.below(bytes.len());
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = random.below(256) as u8;
                }
            }
            bytes
        }
        3 => {
            let mut text = base;
            for _ in 0..1 + random.below(30) {
                text = change_token(&text, random).map_or(text, |changed| changed.text);
            }
            text.into_bytes()
        }
        _ => {
            let lines: Vec<&str> = base.lines().collect();
            let count = scale.size(random, 20_000);
            let line =
                |random: &mut Random| lines.get(random.below(lines.len())).copied().unwrap_or_default();
            (0..count).map(|_| format!("{}\n", line(random))).collect::<String>().into_bytes()
        }
    };
    Attack { family: "noise", content, is_json: false, options: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_family_comes_up_and_repeats() {
        let bases = Bases {
            scripts: vec!["x = 1\ny = x\n".to_owned()],
            jsons: vec!["{\"nodes\": [1, 2]}".to_owned()],
        };
        for (number, family) in families().enumerate() {
            let attack = Attack::new(1, number as u64, &bases, 1);
            assert_eq!(attack.family, family);
            assert!(!attack.content.is_empty());
            assert_eq!(attack, Attack::new(1, number as u64, &bases, 1));
        }
    }
}

//! Random programs of Python host code: expressions and short sequences of statements.
//!
//! In the templates (`host.txt`), `$` and a letter are replaced by an expression: `$i` an integer, `$n` a small
//! literal, `$f` a float, `$s` a string, `$y` bytes, `$b` a boolean, `$l` a list of integers, `$w` a list of strings,
//! `$t` a tuple, `$d` a dictionary from strings to integers, `$k` one from numbers, `$e` a set of integers, `$a` any
//! value, `$p` a number format, `$q` a string format. Each program sets `result` and is deterministic: it does not
//! depend on the order of sets, identities or hashes of strings.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::Random;

/// Size of numbers and containers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Small: CPython is fast and prints the result on one line.
    Small,
    /// Beyond every budget: lengths, widths and exponents of millions.
    Hostile,
}

/// A random program that sets `result`.
pub fn host_program(random: &mut Random, scale: Scale) -> String {
    let mut maker = Maker { random, scale };
    let kind = b"ifsyblwtdk"[maker.random.below(10)];
    if maker.random.below(10) < 6 && scale == Scale::Small {
        let depth = 1 + maker.random.below(3) as u32;
        let value = maker.expr(kind, depth);
        return format!("{HEAD}result = {value}\n");
    }
    let mut out = HEAD.to_owned();
    for _ in 0..1 + maker.random.below(4) {
        let hostile = scale == Scale::Hostile && maker.random.below(3) == 0;
        let template = maker.pick(if hostile { "hostile statements" } else { "statements" });
        out.push_str(&maker.fill(template, 2));
        out.push('\n');
    }
    out + "result = (logged, i0, f0, s0, l0, t0, d0, sorted(e0))\n"
}

/// A random expression over the names of [`host_program`], which may raise.
pub(crate) fn host_expression(random: &mut Random, scale: Scale) -> String {
    let kind = b"ifsyblwtdk"[random.below(10)];
    Maker { random, scale }.expr(kind, 2)
}

const HEAD: &str = "import math\nlogged = []\ndef log(v):\n    logged.append(v)\n    return v\n\
    i0, i1, f0, s0, s1, l0, l1, t0, d0, e0 = 5, -3, 1.5, 'text', 'é²', [3, 1, 2], [], (1, 'a'), {'a': 1, 'b': 2}, {1, 2}\n";

/// Templates by section.
fn templates() -> &'static HashMap<&'static str, Vec<String>> {
    static TEMPLATES: OnceLock<HashMap<&'static str, Vec<String>>> = OnceLock::new();
    TEMPLATES.get_or_init(|| {
        let mut sections: HashMap<&'static str, Vec<String>> = HashMap::new();
        let mut section = "";
        for line in include_str!("host.txt").lines() {
            match line.strip_prefix("## ") {
                Some(name) => section = name,
                None => {
                    let text = line.replace("<LF>", "\n").replace("<none>", "");
                    sections.entry(section).or_default().push(text);
                }
            }
        }
        sections
    })
}

struct Maker<'a> {
    random: &'a mut Random,
    scale: Scale,
}

impl Maker<'_> {
    fn pick(&mut self, section: &str) -> &'static str {
        let pool = templates().get(section).map_or(&[][..], Vec::as_slice);
        pool.get(self.random.below(pool.len())).map_or("None", String::as_str)
    }

    /// Fills a template with expressions up to a depth.
    fn fill(&mut self, template: &str, depth: u32) -> String {
        let mut out = String::new();
        let mut parts = template.split('$');
        out.push_str(parts.next().unwrap_or(""));
        for part in parts {
            let (kind, rest) = part.split_at(1);
            out.push_str(&self.expr(kind.as_bytes()[0], depth));
            out.push_str(rest);
        }
        out
    }

    fn expr(&mut self, kind: u8, depth: u32) -> String {
        let hostile = self.scale == Scale::Hostile && self.random.below(4) == 0;
        // Sometimes a value of another kind.
        let kind = match kind {
            b'n' | b'p' | b'q' => kind,
            b'a' => b"ifsyblwtdk"[self.random.below(10)],
            kind if self.random.below(40) == 0 => {
                if self.random.below(4) == 0 {
                    return "None".to_owned();
                }
                let other = b"ifsblwtdk"[self.random.below(9)];
                if kind == b'e' { b'l' } else { other }
            }
            kind => kind,
        };
        let leaf = depth == 0 || self.random.below(5) == 0;
        let letter = char::from(kind);
        let leaves = match kind {
            b'n' if hostile => return self.pick("hostile i").to_owned(),
            b'n' => return self.random.below(7).to_string(),
            b'p' => {
                let format = self.pick(if hostile { "hostile p" } else { "leaf p" });
                return format!("\"{format}\"");
            }
            b'q' => return format!("\"{}\"", self.pick("leaf q")),
            b'i' | b's' if hostile => format!("hostile {letter}"),
            _ => format!("leaf {letter}"),
        };
        if leaf {
            let leaf = self.pick(&leaves);
            let bare = kind != b'i' || leaf.starts_with(|c: char| c.is_ascii_alphabetic());
            return if bare { leaf.to_owned() } else { format!("({leaf})") };
        }
        let template = self.pick(&format!("template {letter}"));
        let filled = self.fill(template, depth - 1);
        // Parentheses keep an operator together under a call of its result.
        if template.contains(" % ") && !template.starts_with('(') { format!("({filled})") } else { filled }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_programs() {
        let program = |seed| host_program(&mut Random::new(seed), Scale::Small);
        assert_eq!(program(3), program(3));
        assert_ne!(program(3), program(4));
    }
}

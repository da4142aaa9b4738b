//! The reader of rule lines.
//!
//! Rules are part of the program, so a line that does not parse is a bug of ours; the tests of each family
//! read all of its lines.

use super::{Alternative, Pat, Question, Rule, RuleSet};
use crate::expr::BinOp;

/// Names of expressions; the position is the slot.
const EXPRESSIONS: [&str; 9] = ["x", "y", "z", "a", "b", "s", "t", "p", "n"];
/// Names of integer constants, in the slots after the expressions.
const CONSTANTS: [&str; 3] = ["c1", "c2", "c3"];

impl RuleSet {
    /// Reads a family.
    ///
    /// # Panics
    /// When a line is malformed, which the test of the family excludes.
    pub(crate) fn parse(lines: &[&str]) -> Self {
        Self { rules: lines.iter().map(|line| parse_rule(line)).collect() }
    }

    /// Whether the family has no rule.
    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }
}

fn parse_rule(line: &str) -> Rule {
    let (left, rest, recursive) = match line.split_once(" =>> ") {
        Some((left, rest)) => (left, rest, true),
        None => {
            let (left, rest) = line.split_once(" => ").expect("a rule has an arrow");
            (left, rest, false)
        }
    };
    let (replacement, condition) = match rest.split_once(" if ") {
        Some((replacement, condition)) => (replacement, Some(parse_whole(condition))),
        None => (rest, None),
    };
    Rule {
        alternatives: left.split(" | ").map(|part| Alternative::new(parse_whole(part))).collect(),
        replacement: parse_whole(replacement),
        condition,
        recursive,
    }
}

fn parse_whole(text: &str) -> Pat {
    let mut reader = Reader { text, at: 0 };
    let pattern = reader.binary(0);
    reader.skip_blanks();
    assert!(reader.at == text.len(), "unexpected text after a pattern: `{}`", &text[reader.at..]);
    pattern
}

/// Operators by rising precedence; within a level the longer spelling first.
const LEVELS: [&[(&str, BinOp)]; 5] = [
    &[("||", BinOp::Or)],
    &[("&&", BinOp::And)],
    &[
        ("<=", BinOp::Le),
        (">=", BinOp::Ge),
        ("==", BinOp::Eq),
        ("!=", BinOp::Ne),
        ("<", BinOp::Lt),
        (">", BinOp::Gt),
    ],
    &[("+", BinOp::Add), ("-", BinOp::Sub)],
    &[("*", BinOp::Mul)],
];

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn skip_blanks(&mut self) {
        while self.text[self.at..].starts_with(' ') {
            self.at += 1;
        }
    }

    /// Consumes `token` if it comes next.
    fn eat(&mut self, token: &str) -> bool {
        self.skip_blanks();
        let found = self.text[self.at..].starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn expect(&mut self, token: &str) {
        assert!(self.eat(token), "expected `{token}` in rule `{}`", self.text);
    }

    fn binary(&mut self, level: usize) -> Pat {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1);
        'more: loop {
            for (token, op) in *operators {
                if self.eat(token) {
                    let right = self.binary(level + 1);
                    left = Pat::Bin(*op, Box::new([left, right]));
                    continue 'more;
                }
            }
            if level == LEVELS.len() - 1 && self.eat("%") {
                let right = self.binary(level + 1);
                left = Pat::Rem(Box::new([left, right]));
                continue 'more;
            }
            return left;
        }
    }

    fn unary(&mut self) -> Pat {
        if self.eat("!") {
            return Pat::Not(Box::new(self.unary()));
        }
        if self.eat("-") {
            return Pat::Neg(Box::new(self.unary()));
        }
        if self.eat("(") {
            let inner = self.binary(0);
            self.expect(")");
            return inner;
        }
        self.word()
    }

    fn word(&mut self) -> Pat {
        self.skip_blanks();
        let rest = &self.text[self.at..];
        let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let word = &rest[..length];
        self.at += length;
        if let Ok(number) = word.parse() {
            return Pat::Literal(number);
        }
        if let Some(slot) = EXPRESSIONS.iter().position(|name| *name == word) {
            return Pat::Any(slot);
        }
        if let Some(slot) = CONSTANTS.iter().position(|name| *name == word) {
            return Pat::Int(EXPRESSIONS.len() + slot);
        }
        match word {
            "f" => Pat::Float(EXPRESSIONS.len() + CONSTANTS.len()),
            "true" => Pat::Truth(true),
            "false" => Pat::Truth(false),
            _ => self.call(word.to_owned()),
        }
    }

    fn call(&mut self, name: String) -> Pat {
        self.expect("(");
        let mut arguments = vec![self.binary(0)];
        while self.eat(",") {
            arguments.push(self.binary(0));
        }
        self.expect(")");
        let mut arguments = arguments.into_iter();
        let mut next = || arguments.next().expect("a function of a rule has all its arguments");
        let op = match name.as_str() {
            "min" => BinOp::Min,
            "max" => BinOp::Max,
            "floordiv" => BinOp::FloorDiv,
            "floormod" => BinOp::FloorMod,
            "truncdiv" => BinOp::Div,
            "truncmod" => BinOp::Mod,
            "select" => return Pat::Select(Box::new([next(), next(), next()])),
            "ramp" => return Pat::Ramp(Box::new([next(), next(), next()])),
            "broadcast" => return Pat::Broadcast(Box::new([next(), next()])),
            "nonneg" => return Pat::Ask(Question::AtLeast, Box::new([next(), Pat::Literal(0)])),
            "pure" => return Pat::Ask(Question::Pure, Box::new([next(), Pat::Literal(0)])),
            "prove_ge" => return Pat::Ask(Question::AtLeast, Box::new([next(), next()])),
            "prove_eq" => return Pat::Ask(Question::Equals, Box::new([next(), next()])),
            _ => panic!("unknown name `{name}` in a rule"),
        };
        Pat::Bin(op, Box::new([next(), next()]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_reads_as_written() {
        let rule = parse_rule("x - c1 | c1 - x =>> x + 2 * c1 if c1 > 0 && nonneg(x)");
        assert_eq!(rule.alternatives.len(), 2);
        assert!(rule.recursive);
        let Pat::Bin(BinOp::Add, sum) = &rule.replacement else { panic!() };
        assert_eq!(sum[0], Pat::Any(0));
        assert!(matches!(&sum[1], Pat::Bin(BinOp::Mul, product) if product[0] == Pat::Literal(2)));
        assert!(matches!(rule.condition, Some(Pat::Bin(BinOp::And, _))));
    }
}

//! Parser of rewrite rules.
//!
//! Rules stay text because they can then be reviewed against upstream's source line by line, and because a table of some
//! 300 patterns with infix operators would be far larger as Rust expressions or as macro input. Each family is parsed once,
//! on first use; a test parses all families, so a malformed rule never reaches a user.

use super::{Pat, Query, Rule, RuleSet, SLOTS};
use crate::expr::BinOp;

/// Names that a rule may use; the position is the slot.
const NAMES: [&str; SLOTS] = ["x", "y", "z", "a", "b", "s", "t", "p", "n", "c1", "c2", "c3", "f"];
/// Slots from here on are integer constants.
const FIRST_CONSTANT: usize = 9;
/// The slot of the floating constant.
const FLOAT: usize = 12;

/// A malformed rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("rule `{rule}`: {reason}")]
pub struct RuleError {
    /// The rule.
    pub rule: String,
    /// The reason, lower case, without a full stop.
    pub reason: String,
}

type Parsed<T> = Result<T, String>;

impl RuleSet {
    /// Parses the rules of a family.
    pub(crate) fn parse(rules: &[&str]) -> Result<Self, RuleError> {
        let parse =
            |rule: &&str| parse_rule(rule).map_err(|reason| RuleError { rule: (*rule).to_owned(), reason });
        rules.iter().map(parse).collect::<Result<_, _>>().map(Self::new)
    }
}

fn parse_rule(rule: &str) -> Parsed<Rule> {
    let recursive = rule.split_once(" =>> ");
    let (left, rest) = recursive.or_else(|| rule.split_once(" => ")).ok_or("expected `=>` or `=>>`")?;
    let (replacement, condition) = match rest.split_once(" if ") {
        Some((replacement, condition)) => (replacement, Some(parse_pattern(condition)?)),
        None => (rest, None),
    };
    let replacement = parse_pattern(replacement)?;
    let used = slots(&replacement) | condition.as_ref().map_or(0, slots);
    let alternatives = left.split(" | ").map(|pattern| {
        let pattern = parse_pattern(pattern)?;
        match used & !slots(&pattern) {
            0 => Ok(pattern),
            _ => Err("a name on the right is not bound by each pattern on the left".to_owned()),
        }
    });
    let alternatives = alternatives.collect::<Parsed<_>>()?;
    Ok(Rule { alternatives, replacement, condition, recursive: recursive.is_some() })
}

/// The slots that a pattern names, as bits.
fn slots(pattern: &Pat) -> u32 {
    match pattern {
        Pat::Any(slot) | Pat::Int(slot) | Pat::Float(slot) => 1 << slot,
        Pat::Literal(_) | Pat::Truth(_) => 0,
        Pat::Not(pattern) | Pat::Neg(pattern) => slots(pattern),
        Pat::Bin(_, pats) | Pat::Broadcast(pats) | Pat::Ask(_, pats) | Pat::Rem(pats) => {
            pats.iter().fold(0, |bits, pat| bits | slots(pat))
        }
        Pat::Select(pats) | Pat::Ramp(pats) => pats.iter().fold(0, |bits, pat| bits | slots(pat)),
    }
}

fn parse_pattern(text: &str) -> Parsed<Pat> {
    let mut parser = Parser { rest: text };
    let pattern = parser.binary(0)?;
    match parser.rest.trim_start() {
        "" => Ok(pattern),
        rest => Err(format!("unexpected `{rest}`")),
    }
}

/// Operators by rising precedence; within a level the longer spelling first. `%` stands for [`Pat::Rem`].
const LEVELS: [&[(&str, Option<BinOp>)]; 5] = [
    &[("||", Some(BinOp::Or))],
    &[("&&", Some(BinOp::And))],
    &[
        ("<=", Some(BinOp::Le)),
        (">=", Some(BinOp::Ge)),
        ("==", Some(BinOp::Eq)),
        ("!=", Some(BinOp::Ne)),
        ("<", Some(BinOp::Lt)),
        (">", Some(BinOp::Gt)),
    ],
    &[("+", Some(BinOp::Add)), ("-", Some(BinOp::Sub))],
    &[("*", Some(BinOp::Mul)), ("%", None)],
];

struct Parser<'a> {
    rest: &'a str,
}

impl Parser<'_> {
    /// Consumes `token` if it comes next.
    fn eat(&mut self, token: &str) -> bool {
        let rest = self.rest.trim_start().strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn expect(&mut self, token: &str) -> Parsed<()> {
        if self.eat(token) { Ok(()) } else { Err(format!("expected `{token}` before `{}`", self.rest)) }
    }

    fn binary(&mut self, level: usize) -> Parsed<Pat> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        while let Some((_, op)) = operators.iter().find(|(token, _)| self.eat(token)) {
            let operands = Box::new([left, self.binary(level + 1)?]);
            left = match op {
                Some(op) => Pat::Bin(*op, operands),
                None => Pat::Rem(operands),
            };
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<Pat> {
        if self.eat("!") {
            return Ok(Pat::Not(Box::new(self.unary()?)));
        }
        if self.eat("-") {
            return Ok(Pat::Neg(Box::new(self.unary()?)));
        }
        if self.eat("(") {
            let inner = self.binary(0)?;
            self.expect(")")?;
            return Ok(inner);
        }
        self.word()
    }

    fn word(&mut self) -> Parsed<Pat> {
        let text = self.rest.trim_start();
        let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        self.rest = rest;
        if let Ok(number) = word.parse() {
            return Ok(Pat::Literal(number));
        }
        match (word, NAMES.iter().position(|name| *name == word)) {
            ("true", _) => Ok(Pat::Truth(true)),
            ("false", _) => Ok(Pat::Truth(false)),
            (_, Some(FLOAT)) => Ok(Pat::Float(FLOAT)),
            (_, Some(slot)) if slot >= FIRST_CONSTANT => Ok(Pat::Int(slot)),
            (_, Some(slot)) => Ok(Pat::Any(slot)),
            (name, None) => self.call(name.to_owned()),
        }
    }

    fn call(&mut self, name: String) -> Parsed<Pat> {
        self.expect("(")?;
        let mut args = vec![self.binary(0)?];
        while self.eat(",") {
            args.push(self.binary(0)?);
        }
        self.expect(")")?;
        if matches!(name.as_str(), "nonneg" | "pure") {
            args.push(Pat::Literal(0));
        }
        let wrong_count = || format!("wrong number of arguments of `{name}`");
        let two = |args: Vec<Pat>| <[Pat; 2]>::try_from(args).map(Box::new).map_err(|_| wrong_count());
        let three = |args: Vec<Pat>| <[Pat; 3]>::try_from(args).map(Box::new).map_err(|_| wrong_count());
        Ok(match name.as_str() {
            "min" => Pat::Bin(BinOp::Min, two(args)?),
            "max" => Pat::Bin(BinOp::Max, two(args)?),
            "floordiv" => Pat::Bin(BinOp::FloorDiv, two(args)?),
            "floormod" => Pat::Bin(BinOp::FloorMod, two(args)?),
            "truncdiv" => Pat::Bin(BinOp::Div, two(args)?),
            "truncmod" => Pat::Bin(BinOp::Mod, two(args)?),
            "select" => Pat::Select(three(args)?),
            "ramp" => Pat::Ramp(three(args)?),
            "broadcast" => Pat::Broadcast(two(args)?),
            "nonneg" | "prove_ge" => Pat::Ask(Query::AtLeast, two(args)?),
            "prove_eq" => Pat::Ask(Query::Equals, two(args)?),
            "pure" => Pat::Ask(Query::Pure, two(args)?),
            _ => return Err(format!("unknown name `{name}`")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alternatives_replacement_and_condition_are_parsed() {
        let rule = parse_rule("x - c1 | c1 - x =>> x + 2 * c1 if c1 > 0 && nonneg(x)").unwrap();
        assert_eq!(rule.alternatives.len(), 2);
        assert!(rule.recursive);
        let Pat::Bin(BinOp::Add, sum) = &rule.replacement else { panic!() };
        assert_eq!(sum[0], Pat::Any(0));
        assert!(matches!(&sum[1], Pat::Bin(BinOp::Mul, product) if product[0] == Pat::Literal(2)));
        assert!(matches!(rule.condition, Some(Pat::Bin(BinOp::And, _))));
    }

    #[test]
    fn malformed_rules_are_errors() {
        for (rule, reason) in [
            ("x + y", "expected `=>` or `=>>`"),
            ("x + y => z", "a name on the right is not bound by each pattern on the left"),
            ("min(x) => x", "wrong number of arguments of `min`"),
            ("q(x) => x", "unknown name `q`"),
            ("(x => x", "expected `)` before ``"),
            ("x y => x", "unexpected `y`"),
        ] {
            assert_eq!(parse_rule(rule).unwrap_err(), reason, "{rule}");
        }
    }
}

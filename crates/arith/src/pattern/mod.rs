//! Rewrite rules as data.
//!
//! A family of rules is a list of lines such as
//!
//! ```text
//! (x + c1) + c2 => x + (c1 + c2)
//! x * y + x | x + x * y => (y + 1) * x
//! floordiv(x, c1) < c2 => x < c1 * c2 if c1 > 0
//! ```
//!
//! with one or more patterns on the left, a replacement on the right, and an optional condition. `=>` keeps the
//! replacement as it is, `=>>` simplifies it again. The first rule that applies wins, so the order of the rules
//! affects the result.
//!
//! | name | matches |
//! |---|---|
//! | `x y z a b s t p n` | any expression; a repeated name matches structurally equal expressions |
//! | `c1 c2 c3`, `f` | an integer constant, a float constant |
//! | a number | that integer, with the type of its neighbour |
//! | `true`, `false` | the result of a comparison, with the lanes of the matched expression |
//!
//! Conditions compute with constants as 64-bit integers (`%` truncates) and may query the analyzer: `nonneg(e)`,
//! `prove_ge(e, k)`, `prove_eq(e, k)`, `pure(e)`.
//!
//! Upstream counterpart: `src/arith/pattern_match.h`.

mod apply;
mod parse;
mod rules;

use crate::expr::{BinOp, Tag};

pub(crate) use apply::Prover;
pub use parse::RuleError;
pub use rules::Rules;

/// Number of names that a rule may use.
const SLOTS: usize = 13;

/// A pattern, a replacement or a condition.
#[derive(Debug, Clone, PartialEq)]
enum Pat {
    /// Any expression.
    Any(usize),
    /// An integer constant.
    Int(usize),
    /// A floating constant.
    Float(usize),
    /// An integer with the type of its neighbour.
    Literal(i64),
    /// A truth value, as a replacement.
    Truth(bool),
    Bin(BinOp, Box<[Pat; 2]>),
    Not(Box<Pat>),
    Select(Box<[Pat; 3]>),
    Ramp(Box<[Pat; 3]>),
    Broadcast(Box<[Pat; 2]>),
    /// A query of the analyzer, in conditions only.
    Ask(Query, Box<[Pat; 2]>),
    /// The truncated remainder of constants, in conditions only.
    Rem(Box<[Pat; 2]>),
    /// A negated constant, in conditions only.
    Neg(Box<Pat>),
}

/// A query that a condition may make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Query {
    /// The expression is at least the number.
    AtLeast,
    /// The expression equals the number.
    Equals,
    /// Evaluating the expression has no effect other than reading.
    Pure,
}

#[derive(Debug)]
struct Rule {
    alternatives: Vec<Pat>,
    replacement: Pat,
    condition: Option<Pat>,
    recursive: bool,
}

/// The rules of one family, in order.
#[derive(Debug)]
pub(crate) struct RuleSet {
    rules: Vec<Rule>,
    /// Each pattern as the positions of its rule and in the rule, in order.
    patterns: Vec<(usize, usize)>,
    /// For each of the two operands and each kind of operand, the patterns that may match, as bits of words.
    candidates: [Vec<Vec<u64>>; 2],
}

impl RuleSet {
    /// Indexes rules by the kinds of operands that their patterns can match.
    fn new(rules: Vec<Rule>) -> Self {
        let patterns: Vec<(usize, usize)> = rules
            .iter()
            .enumerate()
            .flat_map(|(at, rule)| (0..rule.alternatives.len()).map(move |alternative| (at, alternative)))
            .collect();
        let operands: Vec<[u32; 2]> =
            rules.iter().flat_map(|rule| &rule.alternatives).map(operand_tags).collect();
        let candidates = [0, 1].map(|side: usize| {
            let of_kind = |kind: usize| {
                let may_match = |tags: &[u32; 2]| tags.get(side).is_some_and(|tags| tags & 1 << kind != 0);
                let word = |operands: &[[u32; 2]]| {
                    let bits = operands.iter().enumerate().filter(|(_, tags)| may_match(tags));
                    bits.fold(0, |word, (bit, _)| word | 1u64 << bit)
                };
                operands.chunks(64).map(word).collect()
            };
            (0..Tag::COUNT).map(of_kind).collect()
        });
        Self { rules, patterns, candidates }
    }

    /// The patterns that may match a node with these operands, with their rules, in order.
    fn candidates(&self, left: Option<Tag>, right: Option<Tag>) -> impl Iterator<Item = (&Rule, &Pat)> {
        let of =
            |side: usize, tag: Option<Tag>| Some(self.candidates.get(side)?.get(tag?.number())?.as_slice());
        let (left, right) = (of(0, left), of(1, right));
        let words = self.patterns.chunks(64).enumerate();
        words
            .flat_map(move |(at, patterns)| {
                let bits =
                    |side: Option<&[u64]>| side.and_then(|words| words.get(at).copied()).unwrap_or(u64::MAX);
                let mut left_over = bits(left) & bits(right);
                std::iter::from_fn(move || {
                    let next = patterns.get(left_over.trailing_zeros() as usize)?;
                    left_over &= left_over - 1;
                    Some(*next)
                })
            })
            .filter_map(|(rule, alternative)| {
                let rule = self.rules.get(rule)?;
                Some((rule, rule.alternatives.get(alternative)?))
            })
    }
}

/// The kinds of expressions that `pattern` can match, as bits.
fn tags(pattern: &Pat) -> u32 {
    match pattern {
        Pat::Int(_) | Pat::Literal(_) => Tag::Int.bit(),
        Pat::Float(_) => Tag::Float.bit(),
        Pat::Bin(op, _) => Tag::Bin(*op).bit(),
        Pat::Not(_) => Tag::Not.bit(),
        Pat::Select(_) => Tag::Select.bit(),
        Pat::Ramp(_) => Tag::Ramp.bit(),
        Pat::Broadcast(_) => Tag::Broadcast.bit(),
        _ => u32::MAX,
    }
}

/// The kinds of operands that `pattern` can match.
fn operand_tags(pattern: &Pat) -> [u32; 2] {
    match pattern {
        Pat::Bin(_, operands) => operands.each_ref().map(tags),
        Pat::Not(operand) => [tags(operand), u32::MAX],
        _ => [u32::MAX; 2],
    }
}

/// Declares families of rules.
macro_rules! rule_families {
    ($($(#[$doc:meta])* $name:ident = [$($rule:literal),* $(,)?];)*) => {
        $(
            $(#[$doc])*
            pub(crate) static $name: std::sync::LazyLock<crate::pattern::RuleSet> =
                std::sync::LazyLock::new(|| {
                    crate::pattern::RuleSet::parse(&[$($rule),*]).expect("a test parses all rules")
                });
        )*
        #[cfg(test)]
        #[test]
        fn all_rules_parse() {
            $(std::sync::LazyLock::force(&$name);)*
        }
    };
}
pub(crate) use rule_families;

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
//! The left side is one pattern or several alternatives, the right side what replaces a match, the condition
//! what must hold besides. `=>` takes the replacement as it is, `=>>` simplifies it again. A line is parsed
//! once, when its family is first used; a test parses every family.
//!
//! | name | stands for |
//! |---|---|
//! | `x y z a b s t p n` | any expression; the same letter twice means structurally equal |
//! | `c1 c2 c3`, `f` | an integer constant, a floating constant |
//! | a number | that integer, typed like its neighbour |
//! | `true`, `false` | the result of a comparison with the lanes of the matched expression |
//!
//! Conditions compute with constants as 64-bit integers (`%` truncates) and may ask the analyzer:
//! `nonneg(e)`, `prove_ge(e, k)`, `prove_eq(e, k)`, `pure(e)`. The first rule that applies wins, so the order
//! of lines is part of the result.
//!
//! Upstream counterpart: `src/arith/pattern_match.h`.

mod apply;
mod parse;

use crate::expr::{BinOp, BinOpExt, Tag};

pub(crate) use apply::Prover;

/// Number of variables a rule may name.
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
    /// This integer, typed like its neighbour.
    Literal(i64),
    /// A truth value, as a replacement.
    Truth(bool),
    Bin(BinOp, Box<[Pat; 2]>),
    Not(Box<Pat>),
    Select(Box<[Pat; 3]>),
    Ramp(Box<[Pat; 3]>),
    Broadcast(Box<[Pat; 2]>),
    /// A question to the analyzer, in conditions only.
    Ask(Question, Box<[Pat; 2]>),
    /// The remainder of truncated division of constants, in conditions only.
    Rem(Box<[Pat; 2]>),
    /// The negated constant, in conditions only.
    Neg(Box<Pat>),
}

/// What a condition may ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Question {
    /// Is the expression at least the number?
    AtLeast,
    /// Is the expression equal to the number?
    Equals,
    /// Is evaluating the expression free of effects other than reading?
    Pure,
}

/// One left side with the kinds of operands it can match, for a quick refusal.
#[derive(Debug)]
struct Alternative {
    pattern: Pat,
    operand_tags: [u32; 2],
}

/// One line of a family.
#[derive(Debug)]
struct Rule {
    alternatives: Vec<Alternative>,
    replacement: Pat,
    condition: Option<Pat>,
    recursive: bool,
}

/// The rules of one family, in order.
#[derive(Debug)]
pub(crate) struct RuleSet {
    rules: Vec<Rule>,
}

/// The bits of the kinds of expression `pattern` can match.
fn tags(pattern: &Pat) -> u32 {
    match pattern {
        Pat::Int(_) | Pat::Literal(_) => Tag::Int.bit(),
        Pat::Float(_) => Tag::Float.bit(),
        Pat::Bin(op, _) => op.tag().bit(),
        Pat::Not(_) => Tag::Not.bit(),
        Pat::Select(_) => Tag::Select.bit(),
        Pat::Ramp(_) => Tag::Ramp.bit(),
        Pat::Broadcast(_) => Tag::Broadcast.bit(),
        _ => u32::MAX,
    }
}

impl Alternative {
    fn new(pattern: Pat) -> Self {
        let operand_tags = match &pattern {
            Pat::Bin(_, operands) => [tags(&operands[0]), tags(&operands[1])],
            Pat::Not(operand) => [tags(operand), u32::MAX],
            _ => [u32::MAX; 2],
        };
        Self { pattern, operand_tags }
    }
}

/// Declares families of rules: a name and its lines.
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

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

/// A pattern with the kinds of operands that it can match, as a filter before matching.
#[derive(Debug)]
struct Alternative {
    pattern: Pat,
    operand_tags: [u32; 2],
}

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

impl Alternative {
    fn new(pattern: Pat) -> Self {
        let operand_tags = match &pattern {
            Pat::Bin(_, operands) => operands.each_ref().map(tags),
            Pat::Not(operand) => [tags(operand), u32::MAX],
            _ => [u32::MAX; 2],
        };
        Self { pattern, operand_tags }
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

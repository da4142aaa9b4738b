//! Simplification keeps the value; bounds, modular sets and intervals hold it. Checked on random expressions of every
//! operation, with and without bounds on the variables.

use std::collections::BTreeMap;

use crate::common::{self, Vars};
use tvmscript_arith::{Analyzer, DomMap, IntSet, eval_set};
use tvmscript_ir_core::DataType;
use tvmscript_prim::Op;
use tvmscript_prim::ops::BinaryOp;
use tvmscript_prim::{Call, Cast, Expr, ExprKind, ExprView, IntImm, Not, PrimExprExt, Select, Var};

/// A small generator of pseudo-random numbers, so that a failure repeats.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u64) as usize]
    }

    fn between(&mut self, first: i64, last: i64) -> i64 {
        first + self.below((last - first + 1) as u64) as i64
    }
}

const CONSTANTS: [i64; 17] = [0, 1, 1, 2, 2, 3, 4, 5, 6, 7, 8, 12, 16, 32, -1, -2, -4];
const ARITHMETIC: [BinaryOp; 12] = [
    BinaryOp::Add,
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::Div,
    BinaryOp::Mod,
    BinaryOp::FloorDiv,
    BinaryOp::FloorMod,
    BinaryOp::Min,
    BinaryOp::Max,
    BinaryOp::FloorDiv,
];
const COMPARISONS: [BinaryOp; 6] =
    [BinaryOp::Eq, BinaryOp::Ne, BinaryOp::Lt, BinaryOp::Le, BinaryOp::Gt, BinaryOp::Ge];

struct Generator {
    random: Random,
    dtype: DataType,
    vars: Vec<Expr>,
}

impl Generator {
    fn constant(&mut self) -> Expr {
        IntImm::try_new(self.dtype, self.random.pick(&CONSTANTS)).unwrap()
    }

    fn leaf(&mut self) -> Expr {
        if self.random.below(3) == 0 {
            return self.constant();
        }
        let at = self.random.below(self.vars.len() as u64) as usize;
        self.vars[at].clone()
    }

    fn number(&mut self, depth: u32) -> Expr {
        if depth == 0 {
            return self.leaf();
        }
        match self.random.below(16) {
            0..=11 => {
                let op = self.random.pick(&ARITHMETIC);
                let a = self.number(depth - 1);
                let by_constant = matches!(op, BinaryOp::Mul | BinaryOp::Div | BinaryOp::Mod)
                    || matches!(op, BinaryOp::FloorDiv | BinaryOp::FloorMod);
                let b = if by_constant && self.random.below(4) > 0 {
                    self.constant()
                } else {
                    self.number(depth - 1)
                };
                op.node(a, b).unwrap()
            }
            12 => {
                let condition = self.truth(depth - 1);
                Select::try_new(condition, self.number(depth - 1), self.number(depth - 1)).unwrap()
            }
            13 => {
                let args = [self.truth(depth - 1), self.number(depth - 1), self.number(depth - 1)];
                Call::new(self.dtype, Op::get("tir.if_then_else"), args)
            }
            14 => {
                let (name, limit) = self.random.pick(&[
                    ("tir.shift_right", 4),
                    ("tir.shift_left", 4),
                    ("tir.bitwise_and", 16),
                ]);
                let amount = self.random.between(0, limit - 1);
                let args = [self.number(depth - 1), IntImm::try_new(self.dtype, amount).unwrap()];
                Call::new(self.dtype, Op::get(name), args)
            }
            _ => {
                let other = if self.dtype == DataType::INT32 { DataType::INT64 } else { DataType::INT32 };
                Cast::try_new(self.dtype, Cast::try_new(other, self.number(depth - 1)).unwrap()).unwrap()
            }
        }
    }

    fn truth(&mut self, depth: u32) -> Expr {
        match self.random.below(if depth == 0 { 5 } else { 8 }) {
            0..=4 => {
                let op = self.random.pick(&COMPARISONS);
                op.node(self.number(depth), self.number(depth)).unwrap()
            }
            5 => Not::try_new(self.truth(depth - 1)).unwrap(),
            6 => BinaryOp::And.node(self.truth(depth - 1), self.truth(depth - 1)).unwrap(),
            _ => BinaryOp::Or.node(self.truth(depth - 1), self.truth(depth - 1)).unwrap(),
        }
    }
}

/// Values of variables by address.
type Values = BTreeMap<usize, i64>;

/// The value of `e`; `None` where it divides by zero or leaves its type.
fn evaluate(e: &Expr, values: &Values) -> Option<i64> {
    let value = match e.kind() {
        ExprKind::IntImm(node) => node.value,
        ExprKind::Var(_) => values[&e.object().address()],
        ExprKind::Not(node) => 1 - evaluate(&node.a, values)?,
        ExprKind::Cast(node) => evaluate(&node.value, values)?,
        ExprKind::Select(node) => {
            let taken =
                if evaluate(&node.condition, values)? != 0 { &node.true_value } else { &node.false_value };
            evaluate(taken, values)?
        }
        ExprKind::And(node) => i64::from(evaluate(&node.a, values)? != 0 && evaluate(&node.b, values)? != 0),
        ExprKind::Or(node) => i64::from(evaluate(&node.a, values)? != 0 || evaluate(&node.b, values)? != 0),
        ExprKind::Call(node) => {
            let args: Vec<&Expr> = node.args.iter().collect();
            match node.op_name()? {
                "tir.if_then_else" => {
                    evaluate(args[if evaluate(args[0], values)? != 0 { 1 } else { 2 }], values)?
                }
                "tir.shift_right" => evaluate(args[0], values)? >> evaluate(args[1], values)?,
                "tir.shift_left" => evaluate(args[0], values)? << evaluate(args[1], values)?,
                "tir.bitwise_and" => evaluate(args[0], values)? & evaluate(args[1], values)?,
                other => panic!("operator `{other}`"),
            }
        }
        kind => {
            let (a, b) = common::operands(kind)?;
            let (a, b) = (evaluate(&a, values)?, evaluate(&b, values)?);
            let divisor = (b != 0).then_some(b);
            match kind {
                ExprKind::Add(_) => a.checked_add(b)?,
                ExprKind::Sub(_) => a.checked_sub(b)?,
                ExprKind::Mul(_) => a.checked_mul(b)?,
                ExprKind::Div(_) => a / divisor?,
                ExprKind::Mod(_) => a % divisor?,
                ExprKind::FloorDiv(_) => (a as f64 / divisor? as f64).floor() as i64,
                ExprKind::FloorMod(_) => a - b * (a as f64 / divisor? as f64).floor() as i64,
                ExprKind::Min(_) => a.min(b),
                ExprKind::Max(_) => a.max(b),
                ExprKind::EQ(_) => (a == b).into(),
                ExprKind::NE(_) => (a != b).into(),
                ExprKind::LT(_) => (a < b).into(),
                ExprKind::LE(_) => (a <= b).into(),
                ExprKind::GT(_) => (a > b).into(),
                ExprKind::GE(_) => (a >= b).into(),
                other => panic!("node {other:?}"),
            }
        }
    };
    (value.abs() < 1 << 30).then_some(value)
}

/// One random expression with the ranges of its variables, and values within these.
struct Case {
    e: Expr,
    vars: Vars,
    ranges: Vec<(i64, i64)>,
    is_bound: Vec<bool>,
    random: Random,
}

impl Case {
    fn new(seed: u64) -> Case {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        for _ in 0..8 {
            random.next();
        }
        let dtype = random.pick(&[DataType::INT32, DataType::INT64]);
        let names = ["i", "j", "k"];
        let count = 1 + random.below(3) as usize;
        let vars: Vars = names[..count].iter().map(|n| ((*n).to_owned(), Var::new(*n, dtype))).collect();
        let mut ranges = Vec::new();
        let mut is_bound = Vec::new();
        for _ in 0..count {
            let bound = random.below(2) == 0;
            is_bound.push(bound);
            let first = random.pick(&[0, 0, 0, 1, 2, -4]);
            ranges.push(if bound {
                (first, first + random.pick(&[0, 1, 3, 7, 15, 31, 63]))
            } else {
                (-40, 40)
            });
        }
        let leaves = vars.values().map(|var| var.clone().upcast()).collect();
        let mut generator = Generator { random, dtype, vars: leaves };
        let depth = 1 + generator.random.below(4) as u32;
        let e = if generator.random.below(3) == 0 { generator.truth(depth) } else { generator.number(depth) };
        Case { e, vars, ranges, is_bound, random: generator.random }
    }

    fn analyzer(&self) -> Analyzer {
        let mut analyzer = Analyzer::new();
        for ((var, (first, last)), is_bound) in self.vars.values().zip(&self.ranges).zip(&self.is_bound) {
            if *is_bound {
                let number = |value: i64| IntImm::try_new(var.dtype, value).unwrap();
                analyzer.bind_range(var, &number(*first), &number(last - first + 1));
            }
        }
        analyzer
    }

    fn values(&mut self) -> Values {
        let vars = self.vars.values().zip(&self.ranges);
        vars.map(|(var, (first, last))| (var.object().address(), self.random.between(*first, *last)))
            .collect()
    }
}

/// `TVMSCRIPT_CASES` asks for more.
fn cases() -> std::ops::RangeInclusive<u64> {
    let asked = std::env::var("TVMSCRIPT_CASES").ok().and_then(|text| text.parse().ok());
    1..=asked.unwrap_or(2_000)
}
const SAMPLES: u32 = 40;

/// Checks that most samples of most cases had a value.
fn assert_most(compared: u64) {
    let all = cases().count() as u64 * u64::from(SAMPLES);
    assert!(compared > all / 4, "{compared} of {all} samples");
}

#[test]
fn simplification_keeps_the_value() {
    let mut compared = 0;
    for seed in cases() {
        let mut case = Case::new(seed);
        let simple = case.analyzer().simplify(&case.e);
        assert_eq!(simple.dtype(), case.e.dtype());
        for _ in 0..SAMPLES {
            let values = case.values();
            let (Some(before), Some(after)) = (evaluate(&case.e, &values), evaluate(&simple, &values)) else {
                continue;
            };
            let (from, to) = (common::write(&case.e), common::write(&simple));
            assert_eq!(before, after, "seed {seed}: `{from}` became `{to}`, at {:?}", values.values());
            compared += 1;
        }
    }
    assert_most(compared);
}

#[test]
fn bounds_and_modular_sets_hold_the_value() {
    let mut compared = 0;
    for seed in cases() {
        let mut case = Case::new(seed);
        let bound = case.analyzer().const_int_bound(&case.e);
        let set = case.analyzer().modular_set(&case.e);
        for _ in 0..SAMPLES {
            let values = case.values();
            let Some(value) = evaluate(&case.e, &values) else { continue };
            let text = common::write(&case.e);
            assert!(
                bound.min <= value && value <= bound.max,
                "seed {seed}: {value} of `{text}` not in {bound:?}"
            );
            let fits = if set.coeff == 0 { value == set.base } else { (value - set.base) % set.coeff == 0 };
            assert!(fits, "seed {seed}: {value} of `{text}` is not in {set:?}");
            compared += 1;
        }
    }
    assert_most(compared);
}

#[test]
fn intervals_hold_the_value() {
    let mut compared = 0;
    for seed in cases() {
        let mut case = Case::new(seed);
        let mut domains = DomMap::new();
        for ((var, (first, last)), is_bound) in case.vars.values().zip(&case.ranges).zip(&case.is_bound) {
            if *is_bound {
                let number = |value: i64| Some(IntImm::try_new(var.dtype, value).unwrap());
                domains.insert(var, IntSet::interval(number(*first), number(*last)));
            }
        }
        // The set of a truncated remainder is that of a dividend that is not negative, as upstream has it.
        if common::write(&case.e).contains("truncmod") {
            continue;
        }
        let set = eval_set(&case.e, &domains);
        for _ in 0..SAMPLES {
            let values = case.values();
            let Some(value) = evaluate(&case.e, &values) else { continue };
            let text = common::write(&case.e);
            let min = set.min().and_then(|end| evaluate(end, &values));
            let max = set.max().and_then(|end| evaluate(end, &values));
            assert!(min.is_none_or(|min| min <= value), "seed {seed}: {value} of `{text}` below {min:?}");
            assert!(max.is_none_or(|max| value <= max), "seed {seed}: {value} of `{text}` above {max:?}");
            compared += 1;
        }
    }
    assert_most(compared);
}

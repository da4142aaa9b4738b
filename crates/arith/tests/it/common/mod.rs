//! Parser and printer of the expressions in the vectors: Python arithmetic with a few functions of `T`; nodes are
//! built as written.

// Each test file uses a part of this.
#![allow(dead_code)]

use std::collections::BTreeMap;

use tvmscript_ir_core::{DataType, Ref};
use tvmscript_prim::Op;
use tvmscript_prim::ops::BinaryOp;
use tvmscript_prim::{
    Broadcast, Call, Cast, Expr, ExprKind, ExprView, FloatImm, IntImm, Not, PrimExprExt, Ramp, Select, Var,
};

/// Variables by name.
pub type Vars = BTreeMap<String, Ref<Var>>;

/// Parses an expression; untyped integers are `int32`.
pub fn read(text: &str, vars: &Vars) -> Expr {
    let mut reader = Reader { text, at: 0, vars };
    let e = reader.binary(0);
    reader.skip_blanks();
    assert_eq!(&reader.text[reader.at..], "", "rest of `{text}`");
    e
}

/// Levels of binary operators by rising precedence. `not` is between `and` and the comparisons.
const LEVELS: [&[(&str, BinaryOp)]; 5] = [
    &[("or ", BinaryOp::Or)],
    &[("and ", BinaryOp::And)],
    &[
        ("<=", BinaryOp::Le),
        (">=", BinaryOp::Ge),
        ("==", BinaryOp::Eq),
        ("!=", BinaryOp::Ne),
        ("<", BinaryOp::Lt),
        (">", BinaryOp::Gt),
    ],
    &[("+", BinaryOp::Add), ("-", BinaryOp::Sub)],
    &[("*", BinaryOp::Mul), ("//", BinaryOp::FloorDiv), ("/", BinaryOp::Div), ("%", BinaryOp::FloorMod)],
];

struct Reader<'a> {
    text: &'a str,
    at: usize,
    vars: &'a Vars,
}

impl Reader<'_> {
    fn skip_blanks(&mut self) {
        while self.text[self.at..].starts_with(' ') {
            self.at += 1;
        }
    }

    fn eat(&mut self, token: &str) -> bool {
        self.skip_blanks();
        let found = self.text[self.at..].starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn binary(&mut self, level: usize) -> Expr {
        if level == 2 && self.eat("not ") {
            return Not::try_new(self.binary(2)).unwrap();
        }
        let Some(operators) = LEVELS.get(level) else { return self.primary() };
        let mut left = self.binary(level + 1);
        while let Some((_, op)) = operators.iter().find(|(token, _)| self.eat(token)) {
            left = op.node(left, self.binary(level + 1)).unwrap();
        }
        left
    }

    fn primary(&mut self) -> Expr {
        if self.eat("(") {
            let inner = self.binary(0);
            assert!(self.eat(")"));
            return inner;
        }
        if let Some(number) = self.number() {
            return IntImm::try_new(DataType::INT32, number).unwrap();
        }
        let name = self.name();
        match name.strip_prefix("T.") {
            Some(function) => self.call(function),
            None => self.vars.get(&name).unwrap_or_else(|| panic!("variable `{name}`")).clone().upcast(),
        }
    }

    fn number(&mut self) -> Option<i64> {
        self.skip_blanks();
        let rest = &self.text[self.at..];
        let sign = usize::from(rest.starts_with('-'));
        let digits = rest[sign..].bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            return None;
        }
        self.at += sign + digits;
        rest[..sign + digits].parse().ok()
    }

    fn name(&mut self) -> String {
        self.skip_blanks();
        let rest = &self.text[self.at..];
        let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '.').unwrap_or(rest.len());
        self.at += length;
        rest[..length].to_owned()
    }

    fn call(&mut self, function: &str) -> Expr {
        assert!(self.eat("("), "call of `{function}` in `{}`", self.text);
        match function {
            "bool" => {
                let value = self.name() == "True";
                assert!(self.eat(")"));
                return IntImm::bool(value);
            }
            "Cast" => {
                assert!(self.eat("\""));
                let dtype = self.name().parse().unwrap();
                assert!(self.eat("\",") || self.eat("\","));
                let value = self.binary(0);
                assert!(self.eat(")"));
                return Cast::try_new(dtype, value).unwrap();
            }
            _ => {}
        }
        if let Ok(dtype) = function.parse::<DataType>() {
            let number = self.number().unwrap();
            assert!(self.eat(")"));
            return IntImm::try_new(dtype, number).unwrap();
        }
        let mut args = vec![self.binary(0)];
        while self.eat(",") {
            args.push(self.binary(0));
        }
        assert!(self.eat(")"));
        let op = match function {
            "min" | "Min" => BinaryOp::Min,
            "max" | "Max" => BinaryOp::Max,
            "Div" => BinaryOp::Div,
            "truncmod" => BinaryOp::Mod,
            "FloorDiv" => BinaryOp::FloorDiv,
            "FloorMod" => BinaryOp::FloorMod,
            "Add" => BinaryOp::Add,
            "Sub" => BinaryOp::Sub,
            "Mul" => BinaryOp::Mul,
            "LT" => BinaryOp::Lt,
            "LE" => BinaryOp::Le,
            "GT" => BinaryOp::Gt,
            "GE" => BinaryOp::Ge,
            "EQ" => BinaryOp::Eq,
            "NE" => BinaryOp::Ne,
            "And" => BinaryOp::And,
            "Or" => BinaryOp::Or,
            "Ramp" => {
                let [base, stride, lanes]: [Expr; 3] = args.try_into().unwrap();
                return Ramp::try_new(base, stride, &lanes).unwrap();
            }
            "Broadcast" => {
                let [value, lanes]: [Expr; 2] = args.try_into().unwrap();
                return Broadcast::try_new(value, &lanes).unwrap();
            }
            "Not" => return Not::try_new(args.remove(0)).unwrap(),
            "Select" => {
                let [condition, a, b]: [Expr; 3] = args.try_into().unwrap();
                return Select::try_new(condition, a, b).unwrap();
            }
            _ => {
                let dtype = args[args.len().min(2) - 1].dtype();
                return Call::new(dtype, Op::get(&format!("tir.{function}")), args);
            }
        };
        let [a, b]: [Expr; 2] = args.try_into().unwrap();
        op.node(a, b).unwrap()
    }
}

/// Prints `e` as TVM does.
pub fn write(e: &Expr) -> String {
    let mut text = String::new();
    write_into(e, 0, &mut text);
    text
}

/// Precedence and sign of an operator; `None` for those printed as calls.
fn operator(kind: ExprKind<'_>) -> Option<(u8, &'static str)> {
    Some(match kind {
        ExprKind::Or(_) => (1, "or"),
        ExprKind::And(_) => (2, "and"),
        ExprKind::LT(_) => (4, "<"),
        ExprKind::LE(_) => (4, "<="),
        ExprKind::GT(_) => (4, ">"),
        ExprKind::GE(_) => (4, ">="),
        ExprKind::EQ(_) => (4, "=="),
        ExprKind::NE(_) => (4, "!="),
        ExprKind::Add(_) => (5, "+"),
        ExprKind::Sub(_) => (5, "-"),
        ExprKind::Mul(_) => (6, "*"),
        ExprKind::FloorDiv(_) => (6, "//"),
        ExprKind::FloorMod(_) => (6, "%"),
        _ => return None,
    })
}

/// The operands of a binary node.
pub fn operands(kind: ExprKind<'_>) -> Option<(Expr, Expr)> {
    macro_rules! pairs {
        ($($node:ident),*) => {
            match kind {
                $(ExprKind::$node(node) => Some((node.a.clone(), node.b.clone())),)*
                _ => None,
            }
        };
    }
    pairs!(Add, Sub, Mul, Div, Mod, FloorDiv, FloorMod, Min, Max, EQ, NE, LT, LE, GT, GE, And, Or)
}

fn write_call(name: &str, args: &[Expr], text: &mut String) {
    text.push_str("T.");
    text.push_str(name);
    text.push('(');
    for (i, arg) in args.iter().enumerate() {
        if i > 0 {
            text.push_str(", ");
        }
        write_into(arg, 0, text);
    }
    text.push(')');
}

fn write_into(e: &Expr, outer: u8, text: &mut String) {
    let kind = e.kind();
    if let (Some((level, sign)), Some((a, b))) = (operator(kind), operands(kind)) {
        let parenthesized = level < outer;
        if parenthesized {
            text.push('(');
        }
        // Comparisons do not chain, so a comparison as the left operand of one is put in parentheses as well.
        write_into(&a, if level == 4 { 5 } else { level }, text);
        text.push_str(&format!(" {sign} "));
        write_into(&b, level + 1, text);
        if parenthesized {
            text.push(')');
        }
        return;
    }
    match kind {
        ExprKind::IntImm(node) if node.dtype == DataType::INT32 => text.push_str(&node.value.to_string()),
        ExprKind::IntImm(node) if node.dtype.is_bool() => {
            text.push_str(if node.value == 0 { "T.bool(False)" } else { "T.bool(True)" });
        }
        ExprKind::IntImm(node) => text.push_str(&format!("T.{}({})", node.dtype, node.value)),
        ExprKind::FloatImm(FloatImm { dtype, value, .. }) => text.push_str(&format!("T.{dtype}({value})")),
        ExprKind::Var(node) => text.push_str(node.name.get().as_str()),
        ExprKind::Not(node) => {
            if outer > 3 {
                text.push('(');
            }
            text.push_str("not ");
            write_into(&node.a, 3, text);
            if outer > 3 {
                text.push(')');
            }
        }
        ExprKind::Cast(node) => {
            text.push_str(&format!("T.Cast(\"{}\", ", node.dtype));
            write_into(&node.value, 0, text);
            text.push(')');
        }
        ExprKind::Select(node) => {
            let args = [node.condition.clone(), node.true_value.clone(), node.false_value.clone()];
            write_call("Select", &args, text);
        }
        ExprKind::Ramp(node) => {
            write_call("Ramp", &[node.base.clone(), node.stride.clone(), node.lanes.clone()], text);
        }
        ExprKind::Broadcast(node) => {
            write_call("Broadcast", &[node.value.clone(), node.lanes.clone()], text);
        }
        ExprKind::Call(node) => {
            let name = node.op_name().unwrap_or_default().trim_start_matches("tir.").to_owned();
            write_call(&name, &node.args.iter().cloned().collect::<Vec<_>>(), text);
        }
        kind => {
            let name = match kind {
                ExprKind::Div(_) => "Div",
                ExprKind::Mod(_) => "truncmod",
                ExprKind::Min(_) => "min",
                ExprKind::Max(_) => "max",
                _ => "opaque",
            };
            let args = operands(kind).map(|(a, b)| vec![a, b]).unwrap_or_default();
            write_call(name, &args, text);
        }
    }
}

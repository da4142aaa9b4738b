//! Random well-typed TIR functions as text in natural style.
//!
//! A generated tree has no names or types: it contains "a binary expression" or "the k-th variable". Rendering
//! requests a type and resolves numbers against the scope, so every tree, also after shrinking, is a well-typed
//! program. Divisors are positive literals and other literals are small, so nothing overflows or divides by zero.

use std::fmt::Write as _;

use proptest::prelude::*;

/// An untyped expression.
#[derive(Debug, Clone)]
pub enum Expr {
    /// A literal or a variable.
    Leaf(u8),
    /// A unary operator or function.
    Unary(u8, Box<Expr>),
    /// A binary operator or function.
    Binary(u8, Box<Expr>, Box<Expr>),
    /// A conditional expression: condition and both values.
    Choice(u8, Box<Expr>, Box<Expr>, Box<Expr>),
    /// An element of a buffer.
    Load(u8, Box<Expr>),
}

/// An untyped statement.
#[derive(Debug, Clone)]
pub enum Stmt {
    /// A store: buffer, index, value.
    Store(u8, Expr, Expr),
    /// An `evaluate` statement.
    Evaluate(u8, Expr),
    /// A loop of any kind.
    For(u8, Vec<Stmt>),
    /// A loop over a grid with a block inside.
    Block(u8, Vec<Stmt>),
    /// A conditional with an optional else branch.
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// A `while` loop.
    While(Expr, Vec<Stmt>),
    /// A let, up to the end of the scope or around statements.
    Let(u8, Expr, Vec<Stmt>),
    /// An assertion up to the end of the scope.
    Assert(Expr),
    /// An allocation and stores to it.
    Allocate(u8, Vec<Stmt>),
    /// A scope with an attribute.
    Attr(u8, Vec<Stmt>),
}

/// A function.
#[derive(Debug, Clone)]
pub struct Function {
    /// Selects the parameters.
    pub params: u8,
    /// Selects the attributes.
    pub attrs: u8,
    /// The body.
    pub body: Vec<Stmt>,
}

fn expr() -> impl Strategy<Value = Expr> {
    let leaf = any::<u8>().prop_map(Expr::Leaf);
    leaf.prop_recursive(4, 24, 3, |inner| {
        let boxed = inner.prop_map(Box::new).boxed();
        prop_oneof![
            (any::<u8>(), boxed.clone()).prop_map(|(k, a)| Expr::Unary(k, a)),
            (any::<u8>(), boxed.clone(), boxed.clone()).prop_map(|(k, a, b)| Expr::Binary(k, a, b)),
            (any::<u8>(), boxed.clone(), boxed.clone(), boxed.clone())
                .prop_map(|(k, c, a, b)| Expr::Choice(k, c, a, b)),
            (any::<u8>(), boxed).prop_map(|(k, a)| Expr::Load(k, a)),
        ]
    })
}

fn stmt() -> impl Strategy<Value = Stmt> {
    let flat = prop_oneof![
        4 => (any::<u8>(), expr(), expr()).prop_map(|(k, i, v)| Stmt::Store(k, i, v)),
        1 => (any::<u8>(), expr()).prop_map(|(k, e)| Stmt::Evaluate(k, e)),
        1 => expr().prop_map(Stmt::Assert),
    ];
    flat.prop_recursive(4, 24, 3, |inner| {
        let body = prop::collection::vec(inner, 1..3).boxed();
        prop_oneof![
            (any::<u8>(), body.clone()).prop_map(|(k, b)| Stmt::For(k, b)),
            (any::<u8>(), body.clone()).prop_map(|(k, b)| Stmt::Block(k, b)),
            (expr(), body.clone(), prop_oneof![Just(Vec::new()), body.clone()])
                .prop_map(|(c, a, b)| Stmt::If(c, a, b)),
            (expr(), body.clone()).prop_map(|(c, b)| Stmt::While(c, b)),
            (any::<u8>(), expr(), body.clone()).prop_map(|(k, v, b)| Stmt::Let(k, v, b)),
            (any::<u8>(), body.clone()).prop_map(|(k, b)| Stmt::Allocate(k, b)),
            (any::<u8>(), body).prop_map(|(k, b)| Stmt::Attr(k, b)),
        ]
    })
}

/// Generates functions.
pub fn function() -> impl Strategy<Value = Function> {
    let body = prop::collection::vec(stmt(), 1..4);
    (any::<u8>(), any::<u8>(), body).prop_map(|(params, attrs, body)| Function { params, attrs, body })
}

/// Generates modules as text: one to three functions, of which the first may call the others.
pub fn module_text() -> impl Strategy<Value = String> {
    prop::collection::vec(function(), 1..4).prop_map(|functions| {
        let mut text = "@I.ir_module\nclass Module:\n".to_string();
        for (i, function) in functions.iter().enumerate() {
            for line in function_text(&format!("f{i}"), function).lines() {
                let _ = writeln!(text, "    {line}");
            }
            text.push('\n');
        }
        text
    })
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Type {
    Int32,
    Int64,
    Float32,
    Float16,
    Bool,
}

const TYPES: [Type; 5] = [Type::Int32, Type::Int64, Type::Float32, Type::Float16, Type::Bool];

impl Type {
    fn name(self) -> &'static str {
        match self {
            Type::Int32 => "int32",
            Type::Int64 => "int64",
            Type::Float32 => "float32",
            Type::Float16 => "float16",
            Type::Bool => "bool",
        }
    }
}

#[derive(Clone)]
struct Scope {
    vars: Vec<(String, Type)>,
    buffers: Vec<(String, Type)>,
    /// Variables that blocks can use: parameters but not loop variables.
    outer: Vec<(String, Type)>,
}

struct Writer {
    text: String,
    next: usize,
}

/// The text of a function.
pub fn function_text(name: &str, function: &Function) -> String {
    let mut params = vec![
        "A: T.Buffer((16,), \"float32\")".to_string(),
        "B: T.Buffer((16,), \"int32\")".to_string(),
        "n: T.int32".to_string(),
    ];
    let mut vars = vec![("n".to_string(), Type::Int32)];
    let mut buffers = vec![("A".to_string(), Type::Float32), ("B".to_string(), Type::Int32)];
    for (bit, kind) in TYPES.into_iter().enumerate() {
        if function.params >> bit & 1 == 1 {
            params.push(format!("p{bit}: T.{}", kind.name()));
            vars.push((format!("p{bit}"), kind));
        }
    }
    for (bit, kind) in [(5, Type::Int64), (6, Type::Float16)] {
        if function.params >> bit & 1 == 1 {
            params.push(format!("C{bit}: T.Buffer((16,), \"{}\")", kind.name()));
            buffers.push((format!("C{bit}"), kind));
        }
    }
    let mut writer = Writer { text: String::new(), next: 0 };
    let decorator = if function.attrs & 1 == 1 { "@T.prim_func(private=True)" } else { "@T.prim_func" };
    let _ = writeln!(writer.text, "{decorator}\ndef {name}({}):", params.join(", "));
    if function.attrs & 2 == 2 {
        let _ =
            writeln!(writer.text, "    T.func_attr({{\"k\": {}, \"tir.noalias\": True}})", function.attrs);
    }
    let scope = Scope { outer: vars.clone(), vars, buffers };
    writer.body(&function.body, &scope, 1);
    writer.text
}

impl Writer {
    /// Returns a new name.
    fn name(&mut self, prefix: &str) -> String {
        self.next += 1;
        format!("{prefix}{}", self.next)
    }

    fn line(&mut self, depth: usize, line: &str) {
        let _ = writeln!(self.text, "{}{line}", "    ".repeat(depth));
    }

    /// Writes the statements of one scope. A let or an assertion without a body extends to its end.
    fn body(&mut self, body: &[Stmt], scope: &Scope, depth: usize) {
        for stmt in body {
            self.stmt(stmt, scope, depth);
        }
    }

    fn stmt(&mut self, stmt: &Stmt, scope: &Scope, depth: usize) {
        match stmt {
            Stmt::Store(k, index, value) => {
                let (buffer, kind) = pick(&scope.buffers, *k);
                let line = format!("{buffer}[{}] = {}", index_text(index, scope), text(value, kind, scope));
                self.line(depth, &line);
            }
            Stmt::Evaluate(k, value) => {
                let kind = TYPES[*k as usize % TYPES.len()];
                self.line(depth, &format!("T.evaluate({})", text(value, kind, scope)));
            }
            Stmt::For(k, body) => {
                let var = self.name("i");
                let iter = match k % 8 {
                    0 => "range(16)".to_string(),
                    1 => "range(2, 10)".to_string(),
                    2 => "range(0, 16, 4)".to_string(),
                    3 => "T.parallel(8)".to_string(),
                    4 => "T.vectorized(4)".to_string(),
                    5 => "T.unroll(1, 4)".to_string(),
                    6 => format!("T.serial(16, annotations={{\"k\": {k}}})"),
                    _ => "T.serial(n)".to_string(),
                };
                self.line(depth, &format!("for {var} in {iter}:"));
                let mut inner = scope.clone();
                inner.vars.push((var, Type::Int32));
                self.body(body, &inner, depth + 1);
            }
            Stmt::Block(k, body) => {
                let (i, j) = (self.name("i"), self.name("j"));
                let (vi, vj) = (self.name("v"), self.name("v"));
                self.line(depth, &format!("for {i}, {j} in T.grid(4, 4):"));
                let block = self.name("block");
                self.line(depth + 1, &format!("with T.block(\"{block}\"):"));
                let axes = if k & 1 == 1 {
                    format!("{vi}, {vj} = T.axis.remap(\"SS\", [{i}, {j}])")
                } else {
                    format!("{vi} = T.axis.spatial(4, {i}); {vj} = T.axis.spatial((0, 4), {j})")
                };
                self.line(depth + 2, &axes);
                if k & 2 == 2 {
                    self.line(depth + 2, &format!("T.where({i} + {j} < 7)"));
                }
                self.line(depth + 2, "T.reads()");
                self.line(depth + 2, "T.writes(A[0:16])");
                let mut inner = scope.clone();
                inner.vars.clone_from(&scope.outer);
                inner.vars.extend([(vi, Type::Int32), (vj, Type::Int32)]);
                inner.outer.clone_from(&inner.vars);
                self.body(body, &inner, depth + 2);
            }
            Stmt::If(condition, then, otherwise) => {
                self.line(depth, &format!("if {}:", condition_text(condition, scope)));
                self.body(then, scope, depth + 1);
                if !otherwise.is_empty() {
                    self.line(depth, "else:");
                    self.body(otherwise, scope, depth + 1);
                }
            }
            Stmt::While(condition, body) => {
                self.line(depth, &format!("while {}:", condition_text(condition, scope)));
                self.body(body, scope, depth + 1);
            }
            Stmt::Let(k, value, body) => {
                let kind = TYPES[*k as usize % TYPES.len()];
                let var = self.name("x");
                let value = text(value, kind, scope);
                let mut inner = scope.clone();
                inner.vars.push((var.clone(), kind));
                inner.outer.push((var.clone(), kind));
                if k & 16 == 16 {
                    self.line(depth, &format!("{var}: T.{} = {value}", kind.name()));
                    self.body(body, &inner, depth);
                } else {
                    self.line(depth, &format!("with T.LetStmt({value}) as {var}:"));
                    self.body(body, &inner, depth + 1);
                }
            }
            Stmt::Assert(condition) => {
                self.line(depth, &format!("assert {}, \"holds\"", condition_text(condition, scope)));
                self.line(depth, "T.evaluate(n)");
            }
            Stmt::Allocate(k, body) => {
                let kind = [Type::Float32, Type::Int32][*k as usize % 2];
                let buffer = self.name("buf");
                self.line(depth, &format!("with T.decl_buffer((16,), \"{}\") as {buffer}:", kind.name()));
                let mut inner = scope.clone();
                inner.buffers.push((buffer, kind));
                self.body(body, &inner, depth + 1);
            }
            Stmt::Attr(k, body) => {
                self.line(depth, &format!("with T.attr(A.data, \"key{}\", {k}):", k % 3));
                self.body(body, scope, depth + 1);
            }
        }
    }
}

/// The element of a list that a number selects.
fn pick<T: Clone>(list: &[T], k: u8) -> T {
    list[k as usize % list.len()].clone()
}

/// A condition that is not constant, so that parsing selects no branch.
fn condition_text(expr: &Expr, scope: &Scope) -> String {
    format!("n < 5 and {}", text(expr, Type::Bool, scope))
}

/// An index into a buffer of 16 elements.
fn index_text(expr: &Expr, scope: &Scope) -> String {
    text(expr, Type::Int32, scope)
}

/// An expression of a type.
fn text(expr: &Expr, kind: Type, scope: &Scope) -> String {
    match expr {
        Expr::Leaf(k) => leaf(*k, kind, scope),
        Expr::Unary(k, a) => unary(*k, a, kind, scope),
        Expr::Binary(k, a, b) => binary(*k, a, b, kind, scope),
        Expr::Choice(k, c, a, b) => {
            let (c, a, b) = (condition_text(c, scope), text(a, kind, scope), text(b, kind, scope));
            match k % 3 {
                0 => format!("T.Select({c}, {a}, {b})"),
                1 => format!("T.if_then_else({c}, {a}, {b})"),
                _ => format!("({a} if {c} else {b})"),
            }
        }
        Expr::Load(k, index) => {
            let fitting: Vec<_> = scope.buffers.iter().filter(|(_, t)| *t == kind).collect();
            if fitting.is_empty() {
                let (buffer, _) = pick(&scope.buffers, *k);
                return format!("T.Cast(\"{}\", {buffer}[{}])", kind.name(), index_text(index, scope));
            }
            let (buffer, _) = pick(&fitting, *k);
            format!("{buffer}[{}]", index_text(index, scope))
        }
    }
}

fn leaf(k: u8, kind: Type, scope: &Scope) -> String {
    let fitting: Vec<_> = scope.vars.iter().filter(|(_, t)| *t == kind).collect();
    if k & 1 == 1 && !fitting.is_empty() {
        return pick(&fitting, k >> 1).0.clone();
    }
    let number = k >> 1 & 7;
    match kind {
        Type::Int32 => number.to_string(),
        Type::Int64 => format!("T.int64({number})"),
        Type::Float32 => format!("T.float32({number}.5)"),
        Type::Float16 => format!("T.float16({number}.25)"),
        Type::Bool => format!("n < {number}"),
    }
}

fn unary(k: u8, a: &Expr, kind: Type, scope: &Scope) -> String {
    let from = TYPES[k as usize % TYPES.len()];
    match (kind, k % 4) {
        (Type::Bool, 0 | 1) => format!("not ({})", text(a, Type::Bool, scope)),
        (Type::Bool, _) => format!("T.likely({})", text(a, Type::Bool, scope)),
        (Type::Float32, 0) => format!("T.exp({})", text(a, kind, scope)),
        (Type::Float32, 1) => format!("T.sqrt({})", text(a, kind, scope)),
        (Type::Int32, 0) => format!("T.bitwise_not({})", text(a, kind, scope)),
        (_, 2) => format!("(-({}))", text(a, kind, scope)),
        _ => format!("T.Cast(\"{}\", {})", kind.name(), text(a, from, scope)),
    }
}

fn binary(k: u8, a: &Expr, b: &Expr, kind: Type, scope: &Scope) -> String {
    if kind == Type::Bool {
        let compared = [Type::Int32, Type::Int64, Type::Float32][k as usize / 8 % 3];
        return match k % 8 {
            0 => format!("(({}) and ({}))", text(a, kind, scope), text(b, kind, scope)),
            1 => format!("(({}) or ({}))", text(a, kind, scope), text(b, kind, scope)),
            n => {
                let op = ["<", "<=", ">", ">=", "==", "!="][n as usize - 2];
                format!("(({}) {op} ({}))", text(a, compared, scope), text(b, compared, scope))
            }
        };
    }
    let left = text(a, kind, scope);
    let divisor =
        leaf((k | 2) & 0xFE, kind, &Scope { vars: Vec::new(), buffers: Vec::new(), outer: Vec::new() });
    let integer = matches!(kind, Type::Int32 | Type::Int64);
    match k % 8 {
        0 => format!("({left} + {})", text(b, kind, scope)),
        1 => format!("({left} - {})", text(b, kind, scope)),
        2 => format!("({left} * {})", text(b, kind, scope)),
        3 => format!("T.min({left}, {})", text(b, kind, scope)),
        4 => format!("T.max({left}, {})", text(b, kind, scope)),
        5 if integer => format!("({left} // {divisor})"),
        6 if integer => format!("({left} % {divisor})"),
        7 if integer => format!("T.truncmod({left}, {divisor})"),
        5 => format!("({left} / {divisor})"),
        6 => format!("T.Sub({left}, {})", text(b, kind, scope)),
        _ => format!("T.Add({left}, {})", text(b, kind, scope)),
    }
}

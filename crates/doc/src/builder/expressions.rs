//! Expressions in languages whose operators have Python's precedence, such as Rust and C++.

use std::collections::{BTreeSet, HashMap};

use crate::arena::DocArena;
use crate::error::PrintError;
use crate::expr::{Expr, ExprDoc, ExprList, KwargList};
use crate::operation::{BinaryOp, UnaryOp};

/// A piece of an expression's text.
pub(super) enum Piece {
    /// Text.
    Text(String),
    /// An expression that binds at least as strongly as this, in parentheses if it does not.
    Expr(ExprDoc, Precedence),
    /// An expression that must be a value of the program: a literal is converted.
    Value(ExprDoc, Precedence),
}

/// Strength with which an expression binds its operands.
pub(super) type Precedence = u8;

/// Of an argument.
pub(super) const ANY: Precedence = 0;
/// Of the operand of an unary operator.
const UNARY: Precedence = 7;
/// Of a call.
pub(super) const CALL: Precedence = 8;

/// The spelling of a target language.
pub(super) trait Spelling {
    /// Begin and end of the conversion of a literal to a value.
    const CONVERSION: [&'static str; 2];
    /// Begin and end of a list of arguments.
    const ARGUMENTS: [&'static str; 2];
    /// Before the first keyword argument, without and with positional arguments.
    const KEYWORDS: [&'static str; 2];
    /// The operator `~`.
    const INVERT: &'static str;

    /// A literal, as an argument or operand; `None` if the expression is not a literal.
    fn literal(&self, docs: &DocArena, expr: Expr) -> Option<String>;

    /// A string literal.
    fn string(&self, text: &str) -> String;

    /// Begin and end of a keyword argument.
    fn keyword(&self, keyword: &str) -> [String; 2];

    /// Begin and end of a function with these parameters, and the variables for them.
    fn lambda(&self, names: &[&str], variables: &[&str]) -> [String; 2];
}

/// Writes expressions.
pub(super) struct Writer<'d, S> {
    pub(super) docs: &'d DocArena,
    spelling: S,
    variables: HashMap<String, String>,
    /// The functions of the builder that the text calls.
    pub(super) functions: BTreeSet<&'static str>,
    stack: Vec<Piece>,
}

impl<'d, S: Spelling> Writer<'d, S> {
    /// Writes expressions in which variables of the program have the given names.
    pub(super) fn new(docs: &'d DocArena, spelling: S, variables: HashMap<String, String>) -> Writer<'d, S> {
        Writer { docs, spelling, variables, functions: BTreeSet::new(), stack: Vec::new() }
    }

    /// The name of a variable; `None` for a name that the program takes from a module or from Python.
    pub(super) fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str)
    }

    /// Appends the text of an expression, which is a value of the program.
    ///
    /// # Errors
    /// If the expression cannot occur in programs.
    pub(super) fn value(
        &mut self,
        expr: ExprDoc,
        precedence: Precedence,
        out: &mut String,
    ) -> Result<(), PrintError> {
        self.run(Piece::Value(expr, precedence), out)
    }

    fn run(&mut self, first: Piece, out: &mut String) -> Result<(), PrintError> {
        self.stack.push(first);
        while let Some(piece) = self.stack.pop() {
            match piece {
                Piece::Text(text) => out.push_str(&text),
                Piece::Expr(expr, precedence) => self.expr(expr, precedence, false)?,
                Piece::Value(expr, precedence) => self.expr(expr, precedence, true)?,
            }
        }
        Ok(())
    }

    /// Replaces an expression by its pieces.
    fn expr(&mut self, doc: ExprDoc, precedence: Precedence, is_value: bool) -> Result<(), PrintError> {
        let expr = self.docs.expr(doc);
        if let Some(text) = self.spelling.literal(self.docs, expr) {
            if expr == Expr::None {
                self.functions.insert("none");
            }
            if is_value {
                self.functions.insert("val");
            }
            let [begin, end] = if is_value { S::CONVERSION } else { [""; 2] };
            let is_negative = !is_value && precedence > ANY && text.starts_with('-');
            let [open, close] = if is_negative { ["(", ")"] } else { [""; 2] };
            self.stack.push(Piece::Text(format!("{open}{begin}{text}{end}{close}")));
            return Ok(());
        }
        let mut pieces = Vec::new();
        let text = |text: &str| Piece::Text(text.to_owned());
        let mut own = CALL;
        let path = match expr {
            Expr::Id(_) | Expr::Attr { .. } => self.path(doc),
            _ => None,
        };
        if let Some(path) = path {
            self.functions.insert("name");
            self.stack.push(Piece::Text(format!("name({})", self.spelling.string(&path))));
            return Ok(());
        }
        match expr {
            Expr::Id(name) => {
                let name = self.docs.text(name);
                pieces.push(text(self.variable(name).unwrap_or(name)));
            }
            Expr::Attr { value, name } => {
                pieces.push(Piece::Value(value, CALL));
                pieces.push(Piece::Text(format!(".attr({})", self.spelling.string(self.docs.text(name)))));
            }
            Expr::Index { value, indices } => {
                pieces.push(Piece::Value(value, CALL));
                pieces.push(text(".at("));
                self.arguments(indices, KwargList::default(), &mut pieces);
                pieces.push(text(")"));
            }
            Expr::Slice { start, stop, step } => {
                let has_all = [start, stop, step].iter().all(Option::is_some);
                self.functions.extend(["call"].into_iter().chain((!has_all).then_some("none")));
                pieces.push(Piece::Text(format!("call(\"slice\", {}", S::ARGUMENTS[0])));
                for (index, part) in [start, stop, step].into_iter().enumerate() {
                    if index > 0 {
                        pieces.push(text(", "));
                    }
                    pieces.push(part.map_or(text("none()"), |part| Piece::Expr(part, ANY)));
                }
                pieces.push(Piece::Text(format!("{})", S::ARGUMENTS[1])));
            }
            Expr::Call(call) => {
                let call = *self.docs.call_of(call);
                match (self.path(call.callee), self.docs.expr(call.callee)) {
                    (Some(path), _) => {
                        self.functions.insert("call");
                        pieces.push(Piece::Text(format!("call({}, ", self.spelling.string(&path))));
                    }
                    (None, Expr::Attr { value, name }) => {
                        pieces.push(Piece::Value(value, CALL));
                        pieces.push(Piece::Text(format!(
                            ".method({}, ",
                            self.spelling.string(self.docs.text(name))
                        )));
                    }
                    _ => pieces.extend([Piece::Value(call.callee, CALL), text(".call(")]),
                }
                self.arguments(call.args, call.kwargs, &mut pieces);
                pieces.push(text(")"));
            }
            Expr::Unary { op: UnaryOp::Not, operand } => {
                pieces.extend([Piece::Value(operand, CALL), text(".logical_not()")]);
            }
            Expr::Unary { op, operand } => {
                own = UNARY;
                let operator = if op == UnaryOp::USub { "-" } else { S::INVERT };
                pieces.extend([text(operator), Piece::Value(operand, UNARY)]);
            }
            Expr::Binary { op, left, right } => match operator(op) {
                Ok((operator, level)) => {
                    own = level;
                    pieces.extend([
                        Piece::Value(left, level),
                        Piece::Text(format!(" {operator} ")),
                        Piece::Expr(right, level + 1),
                    ]);
                }
                Err(method) => pieces.extend([
                    Piece::Value(left, CALL),
                    Piece::Text(format!(".{method}(")),
                    Piece::Expr(right, ANY),
                    text(")"),
                ]),
            },
            Expr::Conditional { condition, then_value, else_value, .. } => pieces.extend([
                Piece::Value(condition, CALL),
                text(".select("),
                Piece::Expr(then_value, ANY),
                text(", "),
                Piece::Expr(else_value, ANY),
                text(")"),
            ]),
            Expr::Lambda { args, body } => {
                self.functions.insert("lambda");
                let names: Vec<&str> =
                    self.docs.items(args).iter().filter_map(|arg| self.docs.name_of(*arg)).collect();
                let variables: Vec<&str> =
                    names.iter().map(|name| self.variable(name).unwrap_or(name)).collect();
                let [begin, end] = self.spelling.lambda(&names, &variables);
                pieces.extend([Piece::Text(begin), Piece::Value(body, ANY), Piece::Text(end)]);
            }
            Expr::Tuple(items) => self.collection("tuple", items, &mut pieces),
            Expr::List(items) => self.collection("list", items, &mut pieces),
            Expr::Dict(items) => self.collection("dict", items, &mut pieces),
            Expr::None
            | Expr::Bool(_)
            | Expr::Int(_)
            | Expr::Float(_)
            | Expr::Str(_)
            | Expr::Bytes(_)
            | Expr::Quoted(_) => return Err(PrintError::NotInProgram { kind: expr.name() }),
        }
        let needs_parentheses = own < precedence;
        if needs_parentheses {
            self.stack.push(text(")"));
        }
        self.stack.extend(pieces.into_iter().rev());
        if needs_parentheses {
            self.stack.push(text("("));
        }
        Ok(())
    }

    fn path(&self, doc: ExprDoc) -> Option<String> {
        path(self.docs, doc, |name| self.variable(name).is_some())
    }

    fn collection(&mut self, function: &'static str, items: ExprList, pieces: &mut Vec<Piece>) {
        self.functions.insert(function);
        pieces.push(Piece::Text(format!("{function}(")));
        self.arguments(items, KwargList::default(), pieces);
        pieces.push(Piece::Text(")".to_owned()));
    }

    fn arguments(&self, args: ExprList, kwargs: KwargList, pieces: &mut Vec<Piece>) {
        pieces.push(Piece::Text(S::ARGUMENTS[0].to_owned()));
        for (index, arg) in self.docs.items(args).iter().enumerate() {
            if index > 0 {
                pieces.push(Piece::Text(", ".to_owned()));
            }
            pieces.push(Piece::Expr(*arg, ANY));
        }
        let [alone, after] = S::KEYWORDS;
        for (index, (keyword, value)) in self.docs.kwargs(kwargs).iter().enumerate() {
            let separator = match index {
                0 if args.is_empty() => alone,
                0 => after,
                _ => ", ",
            };
            let [begin, end] = self.spelling.keyword(self.docs.text(*keyword));
            pieces.push(Piece::Text(format!("{separator}{begin}")));
            pieces.push(Piece::Expr(*value, ANY));
            pieces.push(Piece::Text(end));
        }
        pieces.push(Piece::Text(S::ARGUMENTS[1].to_owned()));
    }
}

/// The dotted path of a name that is not a variable: `Toy.clamp` if `Toy` is a module.
pub(super) fn path(docs: &DocArena, doc: ExprDoc, is_variable: impl Fn(&str) -> bool) -> Option<String> {
    let mut names = Vec::new();
    let mut at = doc;
    loop {
        match docs.expr(at) {
            Expr::Attr { value, name } => {
                names.push(docs.text(name));
                at = value;
            }
            Expr::Id(name) if !is_variable(docs.text(name)) => {
                names.push(docs.text(name));
                names.reverse();
                return Some(names.join("."));
            }
            _ => return None,
        }
    }
}

/// The operator with its precedence, or the method for an operator that the languages lack.
fn operator(op: BinaryOp) -> Result<(&'static str, Precedence), &'static str> {
    Ok(match op {
        BinaryOp::Mult => ("*", 6),
        BinaryOp::Div => ("/", 6),
        BinaryOp::Mod => ("%", 6),
        BinaryOp::Add => ("+", 5),
        BinaryOp::Sub => ("-", 5),
        BinaryOp::LShift => ("<<", 4),
        BinaryOp::RShift => (">>", 4),
        BinaryOp::BitAnd => ("&", 3),
        BinaryOp::BitXor => ("^", 2),
        BinaryOp::BitOr => ("|", 1),
        BinaryOp::FloorDiv => return Err("floordiv"),
        BinaryOp::Pow => return Err("pow"),
        BinaryOp::Lt => return Err("lt"),
        BinaryOp::LtE => return Err("le"),
        BinaryOp::Eq => return Err("equal"),
        BinaryOp::NotEq => return Err("not_equal"),
        BinaryOp::Gt => return Err("gt"),
        BinaryOp::GtE => return Err("ge"),
        BinaryOp::And => return Err("logical_and"),
        BinaryOp::Or => return Err("logical_or"),
    })
}

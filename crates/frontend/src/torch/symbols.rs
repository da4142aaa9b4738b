//! Symbolic lengths: formulas of sympy as Python text.
//!
//! Sums and products have sympy's order of operands: numbers first, then names, powers, products and sums.

use std::collections::HashMap;

use tvmscript_ir_core::{DataType, Ref};
use tvmscript_prim::{self as prim, IntImm, ops};

use super::program::Size;

/// The variables of symbols, by name.
#[derive(Debug, Default)]
pub(super) struct Symbols {
    variables: HashMap<String, Ref<prim::Var>>,
}

/// A formula. The order of the variants is that of operands.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Formula {
    Number(i64),
    Symbol(String),
    Power(Box<Formula>, u32),
    Product(Vec<Formula>),
    Sum(Vec<Formula>),
    Other(Function, Vec<Formula>),
}

/// A function of two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Function {
    FloorDivide,
    Modulo,
    Greatest,
    Least,
}

/// Maximum number of brackets in each other.
const MAX_DEPTH: usize = 64;
/// Maximum power.
const MAX_POWER: i64 = 8;

impl Symbols {
    /// A length.
    pub(super) fn size(&mut self, size: &Size) -> Result<prim::Expr, String> {
        let length = match size {
            Size::AsInt(value) => IntImm::int64(*value),
            Size::AsExpr { expr_str } => self.expression(expr_str)?,
        };
        match ops::int_value(&length) {
            Some(value @ ..0) => Err(format!("a length is {value}")),
            _ => Ok(length),
        }
    }

    /// The value of a formula.
    pub(super) fn expression(&mut self, text: &str) -> Result<prim::Expr, String> {
        let mut parser = Parser { text, rest: text };
        let formula = parser.formula(0)?;
        if !parser.rest.trim().is_empty() {
            return Err(parser.unexpected());
        }
        self.value(&formula).map_err(|error| format!("the length `{text}`: {error}"))
    }

    fn value(&mut self, formula: &Formula) -> Result<prim::Expr, prim::PrimError> {
        match formula {
            Formula::Number(value) => Ok(IntImm::int64(*value)),
            Formula::Symbol(name) => {
                let new = || prim::Var::new(name.as_str(), DataType::INT64);
                Ok(self.variables.entry(name.clone()).or_insert_with(new).clone().upcast())
            }
            Formula::Power(base, count) => {
                let base = self.value(base)?;
                (1..*count).try_fold(base.clone(), |power, _| ops::mul(power, base.clone()))
            }
            Formula::Product(operands) => self.joined(operands, ops::mul),
            Formula::Sum(operands) => self.joined(operands, ops::add),
            Formula::Other(function, operands) => self.joined(
                operands,
                match function {
                    Function::FloorDivide => ops::floordiv,
                    Function::Modulo => ops::floormod,
                    Function::Greatest => ops::max,
                    Function::Least => ops::min,
                },
            ),
        }
    }

    fn joined(
        &mut self,
        operands: &[Formula],
        join: fn(prim::Expr, prim::Expr) -> Result<prim::Expr, prim::PrimError>,
    ) -> Result<prim::Expr, prim::PrimError> {
        let mut value: Option<prim::Expr> = None;
        for operand in operands {
            let operand = self.value(operand)?;
            value = Some(match value {
                Some(value) => join(value, operand)?,
                None => operand,
            });
        }
        Ok(value.unwrap_or_else(|| IntImm::int64(0)))
    }
}

/// Reads calls such as `Add(Symbol('s0', positive=True), Integer(1))`.
struct Parser<'a> {
    text: &'a str,
    rest: &'a str,
}

impl<'a> Parser<'a> {
    fn unexpected(&self) -> String {
        let shown: String = self.text.chars().take(120).collect();
        format!("the length `{shown}` is not a formula that is read")
    }

    fn take(&mut self, token: &str) -> Result<(), String> {
        self.rest = self.rest.trim_start().strip_prefix(token).ok_or_else(|| self.unexpected())?;
        Ok(())
    }

    fn is_next(&self, token: &str) -> bool {
        self.rest.trim_start().starts_with(token)
    }

    /// Characters while a condition holds.
    fn while_is(&mut self, is_part: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest.trim_start();
        let (found, rest) = rest.split_at(rest.find(|c| !is_part(c)).unwrap_or(rest.len()));
        self.rest = rest;
        found
    }

    fn formula(&mut self, depth: usize) -> Result<Formula, String> {
        if depth > MAX_DEPTH {
            return Err(self.unexpected());
        }
        let name = self.while_is(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '-'));
        if let Ok(value) = name.parse() {
            return Ok(Formula::Number(value));
        }
        self.take("(")?;
        let formula = match name {
            "Symbol" => self.symbol()?,
            "Integer" => {
                let value = self.while_is(|c| c.is_ascii_digit() || c == '-').parse();
                Formula::Number(value.map_err(|_| self.unexpected())?)
            }
            _ => {
                let operands = self.operands(depth)?;
                self.call(name, operands)?
            }
        };
        self.take(")")?;
        Ok(formula)
    }

    /// A quoted name, then assumptions, which do not matter.
    fn symbol(&mut self) -> Result<Formula, String> {
        let quote = if self.is_next("\"") { "\"" } else { "'" };
        self.take(quote)?;
        let end = self.rest.find(quote).ok_or_else(|| self.unexpected())?;
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        self.take(quote)?;
        self.while_is(|c| !matches!(c, ')' | '('));
        Ok(Formula::Symbol(name.to_owned()))
    }

    fn operands(&mut self, depth: usize) -> Result<Vec<Formula>, String> {
        let mut operands = Vec::new();
        while !self.is_next(")") {
            if self.is_next("evaluate") {
                self.while_is(|c| !matches!(c, ')' | '('));
                break;
            }
            operands.push(self.formula(depth + 1)?);
            if self.is_next(",") {
                self.take(",")?;
            }
        }
        Ok(operands)
    }

    fn call(&self, name: &str, mut operands: Vec<Formula>) -> Result<Formula, String> {
        let name = name.rsplit('.').next().unwrap_or(name);
        let function = match name {
            "Add" | "Mul" => {
                operands.sort();
                return Ok(if name == "Add" { Formula::Sum(operands) } else { Formula::Product(operands) });
            }
            "Pow" => {
                return match <[Formula; 2]>::try_from(operands) {
                    Ok([base, Formula::Number(count @ 1..=MAX_POWER)]) => {
                        Ok(Formula::Power(Box::new(base), count as u32))
                    }
                    _ => Err(self.unexpected()),
                };
            }
            "FloorDiv" | "CleanDiv" => Function::FloorDivide,
            "Mod" | "PythonMod" => Function::Modulo,
            "Max" => Function::Greatest,
            "Min" => Function::Least,
            _ => return Err(self.unexpected()),
        };
        match operands.len() {
            2 => Ok(Formula::Other(function, operands)),
            3.. if matches!(function, Function::Greatest | Function::Least) => {
                Ok(Formula::Other(function, operands))
            }
            _ => Err(self.unexpected()),
        }
    }
}

//! Operators: a dialect's on nodes, Python's on everything else.

use smallvec::SmallVec;
use tvmscript_script_value::ScriptValue;

use super::Raise;
use super::class::is_instance;
use crate::Eval;
use crate::errors::{EvalResult, Reported};
use crate::host::{Mode, Operator};
use crate::python;
use crate::python::Outcome;
use tvmscript_python_syntax::ast::{BoolOp, CmpOp, Comparison, Expr, ExprId, List, TextRange, UnaryOp};

impl Eval<'_> {
    /// Applies an operator.
    ///
    /// # Errors
    /// Fails if it does not apply to the operands; the error is recorded at `at`.
    pub fn operate(
        &mut self,
        at: ExprId,
        operator: Operator,
        operands: &[ScriptValue],
    ) -> EvalResult<ScriptValue> {
        self.try_at(at, |p| p.apply(operator, operands))
    }

    /// Tries the operators of the dialects of the operands.
    fn dispatch_operator(
        &mut self,
        operator: Operator,
        operands: &[ScriptValue],
    ) -> Result<Option<ScriptValue>, Raise> {
        let mut asked = None;
        for operand in operands {
            let ScriptValue::Node(object) = operand else { continue };
            let Some(rule) = self.host.rules(object).operator else { continue };
            if asked.is_some_and(|before| std::ptr::fn_addr_eq(before, rule)) {
                continue;
            }
            asked = Some(rule);
            if let Some(value) = rule(operator, operands, self.state.mode())? {
                return Ok(Some(value));
            }
        }
        Ok(None)
    }

    pub(crate) fn apply(&mut self, operator: Operator, operands: &[ScriptValue]) -> Outcome {
        self.state.known(operands)?;
        if operands.iter().any(|o| matches!(o, ScriptValue::Node(_))) {
            let is_host = |operand: &ScriptValue| matches!(operand, ScriptValue::Host(_));
            let found = if operands.iter().any(is_host) {
                let number = |operand: &ScriptValue| {
                    python::object::number(operand).unwrap_or_else(|| operand.plain().clone())
                };
                let plain: SmallVec<[ScriptValue; 3]> = operands.iter().map(number).collect();
                self.dispatch_operator(operator, &plain)?
            } else {
                self.dispatch_operator(operator, operands)?
            };
            if let Some(value) = found {
                return Ok(value);
            }
        }
        match (operator, operands) {
            (Operator::Binary(op), [a, b]) if is_instance(a) || is_instance(b) => {
                self.special_binary(op, a, b)
            }
            (Operator::Unary(op), [a]) if is_instance(a) => self.special_unary(op, a),
            (Operator::Compare(op), [a, b]) if is_instance(a) || is_instance(b) => {
                self.special_compare(op, a, b)
            }
            (Operator::Binary(op), [a, b]) => {
                self.state.known_operands(op, a, b)?;
                python::arith::binary(self, op, a, b)
            }
            (Operator::Unary(UnaryOp::Not), [a]) => Ok(ScriptValue::Bool(!self.truth(a)?)),
            (Operator::Unary(op), [a]) => python::arith::unary(self, op, a),
            (Operator::Compare(op), [a, b]) => python::compare::compare(self, op, a, b),
            (Operator::Bool(op), [a, b]) => {
                let first = self.truth(a)? == (op == BoolOp::Or);
                Ok(if first { a.clone() } else { b.clone() })
            }
            (Operator::Conditional, [test, yes, no]) => {
                Ok(if self.truth(test)? { yes.clone() } else { no.clone() })
            }
            _ => Ok(ScriptValue::None),
        }
    }

    /// Evaluates a left-leaning chain `a + b + c` in a loop. Operands after a wrong one are evaluated too, to find
    /// errors in them.
    pub(crate) fn eval_binary(&mut self, id: ExprId) -> EvalResult<ScriptValue> {
        let mut spine: SmallVec<[ExprId; 8]> = SmallVec::new();
        let mut at = id;
        while let Expr::BinOp { left, .. } = *self.state.ast.expr(at) {
            spine.push(at);
            at = left;
        }
        let mut value = match self.eval_operand(at) {
            Ok(value) => value,
            Err(reported) => return self.operands_behind(spine, reported),
        };
        while let Some(at) = spine.pop() {
            let Expr::BinOp { op, right, .. } = *self.state.ast.expr(at) else { break };
            let right = match self.eval_operand(right) {
                Ok(right) => right,
                Err(reported) => return self.operands_behind(spine, reported),
            };
            let result = match (&value, &right) {
                (ScriptValue::Node(_) | ScriptValue::Host(_), _)
                | (_, ScriptValue::Node(_) | ScriptValue::Host(_)) => {
                    self.state.point_at(at);
                    self.apply(Operator::Binary(op), &[value, right])
                }
                (a, b) => {
                    self.state.known_operands(op, a, b).and_then(|()| python::arith::binary(self, op, a, b))
                }
            };
            value = match self.at(at, result) {
                Ok(value) => value,
                Err(reported) => return self.operands_behind(spine, reported),
            };
        }
        Ok(value)
    }

    /// Evaluates the remaining right operands of a chain whose left part failed.
    #[cold]
    fn operands_behind(
        &mut self,
        spine: SmallVec<[ExprId; 8]>,
        reported: Reported,
    ) -> EvalResult<ScriptValue> {
        for at in spine.into_iter().rev() {
            if let Expr::BinOp { right, .. } = *self.state.ast.expr(at) {
                self.eval_for_errors(right);
            }
        }
        Err(reported)
    }

    pub(crate) fn eval_unary(&mut self, id: ExprId, op: UnaryOp, operand: ExprId) -> EvalResult<ScriptValue> {
        let value = self.eval_operand(operand)?;
        self.state.point_at(id);
        self.try_at(id, |p| p.apply(Operator::Unary(op), &[value]))
    }

    /// Tests whether a dialect defines operators on the value.
    fn has_operators(&mut self, value: &ScriptValue) -> bool {
        matches!(value, ScriptValue::Node(object) if self.host.rules(object).operator.is_some())
    }

    pub(crate) fn eval_bool(
        &mut self,
        id: ExprId,
        op: BoolOp,
        values: List<ExprId>,
    ) -> EvalResult<ScriptValue> {
        let Some(first) = self.state.item(values, 0) else { return Ok(ScriptValue::None) };
        let start = self.state.ast.range(first).start;
        let mut value = match self.eval_operand(first) {
            Ok(value) => value,
            Err(reported) => return self.conditions_behind(values, 1, reported),
        };
        for index in 1..values.len() {
            let Some(next) = self.state.item(values, index) else { break };
            if self.state.mode() == Mode::Host && !self.has_operators(&value) {
                if self.try_at(id, |p| p.truth(&value))? == (op == BoolOp::Or) {
                    return Ok(value);
                }
                value = self.eval_operand(next)?;
                continue;
            }
            let range = TextRange::new(start, self.state.ast.range(next).end);
            let joined = self
                .eval_operand(next)
                .and_then(|right| self.apply_at(range, Operator::Bool(op), &[value, right]));
            value = match joined {
                Ok(value) => value,
                Err(reported) => return self.conditions_behind(values, index + 1, reported),
            };
        }
        Ok(value)
    }

    /// Evaluates the operands of `and` or `or` after a wrong one. Host code would not reach them.
    #[cold]
    fn conditions_behind(
        &mut self,
        values: List<ExprId>,
        from: usize,
        reported: Reported,
    ) -> EvalResult<ScriptValue> {
        if self.state.mode() == Mode::Script {
            let ast = self.state.ast.clone();
            ast.list(values).iter().skip(from).for_each(|value| self.eval_for_errors(*value));
        }
        Err(reported)
    }

    fn apply_at(
        &mut self,
        range: TextRange,
        operator: Operator,
        operands: &[ScriptValue],
    ) -> EvalResult<ScriptValue> {
        self.state.program.point_at(range);
        let result = self.apply(operator, operands);
        result.map_err(|raise| self.raise(range, None, raise))
    }

    /// Evaluates `a < b < c`: comparisons of neighbours, joined by `and`, or each compared with the next operand.
    pub(crate) fn eval_compare(&mut self, left: ExprId, rest: List<Comparison>) -> EvalResult<ScriptValue> {
        let first = left;
        let mut left = match self.eval_operand(left) {
            Ok(left) => left,
            Err(reported) => return self.comparisons_behind(rest, 0, reported),
        };
        let start = self.state.ast.range(first).start;
        let mut pair_start = start;
        let mut joined: Option<ScriptValue> = None;
        let mut nested = None;
        for index in 0..rest.len() {
            let Some(Comparison { op, right }) = self.state.item(rest, index) else { break };
            let range = self.state.ast.range(right);
            let pair = TextRange::new(pair_start, range.end);
            let compared = self.eval_operand(right).and_then(|right| {
                let value = self.compare_at(pair, op, left, &right)?;
                Ok((value, right))
            });
            let (value, right) = match compared {
                Ok(compared) => compared,
                Err(reported) => return self.comparisons_behind(rest, index + 1, reported),
            };
            if self.state.program.comparisons_nest && self.has_operators(&value) {
                (joined, left) = (None, value);
                nested = Some(left.clone());
                continue;
            }
            let value = match joined {
                None => value,
                Some(before) => self.apply_at(
                    TextRange::new(start, range.end),
                    Operator::Bool(BoolOp::And),
                    &[before, value],
                )?,
            };
            // Python stops at the first false comparison.
            if self.state.mode() == Mode::Host && index + 1 < rest.len() && !self.has_operators(&value) {
                let truth = self.truth(&value);
                if !truth.map_err(|raise| self.raise(pair, None, raise))? {
                    return Ok(value);
                }
            }
            joined = Some(value);
            left = right;
            pair_start = range.start;
        }
        Ok(joined.or(nested).unwrap_or_default())
    }

    /// Evaluates the operands of a chain of comparisons after a wrong one.
    #[cold]
    fn comparisons_behind(
        &mut self,
        rest: List<Comparison>,
        from: usize,
        reported: Reported,
    ) -> EvalResult<ScriptValue> {
        let ast = self.state.ast.clone();
        ast.list(rest).iter().skip(from).for_each(|comparison| self.eval_for_errors(comparison.right));
        Err(reported)
    }

    fn compare_at(
        &mut self,
        range: TextRange,
        op: CmpOp,
        a: ScriptValue,
        b: &ScriptValue,
    ) -> EvalResult<ScriptValue> {
        let may_build = |value: &ScriptValue| matches!(value, ScriptValue::Node(_) | ScriptValue::Host(_));
        if !may_build(&a) && !may_build(b)
            || matches!(op, CmpOp::Is | CmpOp::IsNot | CmpOp::In | CmpOp::NotIn)
        {
            let result = self.state.known([&a, b]).and_then(|()| python::compare::compare(self, op, &a, b));
            return result.map_err(|raise| self.raise(range, None, raise));
        }
        self.apply_at(range, Operator::Compare(op), &[a, b.clone()])
    }

    pub(crate) fn eval_conditional(
        &mut self,
        id: ExprId,
        test: ExprId,
        body: ExprId,
        orelse: ExprId,
    ) -> EvalResult<ScriptValue> {
        // A chain of conditionals leans to the right, through `orelse`.
        let (mut id, mut test, mut body, mut orelse) = (id, test, body, orelse);
        loop {
            let condition = self.eval_operand(test)?;
            if self.has_operators(&condition) {
                let (yes, no) = (self.eval_operand(body), self.eval_operand(orelse));
                let (yes, no) = (yes?, no?);
                self.state.point_at(id);
                return self.try_at(id, |p| p.apply(Operator::Conditional, &[condition, yes, no]));
            }
            if self.try_at(test, |p| p.truth(&condition))? {
                return self.eval_operand(body);
            }
            match *self.state.ast.expr(orelse) {
                Expr::IfExp { test: t, body: b, orelse: o } => (id, test, body, orelse) = (orelse, t, b, o),
                _ => return self.eval_operand(orelse),
            }
        }
    }
}

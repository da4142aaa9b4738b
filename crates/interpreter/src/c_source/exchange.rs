//! Exchanges of values between threads, and reductions over them.
//!
//! Each is two loops over the threads: in the first one, each thread writes its value to an array; in the second one, it
//! reads those of others.

use tvmscript_ir_core::arithmetic::{Comparison, Operator};
use tvmscript_ir_core::{DataType, Object, pre_order_visit};
use tvmscript_prim::{Expr, ExprKind, ExprView as _, IntImm, PrimExpr, PrimExprExt as _};

use super::expr::{float_literal, literal};
use super::group::Group;
use super::helpers::Helper;
use super::meetings::meeting;
use super::types::{declare, value_type};
use super::value::{Level, Value};
use super::{Lanes, Writer};
use crate::compile::{Arguments, call_of, lane_count};
use crate::device::{self, GroupReduction};
use crate::error::{Result, unsupported};
use crate::intrinsics::{Intrinsic, ThreadOperator, intrinsic};
use crate::scalar::Scalar;
use crate::warp::Exchange;

const INDEX: DataType = DataType::INT64;

impl Writer<'_> {
    /// Writes a statement, before it the exchanges in one of its nodes.
    pub(super) fn with_exchanges<T>(
        &mut self,
        node: &Object,
        body: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        if !self.is_joint() {
            return body(self);
        }
        for call in exchanges(node)? {
            let lanes = self.exchange(&call)?;
            self.exchanged.insert(call.object().address(), lanes);
        }
        let result = body(self);
        self.exchanged.clear();
        result
    }

    pub(super) fn joined(&self) -> Result<&Group> {
        match &self.group {
            Some(group) => Ok(group),
            None => unsupported("an exchange between threads outside of a launch"),
        }
    }

    /// Writes an exchange; returns what each thread gets.
    fn exchange(&mut self, call: &Expr) -> Result<Lanes> {
        let Some((callee, args)) = call.downcast_ref::<PrimExpr>().and_then(call_of) else {
            return unsupported("an exchange between threads without a call");
        };
        let (arg, dtype) = (Arguments(args), call.dtype().element());
        match intrinsic(callee) {
            Some(Intrinsic::Thread(ThreadOperator::Exchange(exchange))) => {
                self.exchange_values(exchange, arg.get(0).ok(), (None, None), call.dtype())
            }
            Some(Intrinsic::Thread(ThreadOperator::MaskedExchange(exchange))) => self.exchange_values(
                exchange,
                Some(arg.get(1)?),
                (arg.get(2).ok(), arg.get(3).ok()),
                call.dtype(),
            ),
            Some(Intrinsic::Thread(ThreadOperator::BarrierCount(operator))) => {
                Ok(vec![self.barrier_count(operator, arg.get(0)?)?])
            }
            Some(Intrinsic::Extern) => Ok(vec![self.reduce_group(&arg, dtype)?]),
            _ => unsupported("an operation of all threads inside of an expression"),
        }
    }

    fn exchange_values(
        &mut self,
        exchange: Exchange,
        value: Option<&Expr>,
        (lane, width): (Option<&Expr>, Option<&Expr>),
        dtype: DataType,
    ) -> Result<Lanes> {
        let (own, lanes) = (value.map_or(dtype, Expr::dtype), lane_count(dtype)?);
        let (own, dtype) = (own.element(), dtype.element());
        let is_vote = matches!(exchange, Exchange::Any | Exchange::All | Exchange::Ballot);
        let given = match value {
            _ if matches!(exchange, Exchange::Active) => Vec::new(),
            None => return unsupported("an exchange between threads without a value"),
            Some(value) if is_vote => {
                vec![self.kept_one("votes", DataType::BOOL, |this| this.truth(value))?]
            }
            Some(value) => self.kept("given", own, lanes, |this| this.expr(value))?,
        };
        let active = self.active()?;
        let received = self.kept("received", dtype, given.len(), |this| {
            let warp = this.warp;
            let group = this.joined()?;
            let (linear, count) = (group.linear.text.clone(), group.count.text.clone());
            let place = format!("{linear}, {warp}, {count}, {}", active.as_deref().unwrap_or("NULL"));
            let first = match given.first() {
                Some(first) => first.name.clone(),
                None => return Ok(vec![this.lane_mask(format!("({place})"), Helper::ActiveLanes, dtype)?]),
            };
            let helper = match exchange {
                Exchange::Lane => Helper::LaneOf,
                Exchange::Up => Helper::LaneUp,
                Exchange::Down => Helper::LaneDown,
                Exchange::Xor => Helper::LaneXor,
                Exchange::Any | Exchange::All | Exchange::Ballot => Helper::Votes,
                Exchange::Active => Helper::ActiveLanes,
                Exchange::Match | Exchange::Reduce(_) if active.is_some() => {
                    return unsupported("an exchange between some of the threads");
                }
                Exchange::Match => return Ok(vec![this.matching_lanes(&first, dtype)?]),
                Exchange::Reduce(operator) => {
                    let mut totals = Lanes::new();
                    for given in &given {
                        totals.push(this.reduce_warp(operator, &given.name, dtype)?);
                    }
                    return Ok(totals);
                }
            };
            if is_vote {
                let votes = this.lane_mask(format!("({first}, {place})"), helper, DataType::uint(64))?;
                return Ok(vec![match exchange {
                    Exchange::Ballot => this.cast(votes, DataType::uint(64), dtype)?,
                    Exchange::Any => Value::new(format!("{} != 0", votes.text), Level::Other, DataType::BOOL),
                    _ => {
                        let all = this.helper(Helper::ActiveLanes);
                        Value::new(format!("{} == {all}({place})", votes.text), Level::Other, DataType::BOOL)
                    }
                }]);
            }
            let lane = lane.map_or(Ok(Value::count(1)), |lane| this.scalar(lane))?;
            let width = width.map_or(Ok(Value::count(warp)), |width| this.scalar(width))?;
            let helper = this.helper(helper);
            let source = Value::atom(format!("{helper}({}, {}, {place})", lane.text, width.text), INDEX);
            let source = this.hoisted("source", source, INDEX)?;
            Ok(given
                .iter()
                .map(|given| Value::atom(format!("{}[{}]", given.name, source.text), own))
                .collect())
        })?;
        Ok(received.into_iter().map(|received| received.value).collect())
    }

    fn lane_mask(&mut self, arguments: String, helper: Helper, dtype: DataType) -> Result<Value> {
        let call = Value::atom(format!("{}{arguments}", self.helper(helper)), DataType::uint(64));
        self.cast(call, DataType::uint(64), dtype)
    }

    /// A value as a truth value.
    fn truth(&mut self, value: &Expr) -> Result<Value> {
        let own = value.dtype().element();
        let value = self.scalar(value)?;
        self.cast(value, own, DataType::BOOL)
    }

    /// The name of an array that tells which threads take part, if not all do.
    fn active(&mut self) -> Result<Option<String>> {
        if self.mask().is_none() {
            return Ok(None);
        }
        let active = self.kept_one("active", DataType::BOOL, |_| Ok(literal(DataType::BOOL, 1)))?;
        Ok(Some(active.name))
    }

    /// The first thread of the warp of a thread, and the loop over the threads of the warp after some of them.
    fn warp_loop(&mut self, skipped: usize) -> Result<(String, String, String)> {
        let other = self.names.define("other");
        let warp = self.warp;
        let group = self.joined()?;
        let (linear, count) = (group.linear.at(Level::Mul), group.count.text.clone());
        let first = format!("{linear} / {warp} * {warp}");
        let header = format!(
            "for (int64_t {other} = {first} + {skipped}; {other} < {first} + {warp} && {other} < {count}; ++{other})"
        );
        Ok((first, other, header))
    }

    fn matching_lanes(&mut self, given: &str, dtype: DataType) -> Result<Value> {
        let (first, other, header) = self.warp_loop(0)?;
        let own = format!("{given}[{}]", self.joined()?.linear.text);
        let found = self.names.define("matches");
        self.line(format!("uint64_t {found} = 0;"));
        self.block_of(&header, |this| {
            let bit = format!("(uint64_t)({given}[{other}] == {own}) << ({other} - {first})");
            this.line(format!("{found} |= {bit};"));
        });
        self.cast(Value::atom(found, DataType::uint(64)), DataType::uint(64), dtype)
    }

    fn reduce_warp(&mut self, operator: Operator, given: &str, dtype: DataType) -> Result<Value> {
        let (first, other, header) = self.warp_loop(1)?;
        let start = Value::atom(format!("{given}[{first}]"), dtype);
        let part = Value::atom(format!("{given}[{other}]"), dtype);
        self.total(operator, dtype, start, part, &header)
    }

    /// A loop that combines values.
    fn total(
        &mut self,
        operator: Operator,
        dtype: DataType,
        start: Value,
        part: Value,
        header: &str,
    ) -> Result<Value> {
        let total = Value::atom(self.names.define("total"), dtype);
        self.line(format!("{} = {};", declare(value_type(dtype)?, &total.text), start.text));
        self.block_of(header, |this| -> Result<()> {
            let sum = this.operate(operator, dtype, &total, &part)?;
            this.line(format!("{} = {};", total.text, sum.text));
            Ok(())
        })?;
        Ok(total)
    }

    /// Combines a truth value over all threads.
    fn barrier_count(&mut self, operator: Operator, value: &Expr) -> Result<Value> {
        let votes = self.kept_one("votes", DataType::BOOL, |this| this.truth(value))?;
        let int = DataType::INT32;
        let other = self.names.define("other");
        let header = format!("for (int64_t {other} = 0; {other} < {}; ++{other})", self.joined()?.count.text);
        let start = literal(int, i64::from(operator == Operator::Min));
        let part = Value::atom(format!("{}[{other}]", votes.name), int).with_bounds((0, 1));
        self.total(operator, int, start, part, &header)
    }

    /// Reduces a value over threads.
    fn reduce_group(&mut self, arg: &Arguments<'_>, dtype: DataType) -> Result<Value> {
        let GroupReduction { operator, threads, distance, first } = GroupReduction::of(arg.text(0)?)?;
        let value = arg.get(1)?;
        let given = self.kept_one("given", dtype, |this| this.scalar(value))?.name;
        let received = self.kept_one("received", dtype, |this| {
            let linear = this.joined()?.linear.clone();
            let relative = linear.index_add(&Value::count(-first));
            let within = this.operate(Operator::FloorMod, INDEX, &relative, &Value::count(threads))?;
            let lane = this.operate(Operator::FloorMod, INDEX, &relative, &Value::count(distance))?;
            let start = this.operate(Operator::Sub, INDEX, &linear, &within)?.index_add(&lane);
            let start = this.hoisted("start", start, INDEX)?;
            let other = this.names.define("other");
            let header = format!("for (int64_t {other} = 0; {other} < {}; ++{other})", threads / distance);
            let place = start.index_add(&Value::atom(&other, INDEX).index_mul(&Value::count(distance)));
            let part = Value::atom(format!("{given}[{}]", place.text), dtype);
            this.total(operator, dtype, neutral(operator, dtype)?, part, &header)
        })?;
        Ok(received.value)
    }

    /// Reduces values over axes of threads: their number, the values, a condition, the results, the axes.
    pub(super) fn all_reduce(&mut self, arg: &Arguments<'_>) -> Result<()> {
        let number = arg.get(0)?.as_node::<IntImm>().map_or(0, |number| number.value);
        let number = usize::try_from(number).unwrap_or_default();
        let Some(reducer) = self.joined()?.reducers.last().cloned() else {
            return unsupported("a reduction over threads without its operator");
        };
        let identities: Vec<&Expr> = reducer.identity_element.iter().collect();
        if reducer.lhs.len() != number || reducer.rhs.len() != number || identities.len() != number {
            return unsupported("a reduction over threads of another number of values");
        }
        let mut given = Vec::new();
        for (index, identity) in identities.iter().enumerate() {
            let (value, condition) = (arg.get(index + 1)?, arg.get(number + 1)?);
            let dtype = value.dtype().element();
            given.extend(self.kept("given", dtype, 1, |this| {
                let condition = this.expr(condition)?;
                let (value, identity) = (this.expr(value)?, this.expr(identity)?);
                this.select(&condition, &value, &identity, dtype)
            })?);
        }
        self.each_thread(|this| {
            let mut totals = Vec::new();
            for (index, identity) in identities.iter().enumerate() {
                let dtype = arg.get(index + 1)?.dtype().element();
                let (start, total) = (this.scalar(identity)?, this.names.define("total"));
                this.line(format!("{} = {};", declare(value_type(dtype)?, &total), start.text));
                totals.push(Value::atom(total, dtype));
            }
            let place = this.open_reduced_axes(arg, 2 * number + 2)?;
            for (lhs, total) in reducer.lhs.iter().zip(&totals) {
                this.bind(lhs, vec![total.clone()]);
            }
            for ((rhs, given), total) in reducer.rhs.iter().zip(&given).zip(&totals) {
                let value = Value { text: format!("{}[{}]", given.name, place.0.text), ..total.clone() };
                this.bind(rhs, vec![value]);
            }
            let mut results = Vec::new();
            for (result, total) in reducer.result.iter().zip(&totals) {
                let dtype = result.dtype().element();
                let value = this.scalar(result)?;
                // All are computed before the first one is written.
                results.push((total, if number > 1 { this.constant("next", value, dtype)? } else { value }));
            }
            for (total, result) in results {
                this.line(format!("{} = {};", total.text, result.text));
            }
            (0..place.1).for_each(|_| this.close_block());
            for (index, total) in totals.iter().enumerate() {
                let dtype = arg.get(index + 1)?.dtype().element();
                let pointer = this.address_of(arg.get(number + 2 + index)?)?;
                let text = this.write(&pointer, &Value::count(0), total, dtype)?;
                this.line(format!("{text};"));
            }
            Ok(())
        })
    }

    /// Opens loops over the threads of some axes that belong to the current one: the number of a thread, and how many blocks
    /// are open.
    fn open_reduced_axes(&mut self, arg: &Arguments<'_>, first: usize) -> Result<(Value, usize)> {
        let mut axes = Vec::new();
        for axis in arg.0.iter().skip(first) {
            axes.push(self.scalar(axis)?.text);
        }
        let group = self.joined()?;
        let parts: Vec<(Value, Value)> =
            group.indices.iter().cloned().zip(group.extents.iter().cloned()).collect();
        let (mut place, mut step, mut open) = (Value::count(0), Value::count(1), 0);
        for (index, extent) in parts {
            let at = match !index.is_literal && axes.contains(&index.text) {
                true => {
                    let other = self.names.define("other");
                    self.open_block(&format!(
                        "for (int64_t {other} = 0; {other} < {}; ++{other})",
                        extent.text
                    ));
                    open += 1;
                    Value::atom(other, INDEX)
                }
                false => index,
            };
            place = place.index_add(&at.index_mul(&step));
            step = step.index_mul(&extent);
        }
        if open == 0 {
            self.open_block("");
            open = 1;
        }
        Ok((place, open))
    }

    /// An operator of a single thread.
    pub(super) fn thread_call(
        &mut self,
        operator: ThreadOperator,
        arg: &Arguments<'_>,
        name: &str,
    ) -> Result<Lanes> {
        let Some(group) = self.group.as_ref() else {
            return unsupported(format!("the operator of threads `{name}`"));
        };
        let (linear, int) = (group.linear.clone(), DataType::INT32);
        let known = |this: &mut Self| -> Result<Option<i64>> {
            let count = arg.0.first().map(|count| this.scalar(count)).transpose()?;
            let count = count.and_then(|count| i64::try_from(count.known()?).ok());
            Ok(count.filter(|count| *count > 0))
        };
        Ok(vec![match operator {
            ThreadOperator::LaneIndex | ThreadOperator::WarpIndex => {
                let lanes = known(self)?.unwrap_or(self.warp);
                let is_lane = matches!(operator, ThreadOperator::LaneIndex);
                let operator = if is_lane { Operator::FloorMod } else { Operator::FloorDiv };
                self.operate(operator, int, &linear, &literal(int, lanes))?
            }
            ThreadOperator::ElectThread => {
                let part = match known(self)? {
                    Some(extent) => self.operate(Operator::FloorMod, int, &linear, &literal(int, extent))?,
                    None => linear,
                };
                self.compare(Comparison::Eq, (int, &part), (int, &literal(int, 0)))?
            }
            // Threads wait at the barrier until all of them have got there, and copies are complete at once.
            ThreadOperator::InitBarrier
            | ThreadOperator::ArriveBarrier
            | ThreadOperator::ExpectBytes
            | ThreadOperator::ArriveExpectingBytes => literal(int, 0),
            _ => return unsupported(format!("the operator of threads `{name}` at this place")),
        }])
    }
}

/// The exchanges in a node, each after those in its operands.
fn exchanges(node: &Object) -> Result<Vec<Expr>> {
    let (mut found, mut lazy) = (Vec::new(), Vec::new());
    pre_order_visit(node, |node| {
        let Some(expr) = node.downcast_ref::<PrimExpr>() else { return true };
        if meeting(expr).is_some() {
            found.push(expr.clone());
        }
        match expr.kind() {
            ExprKind::And(node) => lazy.push(node.b.clone()),
            ExprKind::Or(node) => lazy.push(node.b.clone()),
            _ => {
                let call = call_of(expr)
                    .filter(|(callee, _)| matches!(intrinsic(callee), Some(Intrinsic::IfThenElse)));
                lazy.extend(call.into_iter().flat_map(|(_, args)| args.iter().skip(1).cloned()));
            }
        }
        true
    });
    if found.is_empty() {
        return Ok(found);
    }
    for part in lazy {
        let mut is_inside = false;
        pre_order_visit(&part, |node| {
            is_inside |= node.downcast_ref::<PrimExpr>().is_some_and(|expr| meeting(expr).is_some());
            !is_inside
        });
        if is_inside {
            return unsupported("an exchange between threads inside of a condition");
        }
    }
    found.reverse();
    Ok(found)
}

/// The value that changes no other one.
pub(super) fn neutral(operator: Operator, dtype: DataType) -> Result<Value> {
    match device::neutral(operator, dtype) {
        Scalar::Float(value) => float_literal(dtype, value),
        Scalar::Int(value) => Ok(literal(dtype, value)),
    }
}

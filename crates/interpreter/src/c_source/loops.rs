//! Loops, and threads that run as loops.

use tvmscript_ir_core::{DataType, Ref};
use tvmscript_prim::Expr;
use tvmscript_tir::node::{AttrStmt, For, ForKind, IterVar, StmtRef, While};

use super::Writer;
use super::types::value_type;
use super::value::{Level, Value, is_within, range_of};
use crate::compile::axis_name;
use crate::error::{Result, unsupported};

/// A loop that counts from `min` to `end`.
pub(super) struct Range<'a> {
    name: &'a str,
    dtype: DataType,
    min: Value,
    extent: Value,
    step: Value,
}

impl<'a> Range<'a> {
    /// Counts from 0 to an end.
    pub(super) fn up_to(name: &'a str, dtype: DataType, extent: Value) -> Range<'a> {
        Range { name, dtype, min: Value::count(0), extent, step: Value::count(1) }
    }
}

impl Writer<'_> {
    pub(super) fn for_loop(&mut self, s: &For, stmt: &StmtRef) -> Result<()> {
        if s.kind == ForKind::ThreadBinding
            && let Some(axis) = &s.thread_binding
        {
            if let Some(index) = self.axis(&axis_name(axis)) {
                return self.bound_loop(s, axis, index, stmt);
            }
            if self.launch_group(stmt, false)? {
                return Ok(());
            }
        }
        if self.is_joint() && self.runs_once(stmt) {
            return self.once(|this| this.serial_loop(s));
        }
        let bounds: Vec<&Expr> = [&s.min, &s.extent].into_iter().chain(&s.step).collect();
        self.check_loop(stmt, &bounds)?;
        self.serial_loop(s)
    }

    fn serial_loop(&mut self, s: &For) -> Result<()> {
        let (min, extent) = (self.index(&s.min)?, self.index(&s.extent)?);
        let step = s.step.as_ref().map_or(Ok(Value::count(1)), |step| self.index(step))?;
        let name = s.loop_var.name.get().to_string();
        let range = Range { name: &name, dtype: s.loop_var.dtype.element(), min, extent, step };
        self.range(range, |this, index| {
            if let Some(thread) = &s.thread_binding {
                this.bind(&thread.var, vec![index.clone()]);
            }
            this.bind(&s.loop_var, vec![index]);
            this.stmt(&s.body);
        })
    }

    /// A loop over threads that an outer launch counts.
    fn bound_loop(&mut self, s: &For, axis: &Ref<IterVar>, index: Value, stmt: &StmtRef) -> Result<()> {
        self.check_loop(stmt, &[&s.min, &s.extent])?;
        let (min, extent) = (self.index(&s.min)?, self.index(&s.extent)?);
        let value = min.index_add(&index);
        let body = |this: &mut Self| {
            this.bind(&s.loop_var, vec![value.clone()]);
            this.bind(&axis.var, vec![value]);
            this.stmt(&s.body);
        };
        if index.bounds.1 < extent.bounds.0 {
            return self.scoped(|this| {
                body(this);
                Ok(())
            });
        }
        let condition = format!("{} < {}", index.at(Level::Add), extent.at(Level::Add));
        let condition = Value::new(condition, Level::Other, DataType::BOOL);
        let is_uniform = index.bounds.0 == index.bounds.1;
        self.when(is_uniform, stmt, |_| Ok(condition), body)
    }

    /// Writes a loop. The counter has the type of the variable if it has room for the end.
    pub(super) fn range<T>(
        &mut self,
        range: Range<'_>,
        body: impl FnOnce(&mut Self, Value) -> T,
    ) -> Result<T> {
        let Range { name, dtype, min, extent, step } = range;
        if step.bounds.1 <= 0 {
            return unsupported("a loop whose step is not positive");
        }
        let step = self.hoisted("step", step, DataType::INT64)?;
        if step.bounds.0 <= 0 {
            let condition = Value::new(format!("{} > 0", step.at(Level::Add)), Level::Other, DataType::BOOL);
            self.assertion(&condition, "a step that is not positive")?;
        }
        let min = self.hoisted("start", min, DataType::INT64)?;
        let extent = self.hoisted("extent", extent, DataType::INT64)?;
        let end = min.index_add(&extent);
        let end = if min.known() == Some(0) { end } else { self.hoisted("end", end, DataType::INT64)? };
        let own = range_of(dtype);
        let last = (min.bounds.0, end.bounds.1.saturating_sub(1).saturating_add(step.bounds.1));
        // Counting by one to an end of the same type stays in it.
        let is_counted = step.known() == Some(1) && is_within(end.bounds, own) && min.bounds.0 >= own.0;
        let fits = is_within(last, own) || is_counted;
        let bounds = (min.bounds.0, (end.bounds.1 - 1).max(min.bounds.0));
        let ctype = if fits { value_type(dtype)? } else { "int64_t" };
        self.names.open();
        let counter = self.names.define(if fits { name } else { "counter" });
        let advance = match step.known() {
            Some(1) => format!("++{counter}"),
            _ => format!("{counter} += {}", step.text),
        };
        let end_text = if ctype.starts_with('u') { end.cast_to(ctype) } else { end.at(Level::Add) };
        let header = format!("for ({ctype} {counter} = {}; {counter} < {end_text}; {advance})", min.text);
        self.loops.push(self.scopes.len());
        let result = self.block_of(&header, |this| {
            let index = Value::atom(counter.clone(), dtype);
            let index = match fits {
                true => index.with_bounds(bounds),
                false => {
                    let own = this.names.define(name);
                    let ctype = value_type(dtype).unwrap_or("int64_t");
                    this.line(format!("const {ctype} {own} = ({ctype}){counter};"));
                    Value::atom(own, dtype)
                }
            };
            body(this, index)
        });
        self.loops.pop();
        self.names.close();
        Ok(result)
    }

    pub(super) fn while_loop(&mut self, s: &While, stmt: &StmtRef) -> Result<()> {
        self.check_loop(stmt, &[&s.condition])?;
        let condition = self.lazy(|this| this.scalar(&s.condition))?;
        self.loops.push(self.scopes.len());
        self.block_of(&format!("while ({})", condition.text), |this| this.stmt(&s.body));
        self.loops.pop();
        Ok(())
    }

    /// Writes the launch of an axis of threads as a loop.
    pub(super) fn launch(&mut self, s: &AttrStmt, axis: &Ref<IterVar>, stmt: &StmtRef) -> Result<()> {
        let bound = self.first_lane(&axis.var);
        if let Some(index) = bound.or_else(|| self.axis(&axis_name(axis))) {
            return self.scoped(|this| {
                this.bind(&axis.var, vec![index]);
                this.stmt(&s.body);
                Ok(())
            });
        }
        if self.launch_group(stmt, true)? {
            return Ok(());
        }
        self.check_loop(stmt, &[&s.value])?;
        let extent = self.index(&s.value)?;
        let name = axis.var.name.get().to_string();
        self.range(Range::up_to(&name, axis.var.dtype.element(), extent), |this, index| {
            this.axes.push((axis_name(axis), index.clone()));
            this.bind(&axis.var, vec![index]);
            this.stmt(&s.body);
            this.axes.pop();
        })
    }

    fn axis(&self, name: &str) -> Option<Value> {
        self.axes.iter().rev().find(|(known, _)| known == name).map(|(_, index)| index.clone())
    }
}

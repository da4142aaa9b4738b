//! Functions: parameters, results and calls.

use tvmscript_ir::GlobalVar;
use tvmscript_ir_core::{Array, DataType, Ref, pre_order_visit};
use tvmscript_prim::{Expr, PrimExpr, PrimExprExt as _, Var};
use tvmscript_tir::node::PrimFunc;

use super::expr::literal;
use super::types::{declare, pointer_type, value_type};
use super::value::{Level, Value};
use super::{CFunction, CInput, CParameter, CValue, Lanes, Scope, Writer};
use crate::compile::{buffer_of, call_of, is_on_tiles, warp_of};
use crate::error::{Result, RunError, unsupported};
use crate::intrinsics::{Intrinsic, PointerOperator, intrinsic};
use crate::threads::WARP;

impl Writer<'_> {
    /// Writes a function and the prototype of it.
    pub(super) fn function(&mut self, input: &CInput, description: &mut CFunction) {
        let function = &input.function;
        self.module = input.module;
        self.names.open();
        self.variables.clear();
        self.views.clear();
        self.scopes = vec![Scope::default()];
        self.loops.clear();
        self.axes.clear();
        self.group = None;
        self.exchanged.clear();
        self.memory.clear();
        self.stack_bytes = 0;
        self.warp = warp_of(function).unwrap_or(WARP) as i64;
        (self.depth, self.lazy) = (0, 0);
        self.result = description.result;
        self.is_guarded = is_on_tiles(&function.body);
        self.is_ordered = writes_in_expressions(function);
        self.span = function.span;
        self.place = self.lines.place(&function.span.places(), self.texts);
        match self.signature(function, description) {
            Err(error) => self.refuse(error),
            Ok(head) => {
                self.prototypes.push_str(&format!("{head};\n"));
                self.line(format!("{head} {{"));
                self.depth += 1;
                if let Err(error) = self.declare_parameters(function) {
                    self.refuse(error);
                }
                self.stmt(&function.body);
                self.close_scope();
                if description.result.is_some() {
                    self.line("return 0;".to_owned());
                }
                self.depth -= 1;
                self.line("}".to_owned());
                self.place = None;
                self.line(String::new());
            }
        }
        self.names.close();
    }

    /// The declaration of a function: its parameters, then what the layouts of its buffers define.
    fn signature(&mut self, function: &Ref<PrimFunc>, description: &mut CFunction) -> Result<String> {
        let mut parameters = Vec::new();
        let mut buffers = Vec::new();
        for (index, param) in function.params.iter().enumerate() {
            let buffer = buffer_of(function, param);
            let hint =
                buffer.map_or_else(|| param.name.get().to_string(), |buffer| buffer.name.get().to_string());
            let name = self.names.define(&hint);
            let (ctype, value) = if param.dtype.is_handle() || buffer.is_some() {
                let points_to = self.aliases.element_of(param);
                (pointer_type(points_to), Value::pointer(name.clone(), Level::Atom, points_to))
            } else {
                (value_type(param.dtype)?.to_owned(), Value::atom(name.clone(), param.dtype))
            };
            self.bind(param, vec![value.clone()]);
            if let Some(buffer) = buffer {
                self.bind(&buffer.data, vec![value]);
                buffers.push((index, buffer.clone()));
            }
            parameters.push(CParameter { name, ctype, dtype: param.dtype, value: CValue::Argument(index) });
        }
        for (index, buffer) in &buffers {
            for (dimension, extent) in buffer.shape.iter().enumerate() {
                self.size(extent, CValue::Extent(*index, dimension), &mut parameters)?;
            }
        }
        for (index, buffer) in &buffers {
            for (dimension, stride) in buffer.strides.iter().enumerate() {
                self.size(stride, CValue::Stride(*index, dimension), &mut parameters)?;
            }
            self.size(&buffer.elem_offset, CValue::Offset(*index), &mut parameters)?;
        }
        let list: Vec<String> =
            parameters.iter().map(|parameter| declare(&parameter.ctype, &parameter.name)).collect();
        let list = if list.is_empty() { "void".to_owned() } else { list.join(", ") };
        description.parameters = parameters;
        let result = match description.result {
            Some(dtype) => value_type(dtype)?,
            None => "void",
        };
        Ok(format!("{}({list})", declare(result, &description.c_name)))
    }

    /// Adds a parameter for a variable of a layout that is not known yet.
    fn size(&mut self, expr: &Expr, value: CValue, parameters: &mut Vec<CParameter>) -> Result<()> {
        let Some(variable) = expr.downcast_ref::<Var>() else { return Ok(()) };
        if self.first_lane(variable).is_some() {
            return Ok(());
        }
        let name = self.names.define(variable.name.get().as_str());
        let ctype = value_type(variable.dtype)?.to_owned();
        self.bind(variable, vec![Value::atom(name.clone(), variable.dtype)]);
        parameters.push(CParameter { name, ctype, dtype: variable.dtype, value });
        Ok(())
    }

    fn declare_parameters(&mut self, function: &Ref<PrimFunc>) -> Result<()> {
        for param in function.params.iter() {
            if let (Some(buffer), Some(pointer)) = (buffer_of(function, param), self.first_lane(param)) {
                let view = self.layout(buffer, pointer)?;
                self.declare(buffer, view);
            }
        }
        Ok(())
    }

    /// Writes a call of another function of the text.
    pub(super) fn call_function(&mut self, name: &str, args: &Array<Expr>) -> Result<Lanes> {
        let is_called = |input: &CInput| input.module == self.module && input.name == name;
        let found = self.functions.iter().zip(&self.callees).find(|(input, _)| is_called(input));
        let Some((input, callee)) = found else {
            return unsupported(format!("a call of `{name}`, which is not a function of the module,"));
        };
        let (function, c_name, result) = (input.function.clone(), callee.c_name.clone(), callee.result);
        if function.params.len() != args.len() || has_sizes(&function) {
            return unsupported(format!("a call of `{name}`, whose buffers have sizes of their own,"));
        }
        let mut texts = Vec::new();
        for (param, arg) in function.params.iter().zip(args.iter()) {
            let own = arg.dtype().element();
            let value = self.scalar(arg)?;
            let is_pointer = param.dtype.is_handle();
            let points_to = self.aliases.element_of(param);
            texts.push(match is_pointer {
                true if value.points_to == points_to => value.text,
                true => value.cast_to(&pointer_type(points_to)),
                false => self.cast(value, own, param.dtype)?.text,
            });
        }
        let call = format!("{c_name}({})", texts.join(", "));
        match result {
            None => {
                self.effect(call)?;
                Ok(vec![literal(DataType::INT32, 0)])
            }
            Some(dtype) => {
                let value = Value::atom(call, dtype);
                Ok(vec![if self.lazy == 0 { self.constant("result", value, dtype)? } else { value }])
            }
        }
    }

    /// Keeps an error with its place.
    pub(super) fn refuse(&mut self, error: RunError) {
        self.errors.push(error.at(self.span));
    }
}

/// The type of what `T.ret` returns.
pub(super) fn result_of(function: &PrimFunc) -> Option<DataType> {
    let mut result = None;
    pre_order_visit(&function.body, |node| {
        if let Some(expr) = node.downcast_ref::<PrimExpr>()
            && let Some((callee, args)) = call_of(expr)
            && let Some(Intrinsic::Return) = intrinsic(callee)
        {
            result = result.or(args.first().map(|value| value.dtype().element()));
        }
        result.is_none()
    });
    result
}

/// Tests whether an expression of a function calls a function or changes memory and returns what was there.
fn writes_in_expressions(function: &PrimFunc) -> bool {
    let mut found = false;
    pre_order_visit(&function.body, |node| {
        if let Some((callee, _)) = node.downcast_ref::<PrimExpr>().and_then(call_of) {
            let returns = matches!(
                intrinsic(callee),
                Some(Intrinsic::Pointer(PointerOperator::Atomic { returns: true, .. }))
            );
            found |= returns || callee.as_node::<GlobalVar>().is_some();
        }
        !found
    });
    found
}

/// Tests whether the layout of a buffer of a parameter has a variable that is not a parameter.
fn has_sizes(function: &PrimFunc) -> bool {
    let mut found = false;
    for (_, buffer) in function.buffer_map.iter() {
        let layout = buffer.shape.iter().chain(buffer.strides.iter()).chain([&buffer.elem_offset]);
        for expr in layout {
            found |= expr
                .downcast_ref::<Var>()
                .is_some_and(|variable| !function.params.iter().any(|param| param.ptr_eq(variable)));
        }
    }
    found
}

//! Compilation of a whole function: parameters, their buffers, the body.

use tvmscript_ir::Target;
use tvmscript_ir_core::Ref;
use tvmscript_prim::{Expr, Var};
use tvmscript_tir::node::{Buffer, PrimFunc};

use super::{Compiler, Functions};
use crate::Limits;
use crate::error::{Result, RunError};
use crate::machine::{Machine, Thread};
use crate::program::{Instruction as I, Parameter, ParameterKind, Program, Register, Source};
use crate::signature::Packed;

/// Compiles a function.
pub(crate) fn compile(functions: &Functions, function: &Ref<PrimFunc>) -> Result<Program> {
    let mut compiler = Compiler::new(functions.clone());
    compiler.span = function.span;
    compiler.warp = warp_of(function).unwrap_or(compiler.warp);
    compiler.enter(function)?;
    compiler.is_guarded = super::kernel::is_on_tiles(&function.body);
    compiler.stmt(&function.body);
    compiler.check_size()?;
    compiler.emit(I::End);
    Ok(compiler.program)
}

/// Evaluates integers in which some variables have values.
pub(crate) fn evaluate(
    exprs: &[Expr],
    variables: &[(Ref<Var>, u64)],
) -> std::result::Result<Vec<i64>, RunError> {
    let mut compiler = Compiler::new(Functions::default());
    for (variable, value) in variables {
        let register = compiler.constant(*value);
        compiler.bind(variable, vec![register]);
    }
    let results = exprs.iter().map(|expr| compiler.scalar(expr)).collect::<Result<Vec<Register>>>()?;
    compiler.emit(I::End);
    let program = compiler.program;
    let mut observer = |_| {};
    let mut thread = Thread::new(program.registers.clone(), 0);
    Machine::new(&program, Limits::default(), &mut observer).execute(&mut thread)?;
    let read =
        |register: &Register| thread.registers.get(*register as usize).copied().unwrap_or_default() as i64;
    Ok(results.iter().map(read).collect())
}

impl Compiler<'_> {
    /// Binds the parameters, and what the layouts of their buffers define.
    fn enter(&mut self, function: &PrimFunc) -> Result<()> {
        if let Some(packed) = Packed::of(function) {
            self.program.packed =
                Some(packed.parameters.into_iter().map(|parameter| parameter.kind).collect());
            for (index, param) in function.params.iter().enumerate() {
                let register = self.permanent(0);
                self.bind(param, vec![register]);
                self.program.inputs.push((register, Source::Argument(index)));
            }
            return Ok(());
        }
        let mut buffers = Vec::new();
        for (index, param) in function.params.iter().enumerate() {
            let register = self.permanent(0);
            self.bind(param, vec![register]);
            self.program.inputs.push((register, Source::Argument(index)));
            let buffer = buffer_of(function, param);
            let kind = match buffer {
                Some(buffer) => {
                    self.bind(&buffer.data, vec![register]);
                    buffers.push((index, buffer.clone(), register));
                    ParameterKind::Buffer {
                        name: buffer.name.get().to_string(),
                        dtype: buffer.dtype,
                        rank: buffer.shape.len(),
                    }
                }
                None if param.dtype.is_handle() => ParameterKind::Pointer,
                None => ParameterKind::Scalar,
            };
            let name = param.name.get().to_string();
            self.program.parameters.push(Parameter { name, kind });
        }
        // Variables first: a dimension may compute with those of other buffers.
        for (index, buffer, _) in &buffers {
            for (dimension, extent) in buffer.shape.iter().enumerate() {
                self.define(extent, Source::Extent(*index, dimension));
            }
        }
        for (index, buffer, pointer) in buffers {
            for (dimension, extent) in buffer.shape.iter().enumerate() {
                let a = self.scalar(extent)?;
                self.emit(I::CheckExtent { argument: index as u32, dimension: dimension as u32, a });
            }
            for (dimension, stride) in buffer.strides.iter().enumerate() {
                self.define(stride, Source::Stride(index, dimension));
            }
            self.define(&buffer.elem_offset, Source::Zero);
            let view = self.layout(&buffer, pointer)?;
            self.declare(&buffer, view);
        }
        Ok(())
    }

    /// Gives an unbound variable a value.
    fn define(&mut self, expr: &Expr, source: Source) {
        if let Some(variable) = expr.downcast_ref::<Var>().filter(|variable| !self.is_bound(variable)) {
            let register = self.permanent(0);
            self.bind(variable, vec![register]);
            self.program.inputs.push((register, source));
        }
    }
}

/// The number of lanes of a warp of the target of a function.
pub(crate) fn warp_of(function: &PrimFunc) -> Option<usize> {
    let target = function.attrs.dict.get_str("target")?.as_object()?.as_node::<Target>()?;
    let lanes = target.attrs.get_str("thread_warp_size").and_then(super::kernel::number)?;
    usize::try_from(lanes).ok().filter(|lanes| (1..=64).contains(lanes))
}

/// The buffer that a parameter passes.
pub(crate) fn buffer_of<'f>(function: &'f PrimFunc, param: &Ref<Var>) -> Option<&'f Ref<Buffer>> {
    function.buffer_map.iter().find(|(var, _)| var.ptr_eq(param)).map(|(_, buffer)| buffer)
}

//! From functions to instructions.
//!
//! Each statement and expression is compiled once. Variables are registers, buffers are a pointer with registers for the
//! layout, vectors are a register per lane. What cannot be compiled becomes an instruction that fails, so it is an error
//! only if it is reached.

mod block;
mod buffer;
mod bulk;
mod call;
mod entry;
mod expr;
mod kernel;
mod loops;
mod meeting;
mod packed;
mod pointer;
mod registers;
mod stmt;
mod tile;
mod tile_matrix;
mod warp_matrix;

use std::collections::HashMap;

use tvmscript_ir::{GlobalVar, IRModule};
use tvmscript_ir_core::ptr_map::AddressMap;
use tvmscript_ir_core::{DataType, Ref, Span};
use tvmscript_prim::Var;
use tvmscript_tir::node::{Buffer, PrimFunc};

use kernel::Kernel;

pub(crate) use buffer::lane_in;
pub(crate) use call::Arguments;
pub(crate) use entry::{buffer_of, compile, evaluate, warp_of};
pub(crate) use expr::{Kind, kind_of, lane_count};
pub(crate) use kernel::{
    AXES, Axis, Launch, is_collective, is_of_group, is_on_tiles, launched_indices, meetings_of,
    name_of as axis_name,
};
pub(crate) use pointer::{call_of, pointee};
pub(crate) use stmt::{is_of_thread, is_shared, memory_of_threads, pointer_scope};
pub(crate) use warp_matrix::named_type;

use crate::error::{Result, RunError, RunErrorKind};
use crate::program::{Access, Instruction, Position, Program, Register};

/// The functions that a function may call.
#[derive(Debug, Clone, Default)]
pub struct Functions<'m> {
    module: Option<&'m IRModule>,
}

impl<'m> Functions<'m> {
    /// Those of a module.
    pub fn of(module: &'m IRModule) -> Functions<'m> {
        Functions { module: Some(module) }
    }

    /// The function with a name.
    pub(crate) fn get(&self, name: &str) -> Option<Ref<PrimFunc>> {
        let functions = self.module?.functions.iter();
        let mut found = functions.filter(|(var, _)| var.name_hint.as_str() == name);
        found.find_map(|(_, function)| function.downcast_ref::<PrimFunc>().cloned())
    }

    pub(crate) fn of_global(&self, global: &GlobalVar) -> Option<Ref<PrimFunc>> {
        self.get(global.name_hint.as_str())
    }
}

/// The registers of a value, one per lane.
pub(crate) type Lanes = Vec<Register>;

/// A buffer: the pointer to its memory, and the layout of its elements.
#[derive(Debug, Clone)]
pub(crate) struct View<R = Register> {
    pub(crate) pointer: R,
    /// Offset of the first element, in elements.
    pub(crate) offset: R,
    pub(crate) shape: Vec<R>,
    pub(crate) strides: Vec<R>,
}

/// Names and allocations that end with a scope.
#[derive(Debug, Default)]
struct Scope {
    temporaries: Vec<Register>,
    /// Variables and buffers that the scope bound, with what they were before.
    variables: Vec<(usize, Option<Lanes>)>,
    views: Vec<(usize, Option<View>)>,
    allocations: Vec<Register>,
}

/// Jumps out of a loop that wait for their target.
#[derive(Debug, Default)]
struct Jumps {
    breaks: Vec<Position>,
    continues: Vec<Position>,
}

/// Jumps to the end of a called function, and the register of its result.
#[derive(Debug)]
struct Callee {
    returns: Vec<Position>,
    result: Register,
}

pub(crate) struct Compiler<'m> {
    functions: Functions<'m>,
    program: Program,
    free: Vec<Register>,
    constants: HashMap<u64, Register>,
    scopes: Vec<Scope>,
    variables: AddressMap<Lanes>,
    views: AddressMap<View>,
    /// The type and number of the elements of allocated memory, by its pointer.
    memory: AddressMap<(DataType, Register)>,
    loops: Vec<Jumps>,
    callees: Vec<Callee>,
    kernel: Option<Kernel>,
    /// The registers of the indices of threads, which all groups share.
    thread_indices: Option<[Register; 3]>,
    /// The axes of threads that have an index at the moment.
    axes: Vec<(String, Register)>,
    /// `true` if an access beyond a buffer in global memory reads zero and writes nothing, as in programs on tiles.
    is_guarded: bool,
    /// The number of lanes of a warp of the target.
    warp: usize,
    span: Span,
}

/// Maximum number of instructions of a program.
const MAX_INSTRUCTIONS: usize = 1 << 22;
/// Maximum number of calls inside each other.
const MAX_CALLS: usize = 16;

impl<'m> Compiler<'m> {
    fn new(functions: Functions<'m>) -> Compiler<'m> {
        Compiler {
            functions,
            program: Program::default(),
            free: Vec::new(),
            constants: HashMap::new(),
            scopes: vec![Scope::default()],
            variables: AddressMap::default(),
            views: AddressMap::default(),
            memory: AddressMap::default(),
            loops: Vec::new(),
            callees: Vec::new(),
            kernel: None,
            thread_indices: None,
            axes: Vec::new(),
            is_guarded: false,
            warp: crate::threads::WARP,
            span: Span::UNKNOWN,
        }
    }

    fn bind(&mut self, variable: &Ref<Var>, lanes: Lanes) {
        let key = variable.object().address();
        let old = self.variables.insert(key, lanes);
        if let Some(scope) = self.scopes.last_mut() {
            scope.variables.push((key, old));
        }
    }

    fn lanes_of(&self, variable: &Ref<Var>) -> Option<&Lanes> {
        self.variables.get(&variable.object().address())
    }

    fn is_bound(&self, variable: &Ref<Var>) -> bool {
        self.lanes_of(variable).is_some()
    }

    fn declare(&mut self, buffer: &Ref<Buffer>, view: View) {
        let key = buffer.object().address();
        let old = self.views.insert(key, view);
        if let Some(scope) = self.scopes.last_mut() {
            scope.views.push((key, old));
        }
    }

    fn open_scope(&mut self) {
        self.scopes.push(Scope::default());
    }

    fn close_scope(&mut self) {
        let Some(scope) = self.scopes.pop() else { return };
        for (key, old) in scope.variables.into_iter().rev() {
            match old {
                Some(old) => self.variables.insert(key, old),
                None => self.variables.remove(&key),
            };
        }
        for (key, old) in scope.views.into_iter().rev() {
            match old {
                Some(old) => self.views.insert(key, old),
                None => self.views.remove(&key),
            };
        }
        // Memory that a loop allocates is cleared and used again by the next iteration.
        if self.loops.is_empty() && self.kernel.is_none() {
            for a in scope.allocations {
                self.emit(Instruction::Free { a });
            }
        }
        self.free.extend(scope.temporaries);
    }

    /// Ends a scope whose registers live on in the one around it.
    fn merge_scope(&mut self) {
        let temporaries = self.scopes.last_mut().map(|scope| std::mem::take(&mut scope.temporaries));
        self.close_scope();
        if let Some(scope) = self.scopes.last_mut() {
            scope.temporaries.extend(temporaries.unwrap_or_default());
        }
    }

    /// Compiles in a scope of its own.
    fn scoped<T>(&mut self, body: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.open_scope();
        let depth = self.scopes.len();
        let result = body(self);
        while self.scopes.len() >= depth {
            self.close_scope();
        }
        result
    }

    /// Adds an instruction that fails.
    fn fail(&mut self, kind: RunErrorKind) {
        self.program.errors.push(kind);
        let error = self.program.errors.len() as u32 - 1;
        self.emit(Instruction::Fail { error });
    }

    /// Adds an instruction that fails with an error of compilation, at its place.
    fn fail_with(&mut self, error: RunError) {
        let outer = self.span;
        if error.span.is_known() {
            self.span = error.span;
        }
        self.fail(error.kind);
        self.span = outer;
    }

    /// Records what an access at the next instruction refers to.
    fn name_access(&mut self, buffer: &Buffer, dimension: usize) {
        let access = Access { buffer: buffer.name.get().to_string(), dimension };
        self.program.accesses.insert(self.program.code.len() as Position, access);
    }
}

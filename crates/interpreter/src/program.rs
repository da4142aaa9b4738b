//! Compiled functions: a flat list of instructions on registers.
//!
//! A register holds 64 bits: an integer extended to its sign, the bits of a 64-bit float, or a pointer. The lanes of a
//! vector are registers of their own, so no instruction knows vectors. Constants lie in registers that no instruction
//! writes.

use std::collections::HashMap;

use tvmscript_ir_core::arithmetic::{Comparison, Operator};
use tvmscript_ir_core::{DataType, Span};

use crate::error::RunErrorKind;
use crate::memory::Element;
use crate::records::PackedKind;
use crate::warp::Exchange;

/// The number of a register.
pub(crate) type Register = u32;

/// The position of an instruction.
pub(crate) type Position = u32;

/// A function of one float.
pub(crate) type Unary = fn(f64) -> f64;
/// A function of two floats.
pub(crate) type Binary = fn(f64, f64) -> f64;

/// An instruction. `d` is the register that it writes; `a`, `b` and `c` are those that it reads.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Instruction {
    Move {
        d: Register,
        a: Register,
    },
    AddInt {
        d: Register,
        a: Register,
        b: Register,
    },
    SubInt {
        d: Register,
        a: Register,
        b: Register,
    },
    MulInt {
        d: Register,
        a: Register,
        b: Register,
    },
    AddInt32 {
        d: Register,
        a: Register,
        b: Register,
    },
    SubInt32 {
        d: Register,
        a: Register,
        b: Register,
    },
    MulInt32 {
        d: Register,
        a: Register,
        b: Register,
    },
    FloorDivInt32 {
        d: Register,
        a: Register,
        b: Register,
    },
    FloorModInt32 {
        d: Register,
        a: Register,
        b: Register,
    },
    MinInt {
        d: Register,
        a: Register,
        b: Register,
    },
    MaxInt {
        d: Register,
        a: Register,
        b: Register,
    },
    AndInt {
        d: Register,
        a: Register,
        b: Register,
    },
    OrInt {
        d: Register,
        a: Register,
        b: Register,
    },
    LtInt {
        d: Register,
        a: Register,
        b: Register,
    },
    LeInt {
        d: Register,
        a: Register,
        b: Register,
    },
    EqInt {
        d: Register,
        a: Register,
        b: Register,
    },
    NeInt {
        d: Register,
        a: Register,
        b: Register,
    },
    AddFloat {
        d: Register,
        a: Register,
        b: Register,
    },
    SubFloat {
        d: Register,
        a: Register,
        b: Register,
    },
    MulFloat {
        d: Register,
        a: Register,
        b: Register,
    },
    DivFloat {
        d: Register,
        a: Register,
        b: Register,
    },
    AddFloat32 {
        d: Register,
        a: Register,
        b: Register,
    },
    SubFloat32 {
        d: Register,
        a: Register,
        b: Register,
    },
    MulFloat32 {
        d: Register,
        a: Register,
        b: Register,
    },
    DivFloat32 {
        d: Register,
        a: Register,
        b: Register,
    },
    MinFloat {
        d: Register,
        a: Register,
        b: Register,
    },
    MaxFloat {
        d: Register,
        a: Register,
        b: Register,
    },
    LtFloat {
        d: Register,
        a: Register,
        b: Register,
    },
    LeFloat {
        d: Register,
        a: Register,
        b: Register,
    },
    EqFloat {
        d: Register,
        a: Register,
        b: Register,
    },
    NeFloat {
        d: Register,
        a: Register,
        b: Register,
    },
    /// Tests whether a value is zero.
    Not {
        d: Register,
        a: Register,
    },
    /// An operator on operands of any type.
    Operate {
        operator: Operator,
        dtype: DataType,
        d: Register,
        a: Register,
        b: Register,
    },
    /// A comparison of operands of any type.
    Compare {
        comparison: Comparison,
        dtype: DataType,
        d: Register,
        a: Register,
        b: Register,
    },
    Cast {
        from: DataType,
        to: DataType,
        d: Register,
        a: Register,
    },
    Select {
        d: Register,
        c: Register,
        a: Register,
        b: Register,
    },
    /// A function of a float, rounded to the type.
    Apply {
        f: Unary,
        dtype: DataType,
        d: Register,
        a: Register,
    },
    /// A function of two floats, rounded to the type.
    Apply2 {
        f: Binary,
        dtype: DataType,
        d: Register,
        a: Register,
        b: Register,
    },
    /// `a * b + c`, rounded once.
    Fused {
        dtype: DataType,
        d: Register,
        a: Register,
        b: Register,
        c: Register,
    },
    Ldexp {
        dtype: DataType,
        d: Register,
        a: Register,
        b: Register,
    },
    Popcount {
        bits: u8,
        d: Register,
        a: Register,
    },
    LeadingZeros {
        bits: u8,
        d: Register,
        a: Register,
    },
    /// `a * b` in fixed point with `c` fractional bits, shifted left by register `s` and rounded half up.
    Quantized {
        d: Register,
        a: Register,
        b: Register,
        c: Register,
        s: Register,
    },
    /// The bits of an element of a type.
    ToBits {
        dtype: DataType,
        d: Register,
        a: Register,
    },
    /// The element of a type with some bits.
    FromBits {
        dtype: DataType,
        d: Register,
        a: Register,
    },
    /// Checks an index against its extent and adds its part of the offset: `d = sum + index * stride`.
    Index {
        d: Register,
        sum: Register,
        index: Register,
        extent: Register,
        stride: Register,
    },
    Load {
        element: Element,
        d: Register,
        p: Register,
        index: Register,
    },
    Store {
        element: Element,
        p: Register,
        index: Register,
        a: Register,
    },
    /// Adds bytes to a pointer.
    Offset {
        d: Register,
        p: Register,
        bytes: Register,
    },
    /// Allocates zeroed memory for elements; a second time in the same register, the same memory.
    Allocate {
        bytes: u32,
        d: Register,
        count: Register,
    },
    /// As [`Instruction::Allocate`], once for all threads of a group.
    AllocateShared {
        bytes: u32,
        d: Register,
        count: Register,
    },
    Free {
        a: Register,
    },
    /// Copies constant data into memory.
    Fill {
        data: u32,
        p: Register,
    },
    /// Checks an extent of an argument.
    CheckExtent {
        argument: u32,
        dimension: u32,
        a: Register,
    },
    Jump {
        to: Position,
    },
    JumpIf {
        a: Register,
        to: Position,
    },
    JumpUnless {
        a: Register,
        to: Position,
    },
    /// `a += step`, then back to the body if it is below `end`.
    Next {
        a: Register,
        step: Register,
        end: Register,
        to: Position,
    },
    Return {
        a: Register,
    },
    End,
    /// Runs the instructions up to the end of the group once per thread.
    Fork {
        group: u32,
    },
    /// Waits for the other threads of the group; the first of those that arrive gets 1, others 0. Threads that meet to take
    /// their steps together go on before those that wait at a barrier.
    Meet {
        d: Register,
        is_barrier: bool,
    },
    /// Waits for the lanes of the warp, and exchanges values.
    Exchange {
        exchange: Exchange,
        dtype: DataType,
        d: Register,
        a: Register,
        b: Register,
        c: Register,
    },
    /// Waits for the lanes of the warp; then one of the operations on matrices.
    Matrix {
        operation: u32,
    },
    /// An operation on a barrier in memory.
    Arrive {
        p: Register,
        count: Register,
    },
    /// Announces bytes at a barrier.
    ExpectBytes {
        p: Register,
        bytes: Register,
    },
    /// Tells a barrier that bytes have arrived.
    ReceiveBytes {
        p: Register,
        bytes: Register,
    },
    /// Copies a box of a tensor.
    CopyBox {
        copy: u32,
    },
    /// Computes running totals.
    Scan {
        scan: u32,
    },
    /// Makes a descriptor of an operand in shared memory.
    Descriptor {
        d: Register,
        p: Register,
        layout: u8,
        leading: u16,
        stride: u16,
    },
    CopyBytes {
        to: Register,
        from: Register,
        bytes: Register,
    },
    InitBarrier {
        p: Register,
        count: Register,
    },
    WaitBarrier {
        p: Register,
        parity: Register,
    },
    /// Calls a function of the runtime library with an array of values.
    CallLibrary {
        function: u32,
        values: Register,
        count: Register,
    },
    Fail {
        error: u32,
    },
}

/// The buffer and dimension of an access, for messages.
#[derive(Debug, Clone)]
pub(crate) struct Access {
    pub(crate) buffer: String,
    pub(crate) dimension: usize,
}

/// Instructions that run once per thread of a block.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Group {
    /// Number of threads along each axis.
    pub(crate) extents: [Register; 3],
    /// The index of the thread along each axis.
    pub(crate) indices: [Register; 3],
    /// The index of the thread in the group.
    pub(crate) linear: Register,
    /// The number of lanes of a warp.
    pub(crate) warp: usize,
    /// The first instruction after the group.
    pub(crate) end: Position,
}

/// The source of a register's value before a run.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Source {
    /// The number or the memory of an argument.
    Argument(usize),
    Extent(usize, usize),
    /// The stride of a compact array of the argument's shape.
    Stride(usize, usize),
    Zero,
}

/// A parameter: its name, and what its argument must be.
#[derive(Debug, Clone)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) kind: ParameterKind,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ParameterKind {
    Scalar,
    Pointer,
    Buffer { name: String, dtype: DataType, rank: usize },
}

/// A compiled function.
#[derive(Debug, Default)]
pub(crate) struct Program {
    pub(crate) code: Vec<Instruction>,
    /// The place of each instruction in the source.
    pub(crate) spans: Vec<Span>,
    pub(crate) accesses: HashMap<Position, Access>,
    /// The registers before the first instruction.
    pub(crate) registers: Vec<u64>,
    pub(crate) inputs: Vec<(Register, Source)>,
    pub(crate) parameters: Vec<Parameter>,
    /// Arguments of a function that takes them packed; its inputs are then the four parameters of that convention.
    pub(crate) packed: Option<Vec<PackedKind>>,
    pub(crate) groups: Vec<Group>,
    pub(crate) matrices: Vec<crate::matrix::Matrix>,
    pub(crate) copies: Vec<crate::tensor_map::BoxCopy>,
    pub(crate) scans: Vec<crate::scan::Scan>,
    pub(crate) errors: Vec<RunErrorKind>,
    pub(crate) data: Vec<Vec<u8>>,
    /// `true` if `T.ret` returns a float.
    pub(crate) result_is_float: bool,
}

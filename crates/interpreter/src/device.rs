//! Calls of device functions that say in text what they do, as the interpreter and C read them.

use tvmscript_ir_core::DataType;
use tvmscript_ir_core::arithmetic::Operator;
use tvmscript_prim::{Expr, StringImm};

use crate::compile::{Arguments, named_type, pointee};
use crate::error::{Result, unsupported};
use crate::scalar::{Scalar, is_float, round, wrap};

/// The value that changes no other one of a type when an operator combines them.
pub(crate) fn neutral(operator: Operator, dtype: DataType) -> Scalar {
    let width = u32::from(dtype.bits.clamp(1, 64));
    let infinity = |sign: f64| round(dtype, sign * f64::INFINITY).unwrap_or_default();
    match (operator, is_float(dtype)) {
        (Operator::Max, true) => Scalar::Float(infinity(-1.0)),
        (Operator::Min, true) => Scalar::Float(infinity(1.0)),
        (Operator::Mul, true) => Scalar::Float(1.0),
        (_, true) => Scalar::Float(0.0),
        (Operator::Mul, false) => Scalar::Int(1),
        (Operator::Max, false) if dtype.is_int() => Scalar::Int(-1 << (width - 1)),
        (Operator::Min, false) if dtype.is_int() => Scalar::Int((u64::MAX >> (65 - width)) as i64),
        (Operator::Min, false) => Scalar::Int((u64::MAX >> (64 - width)) as i64),
        (Operator::BitAnd, false) => Scalar::Int(wrap(dtype, -1) as i64),
        (_, false) => Scalar::Int(0),
    }
}

/// A reduction over threads, such as `tl::AllReduce<tl::MaxOp, 128, 1, 0, ..`.
#[derive(Debug)]
pub(crate) struct GroupReduction {
    pub(crate) operator: Operator,
    /// The number of threads of a group.
    pub(crate) threads: i64,
    /// The distance of threads that belong together.
    pub(crate) distance: i64,
    /// The first thread.
    pub(crate) first: i64,
}

impl GroupReduction {
    /// Reads the name of the function.
    pub(crate) fn of(name: &str) -> Result<GroupReduction> {
        let unknown = || unsupported(format!("a reduction over threads by `{name}`"));
        let parameters = name.strip_prefix("tl::AllReduce<tl::").unwrap_or_default();
        let mut parts =
            parameters.split(',').map(|part| part.trim_end_matches([':', 'r', 'u', 'n', '>']).trim());
        let operator = match parts.next() {
            Some("SumOp") => Operator::Add,
            Some("MaxOp") => Operator::Max,
            Some("MinOp") => Operator::Min,
            Some("BitAndOp") => Operator::BitAnd,
            Some("BitOrOp") => Operator::BitOr,
            Some("BitXorOp") => Operator::BitXor,
            _ => return unknown(),
        };
        let mut number = |default: i64| parts.next().and_then(|part| part.parse().ok()).unwrap_or(default);
        let (threads, distance, first) = (number(32), number(1), number(0));
        if threads <= 0 || distance <= 0 {
            return unknown();
        }
        Ok(GroupReduction { operator, threads, distance, first })
    }
}

/// Running totals of lines, such as `tl::CumSum2D<128, 1, false>::run`: threads, axis, whether from the end.
#[derive(Debug)]
pub(crate) struct RunningTotals<'a> {
    name: &'a str,
    pub(crate) operator: Operator,
    is_plane: bool,
    is_along_rows: bool,
    pub(crate) is_reverse: bool,
}

impl<'a> RunningTotals<'a> {
    /// Reads the name of the function.
    pub(crate) fn of(name: &'a str) -> Result<RunningTotals<'a>> {
        let parts = name.split_once('<').and_then(|(kind, rest)| Some((kind, rest.split_once('>')?.0)));
        let (kind, parameters) = parts.unwrap_or((name, ""));
        let (operator, is_plane) = match kind {
            "tl::CumSum1D" => (Operator::Add, false),
            "tl::CumSum2D" => (Operator::Add, true),
            "tl::CumMax1D" => (Operator::Max, false),
            "tl::CumMax2D" => (Operator::Max, true),
            _ => return unsupported(format!("the external function `{name}`")),
        };
        let parameters: Vec<&str> = parameters.split(',').map(str::trim).collect();
        let (is_along_rows, is_reverse) =
            (parameters.get(1) == Some(&"1"), parameters.last() == Some(&"true"));
        Ok(RunningTotals { name, operator, is_plane, is_along_rows, is_reverse })
    }

    /// The lines of the numbers that follow the pointers, which are the length of a line, or rows, columns and the distances
    /// of rows: their number, their length, then the distances of lines and of elements in source and target.
    pub(crate) fn lines<T: Clone>(&self, numbers: &[T], one: &T) -> Result<[T; 6]> {
        let one = || one.clone();
        match (self.is_plane, numbers) {
            (false, [length]) => Ok([one(), length.clone(), one(), one(), one(), one()]),
            (true, [rows, columns, from, to]) => {
                let (rows, columns, from, to) = (rows.clone(), columns.clone(), from.clone(), to.clone());
                Ok(match self.is_along_rows {
                    true => [rows, columns, from, to, one(), one()],
                    false => [columns, rows, one(), one(), from, to],
                })
            }
            _ => unsupported(format!("the external function `{}` with these arguments", self.name)),
        }
    }
}

/// A product of matrices by a warp: a shape such as `m16n8k16`, two layouts, three types, then three pointers with offsets.
#[derive(Debug)]
pub(crate) struct WarpProduct<'a> {
    pub(crate) depth: usize,
    /// Types of the left, the right and the added matrix.
    pub(crate) dtypes: [DataType; 3],
    /// Pointers to their elements, offsets, and the types that offsets count.
    pub(crate) operands: [(&'a Expr, &'a Expr, DataType); 3],
}

impl<'a> WarpProduct<'a> {
    pub(crate) fn of(arg: &Arguments<'a>) -> Result<WarpProduct<'a>> {
        let is_shape = |at: &usize| arg.text(*at).is_ok_and(|text| text.starts_with("m16n8k"));
        let Some(first) = (0..arg.0.len()).find(is_shape) else {
            return unsupported("a product of matrices of another shape than 16 x 8");
        };
        let depth = arg.text(first)?.trim_start_matches("m16n8k").parse::<usize>().unwrap_or_default();
        if (arg.text(first + 1)?, arg.text(first + 2)?) != ("row", "col") {
            return unsupported("a product of matrices of another layout than rows by columns");
        }
        let dtype = |index: usize| named_type(arg.text(first + 3 + index)?);
        let dtypes = [dtype(0)?, dtype(1)?, dtype(2)?];
        let [a, b, c] = dtypes;
        if depth == 0 || !depth.is_multiple_of(4 * parts_of(a)) || depth > 256 || a.bits > 32 {
            return unsupported("a product of matrices of this shape and type");
        }
        let operand = |index: usize, dtype| -> Result<(&'a Expr, &'a Expr, DataType)> {
            let (pointer, offset) = (arg.get(first + 6 + 2 * index)?, arg.get(first + 7 + 2 * index)?);
            Ok((pointer, offset, pointee(pointer).unwrap_or(dtype)))
        };
        Ok(WarpProduct { depth, dtypes, operands: [operand(0, a)?, operand(1, b)?, operand(2, c)?] })
    }
}

/// A pointer to a matrix, and what follows it in some forms: an offset and the type that it counts.
pub(crate) type Pointer<'a> = (&'a Expr, Option<(&'a Expr, DataType)>);

/// The source and the target of a load of matrices.
pub(crate) fn loaded<'a>(arg: &Arguments<'a>) -> Result<[Pointer<'a>; 2]> {
    // The older form: a type, then pointers with offsets.
    if arg.text(2).is_err() {
        return Ok([(arg.get(2)?, None), (arg.get(3)?, None)]);
    }
    let dtype = pointee(arg.get(3)?).unwrap_or(DataType::float(16));
    Ok([(arg.get(5)?, Some((arg.get(6)?, dtype))), (arg.get(3)?, Some((arg.get(4)?, dtype)))])
}

/// The values of a store of matrices, which the shape of a matrix may follow.
pub(crate) fn stored<'a>(arg: &Arguments<'a>) -> Result<impl Iterator<Item = &'a Expr> + use<'a>> {
    let shape = |value: &'a Expr| value.as_node::<StringImm>().map(|shape| shape.value.as_str());
    if let Some(shape) = arg.0.iter().filter_map(shape).find(|shape| *shape != "m8n8") {
        return unsupported(format!("a store of matrices of the shape `{shape}`"));
    }
    Ok(arg.0.iter().skip(3).filter(move |value| shape(value).is_none()))
}

/// The number of elements of a type in a register of 32 bits.
pub(crate) fn parts_of(dtype: DataType) -> usize {
    (32 / usize::from(dtype.bits.max(1))).max(1)
}

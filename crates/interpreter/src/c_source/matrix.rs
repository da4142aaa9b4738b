//! Operations of whole warps on matrices, and running totals that one thread computes for a group.

use tvmscript_ir_core::DataType;
use tvmscript_ir_core::arithmetic::Operator;
use tvmscript_prim::{Expr, PrimExprExt as _, StringImm};

use super::Writer;
use super::exchange::first_of;
use super::helpers::Helper;
use super::value::Value;
use super::warp::parts_of;
use crate::compile::{Arguments, named_type, pointee};
use crate::error::{Result, unsupported};
use crate::intrinsics::MatrixOperator;
use crate::threads::WARP;

impl Writer<'_> {
    /// Writes an operation of all warps of a group on matrices.
    pub(super) fn matrix(&mut self, operator: MatrixOperator, arg: &Arguments<'_>) -> Result<()> {
        let group = self.joined()?;
        let count = group.count.known();
        let is_whole = count.is_some_and(|count| count % WARP as i128 == 0);
        if self.warp != WARP as i64 || !is_whole || self.mask().is_some() {
            return unsupported("an operation on matrices by some lanes of a warp");
        }
        let threads = count.unwrap_or_default();
        match operator {
            MatrixOperator::Load => {
                let (is_transposed, count) = (self.flag(arg.get(0)?)?, self.scalar(arg.get(1)?)?);
                let count = count.known().unwrap_or(1).clamp(0, 4);
                let (source, target) = match arg.text(2) {
                    // The older form: a type, then pointers with offsets.
                    Ok(_) => {
                        let dtype = pointee(arg.get(3)?).unwrap_or(DataType::float(16));
                        let target = self.pointers("target", arg.get(3)?, Some((arg.get(4)?, dtype)))?;
                        (self.pointers("source", arg.get(5)?, Some((arg.get(6)?, dtype)))?, target)
                    }
                    Err(_) => (
                        self.pointers("source", arg.get(2)?, None)?,
                        self.pointers("target", arg.get(3)?, None)?,
                    ),
                };
                let helper = self.helper(Helper::LoadMatrices);
                self.line(format!("{helper}({source}, {target}, {threads}, {count}, {is_transposed});"));
            }
            MatrixOperator::Store => {
                let is_transposed = self.flag(arg.get(0)?)?;
                // The shape of a matrix may follow the values.
                let shape = |value: &&Expr| value.as_node::<StringImm>().is_some();
                for text in arg.0.iter().filter_map(|value| value.as_node::<StringImm>()) {
                    if text.value.as_str() != "m8n8" {
                        return unsupported(format!("a store of matrices of the shape `{}`", text.value));
                    }
                }
                let values: Vec<&Expr> = arg.0.iter().skip(3).filter(|value| !shape(value)).collect();
                let target = self.pointers("target", arg.get(2)?, None)?;
                let word = DataType::uint(32);
                let helper = self.helper(Helper::StoreMatrix);
                for (number, value) in values.into_iter().enumerate() {
                    let words = self.kept("words", word, 1, |this| {
                        let own = value.dtype().element();
                        let value = this.scalar(value)?;
                        Ok(vec![this.cast(value, own, word)?])
                    })?;
                    for words in words {
                        let name = words.name;
                        self.line(format!(
                            "{helper}({name}, {target}, {threads}, {number}, {is_transposed});"
                        ));
                    }
                }
            }
            MatrixOperator::Multiply => self.multiply(arg, threads)?,
            _ => return unsupported("a product of matrices by a group of warps"),
        }
        Ok(())
    }

    fn flag(&mut self, expr: &Expr) -> Result<bool> {
        Ok(self.scalar(expr)?.known() == Some(1))
    }

    /// The name of an array with a pointer of each thread, which an offset in elements may follow.
    fn pointers(&mut self, hint: &str, pointer: &Expr, offset: Option<(&Expr, DataType)>) -> Result<String> {
        let kept = self.kept(hint, DataType::HANDLE, 1, |this| {
            let mut address = this.address_of(pointer)?;
            if let Some((offset, dtype)) = offset {
                let offset = this.index(offset)?;
                address = this.element_at(&address, &offset, dtype)?;
            }
            Ok(vec![address])
        })?;
        match kept.into_iter().next() {
            Some(kept) => Ok(kept.name),
            None => unsupported("an operation on matrices without a pointer"),
        }
    }

    /// A shape such as `m16n8k16`, two layouts, three types, then three pointers with offsets.
    fn multiply(&mut self, arg: &Arguments<'_>, threads: i128) -> Result<()> {
        let is_shape = |at: &usize| arg.text(*at).is_ok_and(|text| text.starts_with("m16n8k"));
        let Some(first) = (0..arg.0.len()).find(is_shape) else {
            return unsupported("a product of matrices of another shape than 16 x 8");
        };
        let depth = arg.text(first)?.trim_start_matches("m16n8k").parse::<usize>().unwrap_or_default();
        if (arg.text(first + 1)?, arg.text(first + 2)?) != ("row", "col") {
            return unsupported("a product of matrices of another layout than rows by columns");
        }
        let dtypes = [
            named_type(arg.text(first + 3)?)?,
            named_type(arg.text(first + 4)?)?,
            named_type(arg.text(first + 5)?)?,
        ];
        let [a, ..] = dtypes;
        if depth == 0 || !depth.is_multiple_of(4 * parts_of(a)) || depth > 256 || a.bits > 32 {
            return unsupported("a product of matrices of this shape and type");
        }
        let mut pointers = Vec::new();
        for (index, (hint, dtype)) in ["a", "b", "c"].into_iter().zip(dtypes).enumerate() {
            let (pointer, offset) = (arg.get(first + 6 + 2 * index)?, arg.get(first + 7 + 2 * index)?);
            let own = pointee(pointer).unwrap_or(dtype);
            pointers.push(self.pointers(hint, pointer, Some((offset, own)))?);
        }
        let helper = self.helper(Helper::Multiply(dtypes, depth));
        self.line(format!("{helper}({}, {threads});", pointers.join(", ")));
        Ok(())
    }

    /// Running totals of lines, such as `tl::CumSum2D<128, 1, false>::run`: threads, axis, whether from the end; then
    /// pointers to source and target, rows, columns, and the distances of rows.
    pub(super) fn scan_lines(&mut self, arg: &Arguments<'_>) -> Result<()> {
        let name = arg.text(0)?;
        let unknown = || unsupported(format!("the external function `{name}`"));
        let parts = name.split_once('<').and_then(|(kind, rest)| Some((kind, rest.split_once('>')?.0)));
        let Some((kind, parameters)) = parts else { return unknown() };
        let (operator, is_plane) = match kind {
            "tl::CumSum1D" => (Operator::Add, false),
            "tl::CumSum2D" => (Operator::Add, true),
            "tl::CumMax1D" => (Operator::Max, false),
            "tl::CumMax2D" => (Operator::Max, true),
            _ => return unknown(),
        };
        let parameters: Vec<&str> = parameters.split(',').map(str::trim).collect();
        let is_reverse = parameters.last() == Some(&"true");
        if self.mask().is_some() {
            return unsupported("running totals that some of the threads compute");
        }
        self.once(|this| {
            let (source, dtype) = this.typed_pointer(arg.get(1)?)?;
            let (target, _) = this.typed_pointer(arg.get(2)?)?;
            let mut numbers = Vec::new();
            for number in arg.0.iter().skip(3) {
                numbers.push(first_of(&this.expr(number)?)?.text);
            }
            let one = || "1".to_owned();
            let numbers = match (is_plane, numbers.as_slice()) {
                (false, [extent]) => [one(), extent.clone(), one(), one(), one(), one()],
                (true, [rows, columns, from, to]) => {
                    let (rows, columns, from, to) = (rows.clone(), columns.clone(), from.clone(), to.clone());
                    match parameters.get(1) {
                        Some(&"1") => [rows, columns, from, to, one(), one()],
                        _ => [columns, rows, one(), one(), from, to],
                    }
                }
                _ => return unknown(),
            };
            let helper = this.helper(Helper::Scan(operator, dtype));
            let (source, target, numbers): (Value, Value, String) = (source, target, numbers.join(", "));
            let warp = this.warp;
            this.effect(format!(
                "{helper}({}, {}, {numbers}, {is_reverse}, {warp})",
                source.text, target.text
            ))
        })
    }
}

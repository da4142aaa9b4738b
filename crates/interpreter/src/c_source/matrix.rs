//! Operations of whole warps on matrices, and running totals that one thread computes for a group.

use tvmscript_ir_core::DataType;
use tvmscript_prim::{Expr, PrimExprExt as _};

use super::Writer;
use super::helpers::Helper;
use crate::compile::Arguments;
use crate::device::{Pointer, RunningTotals, WarpProduct, loaded, stored};
use crate::error::{Result, unsupported};
use crate::intrinsics::MatrixOperator;
use crate::threads::WARP;

impl Writer<'_> {
    /// Writes an operation of all warps of a group on matrices.
    pub(super) fn matrix(&mut self, operator: MatrixOperator, arg: &Arguments<'_>) -> Result<()> {
        let whole = self.joined()?.count.known().filter(|count| count % WARP as i128 == 0);
        let Some(threads) = whole.filter(|_| self.warp == WARP as i64 && self.mask().is_none()) else {
            return unsupported("an operation on matrices by some lanes of a warp");
        };
        match operator {
            MatrixOperator::Load => {
                let (is_transposed, count) = (self.flag(arg.get(0)?)?, self.scalar(arg.get(1)?)?);
                let count = count.known().unwrap_or(1).clamp(0, 4);
                let [source, target] = loaded(arg)?;
                let (source, target) = (self.pointers("source", source)?, self.pointers("target", target)?);
                let helper = self.helper(Helper::LoadMatrices);
                self.line(format!("{helper}({source}, {target}, {threads}, {count}, {is_transposed});"));
            }
            MatrixOperator::Store => {
                let is_transposed = self.flag(arg.get(0)?)?;
                let values = stored(arg)?;
                let target = self.pointers("target", (arg.get(2)?, None))?;
                let word = DataType::uint(32);
                let helper = self.helper(Helper::StoreMatrix);
                for (number, value) in values.enumerate() {
                    let words = self.kept_one("words", word, |this| {
                        let own = value.dtype().element();
                        let value = this.scalar(value)?;
                        this.cast(value, own, word)
                    })?;
                    let words = words.name;
                    self.line(format!("{helper}({words}, {target}, {threads}, {number}, {is_transposed});"));
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
    fn pointers(&mut self, hint: &str, (pointer, offset): Pointer<'_>) -> Result<String> {
        let kept = self.kept_one(hint, DataType::HANDLE, |this| {
            let mut address = this.address_of(pointer)?;
            if let Some((offset, dtype)) = offset {
                let offset = this.index(offset)?;
                address = this.element_at(&address, &offset, dtype)?;
            }
            Ok(address)
        })?;
        Ok(kept.name)
    }

    fn multiply(&mut self, arg: &Arguments<'_>, threads: i128) -> Result<()> {
        let WarpProduct { depth, dtypes, operands } = WarpProduct::of(arg)?;
        let mut pointers = Vec::new();
        for (hint, (pointer, offset, own)) in ["a", "b", "c"].into_iter().zip(operands) {
            pointers.push(self.pointers(hint, (pointer, Some((offset, own))))?);
        }
        let helper = self.helper(Helper::Multiply(dtypes, depth));
        self.line(format!("{helper}({}, {threads});", pointers.join(", ")));
        Ok(())
    }

    /// Running totals of lines: pointers to source and target, then the numbers of [`RunningTotals::lines`].
    pub(super) fn scan_lines(&mut self, arg: &Arguments<'_>) -> Result<()> {
        let totals = RunningTotals::of(arg.text(0)?)?;
        if self.mask().is_some() {
            return unsupported("running totals that some of the threads compute");
        }
        self.once(|this| {
            let (source, dtype) = this.typed_pointer(arg.get(1)?)?;
            let (target, _) = this.typed_pointer(arg.get(2)?)?;
            let mut numbers = Vec::new();
            for number in arg.0.iter().skip(3) {
                numbers.push(this.scalar(number)?.text);
            }
            let numbers = totals.lines(&numbers, &"1".to_owned())?.join(", ");
            let helper = this.helper(Helper::Scan(totals.operator, dtype));
            let warp = this.warp;
            this.effect(format!(
                "{helper}({}, {}, {numbers}, {}, {warp})",
                source.text, target.text, totals.is_reverse
            ))
        })
    }
}

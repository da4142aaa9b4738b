//! Operators of later releases, declared as those of TIR are: one entry of `operators!` each, in the file of its
//! family. Those of one release are in its module, those of several here.
//!
//! An entry is a record with name, effect and the type of a call, and a script function, whose parameters are the
//! operands as texts have them. Keywords of `**annotations` are annotations of the call. There is no typed Rust
//! function.
//!
//! ```
//! use tvmscript_tirx::tilelang_0_25::OPERATORS;
//!
//! let copy = OPERATORS.iter().find(|operator| operator.name() == "tl.tileop.copy");
//! assert_eq!(copy.map(|copy| (copy.text, copy.min_operands, copy.max_operands)), Some(("copy", 2, 2)));
//! ```

#[cfg(feature = "build")]
pub(crate) mod call;
pub(crate) mod device;

use tvmscript_ir_core::ptr_map::AddressMap;
use tvmscript_ir_core::{DataType, Ref};
#[cfg(feature = "build")]
use tvmscript_irbuilder::ScriptFn;
use tvmscript_prim::BaseExpr;
use tvmscript_tir::op::Operator;

pub(crate) const BOOL: DataType = DataType::BOOL;
pub(crate) const FLOAT32: DataType = DataType::FLOAT32;
pub(crate) const HANDLE: DataType = DataType::HANDLE;
pub(crate) const INT32: DataType = DataType::INT32;
pub(crate) const INT64: DataType = DataType::INT64;
pub(crate) const UINT32: DataType = DataType::uint(32);
pub(crate) const UINT64: DataType = DataType::uint(64);
pub(crate) const VOID: DataType = DataType::VOID;

/// Types of parameters in scripts.
#[cfg(feature = "build")]
pub(crate) mod types {
    pub(crate) use std::vec::Vec;
    pub(crate) use tvmscript_ir_core::Str;
    pub(crate) use tvmscript_tir::build::operator::{DataType, Expr};
}

/// The operators of a release beside those of TIR.
#[derive(Debug)]
pub struct Operators {
    all: Vec<&'static Operator>,
    by_address: AddressMap<&'static Operator>,
}

impl Operators {
    pub(crate) fn new(families: &[&[&'static Operator]]) -> Operators {
        let all: Vec<&'static Operator> = families.iter().flat_map(|family| family.iter()).copied().collect();
        // Interned operators live as long as the process, so their addresses identify them.
        let by_address =
            all.iter().map(|operator| (operator.op.get().object().address(), *operator)).collect();
        Operators { all, by_address }
    }

    /// All operators, family by family.
    pub fn iter(&self) -> impl Iterator<Item = &'static Operator> {
        self.all.iter().copied()
    }

    /// The operator that a callee refers to.
    pub fn of_callee(&self, callee: &Ref<BaseExpr>) -> Option<&'static Operator> {
        self.by_address.get(&callee.object().address()).copied()
    }

    /// The script functions.
    #[cfg(feature = "build")]
    pub fn functions(&self) -> Vec<&'static ScriptFn> {
        self.iter().filter_map(|operator| operator.function).collect()
    }
}

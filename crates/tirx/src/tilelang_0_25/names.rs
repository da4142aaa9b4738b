//! Names of scripts: the operators as functions.

use tvmscript_ir_core::Dialect;
use tvmscript_irbuilder::BuildDialect as _;

use super::OPERATORS;
use crate::build::CALL;

/// Registers the functions.
pub(super) fn register(dialect: Dialect) -> Dialect {
    dialect.functions(&[&CALL]).functions(&OPERATORS.functions())
}

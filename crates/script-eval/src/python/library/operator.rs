//! `operator`.

use tvmscript_python_syntax::ast::{BinOp, CmpOp, UnaryOp};

use super::Library;
use crate::host::Operator;
use crate::python::builtins::{Table, linear};

pub(super) static OPERATOR: Library = Library { path: "operator", functions: FUNCTIONS, ..Library::EMPTY };

static FUNCTIONS: Table = &[
    linear("add").two(|p, _, x, y| p.apply(Operator::Binary(BinOp::Add), &[x, y])),
    linear("sub").two(|p, _, x, y| p.apply(Operator::Binary(BinOp::Sub), &[x, y])),
    linear("mul").two(|p, _, x, y| p.apply(Operator::Binary(BinOp::Mult), &[x, y])),
    linear("truediv").two(|p, _, x, y| p.apply(Operator::Binary(BinOp::Div), &[x, y])),
    linear("floordiv").two(|p, _, x, y| p.apply(Operator::Binary(BinOp::FloorDiv), &[x, y])),
    linear("mod").two(|p, _, x, y| p.apply(Operator::Binary(BinOp::Mod), &[x, y])),
    linear("pow").two(|p, _, x, y| p.apply(Operator::Binary(BinOp::Pow), &[x, y])),
    linear("and_").two(|p, _, x, y| p.apply(Operator::Binary(BinOp::BitAnd), &[x, y])),
    linear("or_").two(|p, _, x, y| p.apply(Operator::Binary(BinOp::BitOr), &[x, y])),
    linear("xor").two(|p, _, x, y| p.apply(Operator::Binary(BinOp::BitXor), &[x, y])),
    linear("lshift").two(|p, _, x, y| p.apply(Operator::Binary(BinOp::LShift), &[x, y])),
    linear("rshift").two(|p, _, x, y| p.apply(Operator::Binary(BinOp::RShift), &[x, y])),
    linear("lt").two(|p, _, x, y| p.apply(Operator::Compare(CmpOp::Lt), &[x, y])),
    linear("le").two(|p, _, x, y| p.apply(Operator::Compare(CmpOp::LtE), &[x, y])),
    linear("eq").two(|p, _, x, y| p.apply(Operator::Compare(CmpOp::Eq), &[x, y])),
    linear("ne").two(|p, _, x, y| p.apply(Operator::Compare(CmpOp::NotEq), &[x, y])),
    linear("gt").two(|p, _, x, y| p.apply(Operator::Compare(CmpOp::Gt), &[x, y])),
    linear("ge").two(|p, _, x, y| p.apply(Operator::Compare(CmpOp::GtE), &[x, y])),
    linear("neg").one(|p, _, x| p.apply(Operator::Unary(UnaryOp::USub), &[x])),
    linear("pos").one(|p, _, x| p.apply(Operator::Unary(UnaryOp::UAdd), &[x])),
    linear("invert").one(|p, _, x| p.apply(Operator::Unary(UnaryOp::Invert), &[x])),
    linear("not_").one(|p, _, x| p.apply(Operator::Unary(UnaryOp::Not), &[x])),
];

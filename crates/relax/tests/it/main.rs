//! Tests across dialects: the types that functions of scalars get.

mod evaluate;
mod func_type;
mod operators;

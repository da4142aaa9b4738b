//! Operators of TVM 0.27 that TVM 0.23 lacks. Texts of other releases do not know their functions.

pub mod image;
pub mod nn;
pub mod sequence;
pub mod tensor;
pub mod vision;

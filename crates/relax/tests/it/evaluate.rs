//! Tensors of the evaluator.

use tvmscript_ir_core::containers::TensorNode;
use tvmscript_ir_core::{DataType, TypeCode};
use tvmscript_relax::evaluate::Tensor;

#[test]
fn each_type_is_encoded_as_it_was_decoded() {
    for dtype in [
        DataType::BOOL,
        DataType::int(8),
        DataType::int(16),
        DataType::INT32,
        DataType::INT64,
        DataType::uint(8),
        DataType::uint(64),
        DataType::float(16),
        DataType::FLOAT32,
        DataType::float(64),
        DataType { code: TypeCode::BFloat, bits: 16, lanes: 1 },
    ] {
        let bytes: Vec<u8> =
            (0..2 * dtype.bits / 8).map(|byte| if dtype.bits == 8 { 1 } else { byte * 3 }).collect();
        let node = TensorNode { dtype, shape: Box::new([2]), data: bytes.into() };
        assert_eq!(*Tensor::decode(&node).unwrap().encode(), node, "{dtype}");
    }
}

#[test]
fn a_tensor_is_repeated_along_axes_of_length_one() {
    let column = Tensor::of_ints(DataType::INT32, vec![2, 1], [1, 2]);
    let whole = column.broadcast(&[2, 2, 2]).unwrap();
    assert_eq!(whole.ints(), Some(&[1, 1, 2, 2, 1, 1, 2, 2][..]));
}

#[test]
fn small_elements_are_packed_from_the_lowest_bit_on() {
    let bytes = |dtype, values: &[i128]| {
        let tensor = Tensor::of_ints(dtype, vec![values.len()], values.iter().copied());
        tensor.encode().bytes().map(<[u8]>::to_vec)
    };
    assert_eq!(bytes(DataType::int(4), &[1, -2, 7]), Some(vec![0xe1, 0x07]));
    assert_eq!(bytes(DataType::uint(2), &[1, 2, 3, 0, 1]), Some(vec![0b0011_1001, 1]));
    assert_eq!(bytes(DataType::int(8), &[1, -2]), Some(vec![1, 0xfe]));
}

//! Floats of 16 bits.

use tvmscript_ir_core::DataType;
use tvmscript_ir_core::arithmetic::round;

/// The value of the bits of a `float16` that is not negative.
fn half(bits: u16) -> f64 {
    let (exponent, digits) = (i32::from(bits >> 10), f64::from(bits & 0x3ff));
    match exponent {
        0 => digits * 2f64.powi(-24),
        _ => (digits + 1024.0) * 2f64.powi(exponent - 25),
    }
}

#[test]
fn numbers_beside_the_middle_of_two_halves_round_to_the_nearer_one() {
    for bits in 0..0x7bff {
        let (low, high) = (half(bits), half(bits + 1));
        let middle = f64::midpoint(low, high);
        let even = if bits % 2 == 0 { low } else { high };
        let rounded = [middle.next_down(), middle, middle.next_up()].map(|x| round(DataType::float(16), x));
        assert_eq!(rounded, [Some(low), Some(even), Some(high)], "{bits:#06x}");
    }
}

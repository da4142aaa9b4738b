//! Numbers in Python's spelling, against recorded output of C's `printf`.

use tvmscript_doc::DocArena;
use tvmscript_doc::python::{self, PythonOptions};

fn float(value: f64) -> String {
    let mut docs = DocArena::new();
    let doc = docs.float(value);
    python::print(&docs, doc, &PythonOptions::default()).unwrap()
}

#[test]
fn p74_19_integral_floats_have_one_decimal() {
    for (value, expected) in [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (1.0, "1.0"),
        (-3.0, "-3.0"),
        (999_999_999_999_999.0, "999999999999999.0"),
        (1e15, "1000000000000000.0"),
        (-1e16, "-10000000000000000.0"),
        (1e20, "100000000000000000000.0"),
        (3.4e38, "339999999999999996123846586046231871488.0"),
        (-3.4e38, "-339999999999999996123846586046231871488.0"),
        (1e22, "10000000000000000000000.0"),
        (1e23, "99999999999999991611392.0"),
        (9007199254740993.0, "9007199254740992.0"),
    ] {
        assert_eq!(float(value), expected);
    }
    assert!(float(f64::MAX).starts_with("17976931348623157081452742373170435679807056752584"));
    assert_eq!(float(f64::MAX).len(), 311);
}

#[test]
fn p74_19_infinities_and_nans_are_quoted() {
    assert_eq!(float(f64::INFINITY), "\"inf\"");
    assert_eq!(float(f64::NEG_INFINITY), "\"-inf\"");
    assert_eq!(float(f64::NAN.copysign(1.0)), "\"nan\"");
    assert_eq!(float(f64::NAN.copysign(-1.0)), "\"-nan\"");
}

#[test]
fn fractions_have_17_digits() {
    for (bits, expected) in include!("../data/floats.in") {
        let value = f64::from_bits(bits);
        assert_eq!(float(value), expected, "{value:?}");
        assert_eq!(expected.parse::<f64>().map(f64::to_bits), Ok(bits), "{expected}");
    }
}

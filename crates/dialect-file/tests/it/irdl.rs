//! Descriptions from IRDL: the example of MLIR's documentation.

use tvmscript_dialect_file::{DialectFile, from_irdl};
use tvmscript_docsifier::{PrinterConfig, print};
use tvmscript_ir_core::{RegistryBuilder, structural_equal};
use tvmscript_script_parser::{ParseOptions, parse_script};

/// `mlir/test/Dialect/IRDL/cmath.irdl.mlir`.
const CMATH: &str = r#"
// RUN: mlir-opt %s | mlir-opt | FileCheck %s
module {
  irdl.dialect @cmath {
    irdl.type @complex {
      %0 = irdl.is f32
      %1 = irdl.is f64
      %2 = irdl.any_of(%0, %1)
      irdl.parameters(elem: %2)
    }
    irdl.operation @norm {
      %0 = irdl.any
      %1 = irdl.parametric @cmath::@complex<%0>
      irdl.operands(in: %1)
      irdl.results(out: %0)
    }
    irdl.operation @mul {
      %0 = irdl.is f32
      %1 = irdl.is f64
      %2 = irdl.any_of(%0, %1)
      %3 = irdl.parametric @cmath::@complex<%2>
      irdl.operands(lhs: %3, rhs: %3)
      irdl.results(res: %3)
    }
  }
}
"#;

const SCRIPT: &str = r#"
@Cmath.function
def main(a: Cmath.Value(Cmath.complex("float32")), b: Cmath.Value(Cmath.complex("float32"))):
    Cmath.yield_(Cmath.norm(Cmath.mul(a, b)))"#;

#[test]
fn cmath_is_read_and_its_programs_round_trip() {
    let toml = from_irdl(CMATH).unwrap_or_else(|error| panic!("{error}"));
    let base = RegistryBuilder::new().build().expect("no dialects");
    let file = DialectFile::load(&toml, &base).unwrap_or_else(|errors| {
        panic!("{toml}\n{}", tvmscript_diagnostics::render(&errors, "cmath.toml", &toml, false))
    });
    let registry = RegistryBuilder::new().with(file.dialect()).build().expect("one dialect");
    let parse = |text: &str| parse_script("cmath", text, &registry, &ParseOptions::default());
    let parsed = parse(SCRIPT);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    let node = &parsed.scripts[0].node;
    let text = print(node, &registry, &PrinterConfig::default()).expect("prints");
    assert!(text.ends_with(SCRIPT), "{text}");
    assert!(structural_equal(node, &parse(&text).scripts[0].node));
    for (old, new, message) in [
        (
            "b: Cmath.Value(Cmath.complex(\"float32\"))",
            "b: Cmath.Value(Cmath.complex(\"float64\"))",
            "as `lhs` is",
        ),
        ("Cmath.complex(\"float32\")", "Cmath.complex(\"int32\")", "does not hold"),
        ("Cmath.norm(Cmath.mul(a, b))", "Cmath.norm(Cmath.norm(a))", "of the type `cmath.Complex`"),
        ("Cmath.mul(a, b)", "Cmath.mul(a, 3)", "a value with a type"),
    ] {
        let errors = parse(&SCRIPT.replace(old, new)).errors;
        let found = errors.first().map(ToString::to_string).unwrap_or_default();
        assert!(found.contains(message), "{new}: {found}");
    }
}

#[test]
fn what_a_description_cannot_say_is_an_error_at_its_line() {
    for (old, new, line, message) in [
        ("irdl.any\n", "irdl.c_pred \"x\"\n", 12, "`irdl.c_pred` is not read"),
        ("irdl.results(out: %0)", "irdl.results(out: %0, two: %0)", 15, "several results"),
        ("irdl.operands(in: %1)", "irdl.operands(in: %7)", 14, "`%7` is not defined"),
        (
            "irdl.is f64\n      %2 = irdl.any_of(%0, %1)\n      irdl.param",
            "irdl.is !builtin\n      %2 = irdl.any_of(%0, %1)\n      irdl.param",
            9,
            "has no dtype",
        ),
        ("irdl.type @complex", "irdl.region @complex", 5, "not a type or an operation"),
        ("irdl.operation @norm", "irdl.operation norm", 11, "expected a name"),
        ("irdl.operands(in: %1)", "irdl.operands(in: optional %1)", 14, "optional operands"),
    ] {
        let text = CMATH.replacen(old, new, 1);
        assert_ne!(text, CMATH, "{new}");
        let error = from_irdl(&text).expect_err(message);
        assert!(error.message.contains(message) && error.line == line, "{new}: {error}");
    }
}

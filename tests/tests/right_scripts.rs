//! Scripts that are right: they parse, print, read back and print again, and canonical ones print as they are.

use tvmscript_tests::{
    Fixture, canonical_options, check_all, check_roundtrip, folder, parse_ok, print_canonical,
};

/// The widths at which everything has to read back; `None` is unlimited.
const WIDTHS: [Option<u32>; 3] = [None, Some(80), Some(40)];

fn check(fixture: &Fixture) -> Result<(), String> {
    let objects = parse_ok(&fixture.name, &fixture.text)?;
    if objects.is_empty() {
        return Err("no script object".to_string());
    }
    for width in WIDTHS {
        let mut options = canonical_options();
        options.max_width_columns = width;
        let text = check_roundtrip(&objects, &options).map_err(|e| format!("at width {width:?}: {e}"))?;
        if width.is_none() && fixture.is_canonical() && text.trim_end() != fixture.text.trim_end() {
            return Err(format!("prints otherwise:\n{text}"));
        }
    }
    Ok(())
}

#[test]
fn one_fact_scripts_read_back() {
    check_all("ok", check);
}

/// As TVM prints it: `NAME.printed` beside `NAME.py`.
fn check_printed(fixture: &Fixture) -> Result<(), String> {
    check(fixture)?;
    let file = folder("programs").join(format!("{}.printed", fixture.name));
    let expected = std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
    let text = print_canonical(&parse_ok(&fixture.name, &fixture.text)?)?;
    let differs = text.trim_end().lines().zip(expected.trim_end().lines()).find(|(a, b)| a != b);
    match differs {
        Some((found, expected)) => Err(format!("expected {expected}\n    found    {found}")),
        None if text.trim_end() != expected.trim_end() => Err(format!("prints otherwise:\n{text}")),
        None => Ok(()),
    }
}

#[test]
fn programs_print_as_tvm_prints_them() {
    check_all("programs", check_printed);
}

#[test]
fn kernels_read_back() {
    check_all("kernels", check);
}

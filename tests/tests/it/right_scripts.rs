//! Valid scripts: they parse, print, and read back; canonical scripts print unchanged.

use tvmscript::relax::print::RelaxOptions;
use tvmscript_tests::{Fixture, canonical_options, check_all, check_roundtrip, folder, parse_ok};

/// Widths at which text has to read back; `None` is unlimited.
const WIDTHS: [Option<u32>; 3] = [None, Some(80), Some(40)];

/// Environment variable to rewrite the expected output of `ok/` and `kernels/`; that of `programs/` is TVM's.
const BLESS: &str = "TVMSCRIPT_BLESS";

/// Checks the round trip at every width and returns the printed text.
fn check_reads_back(fixture: &Fixture) -> Result<String, String> {
    let objects = parse_ok(&fixture.name, &fixture.text)?;
    if objects.is_empty() {
        return Err("no script object".to_string());
    }
    let mut unlimited = String::new();
    for width in WIDTHS {
        let mut options = canonical_options();
        options.max_width_columns = width;
        let text = check_roundtrip(&objects, &options).map_err(|e| format!("at width {width:?}: {e}"))?;
        if width.is_none() {
            unlimited = text;
        }
    }
    // Annotations may be left out where they are inferred.
    let unsaid = RelaxOptions { show_all_struct_info: false };
    check_roundtrip(&objects, &canonical_options().with_part(unsaid))
        .map_err(|e| format!("without what is inferred: {e}"))?;
    Ok(unlimited)
}

/// Compares two texts, ignoring line breaks at their ends.
fn compare(text: &str, expected: &str) -> Result<(), String> {
    let (text, expected) = (text.trim_end(), expected.trim_end());
    match text.lines().zip(expected.lines()).find(|(a, b)| a != b) {
        Some((found, expected)) => Err(format!("expected {expected}\n    found    {found}")),
        None if text != expected => Err(format!("prints otherwise:\n{text}")),
        None => Ok(()),
    }
}

/// Checks that canonical files print unchanged, and others as recorded beside them.
fn check(folder_name: &str, fixture: &Fixture) -> Result<(), String> {
    let text = check_reads_back(fixture)?;
    if fixture.is_canonical() {
        return compare(&text, &fixture.text).map_err(|e| {
            format!("{e}\n    (a file that starts with `# from tvm.script import` has to print unchanged)")
        });
    }
    let file = folder(folder_name).join(format!("{}.printed", fixture.name));
    if std::env::var_os(BLESS).is_some() && folder_name != "programs" {
        return std::fs::write(&file, format!("{}\n", text.trim_end())).map_err(|e| e.to_string());
    }
    let expected = std::fs::read_to_string(&file)
        .map_err(|e| format!("{}: {e} ({BLESS}=1 writes what is printed now)", file.display()))?;
    compare(&text, &expected)
}

#[test]
fn one_fact_scripts_read_back() {
    check_all("ok", |fixture| check("ok", fixture));
}

#[test]
fn p74_06_programs_print_as_tvm_prints_them() {
    check_all("programs", |fixture| check("programs", fixture));
}

#[test]
fn kernels_read_back() {
    check_all("kernels", |fixture| check("kernels", fixture));
}

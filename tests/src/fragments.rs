//! Round trips of single nodes as fragments.

use tvmscript::ir_core::equal::StructuralEqual;
use tvmscript::ir_core::visit::{Visitor, Walk};
use tvmscript::{Object, ParseOptions, PrinterConfig, parse, print, registry};

/// Parses a text as a fragment of a dialect.
///
/// # Errors
/// The first diagnostic as text.
pub fn read(dialect: &'static str, text: &str) -> Result<Object, String> {
    let mut options = ParseOptions::default();
    options.fragment_of = Some(dialect);
    let parsed = parse("fragment", text, registry(), &options);
    match parsed.errors.first() {
        Some(error) => Err(crate::describe(text, error)),
        None => parsed.scripts.into_iter().next().map(|script| script.node).ok_or("nothing".to_owned()),
    }
}

/// Checks that the text of a node parses to an equal node (up to free variables) and prints again to the same bytes;
/// the second print decides if the parser names a pointer after its buffer.
///
/// # Errors
/// A description of the difference.
pub fn check(dialect: &'static str, fragment: &Object) -> Result<(), String> {
    check_with(dialect, fragment, PrinterConfig::default())
}

/// As [`check`], with a printer configuration.
///
/// # Errors
/// A description of the difference.
pub fn check_with(dialect: &'static str, fragment: &Object, config: PrinterConfig) -> Result<(), String> {
    let config = PrinterConfig { verbose_expr: true, show_meta: true, ..config };
    let text = print(fragment, registry(), &config).map_err(|e| e.to_string())?;
    let again = read(dialect, &text).map_err(|e| format!("{e}\n{text}"))?;
    let equal = StructuralEqual { map_free_vars: true, ..StructuralEqual::default() };
    let twice = print(&again, registry(), &config).map_err(|e| e.to_string())?;
    if !equal.compare(fragment, &again) {
        return Err(format!("another program\n{text}\nread as {}\n{twice}", again.info().key()));
    }
    if twice == text {
        return Ok(());
    }
    let settled = read(dialect, &twice).map_err(|e| format!("{e}\n{twice}"))?;
    match print(&settled, registry(), &config) {
        Ok(settled) if settled == twice => Ok(()),
        _ => Err(format!("printed again:\n{twice}\nbefore:\n{text}")),
    }
}

/// Maximum number of checked nodes of a type in all programs: most types are in every program.
const PER_TYPE: usize = 80;

/// Checks a sample of the nodes of the programs in these folders for which `is_wanted` holds.
///
/// # Panics
/// If a node does not round-trip, or the sample is small.
pub fn check_parts(dialect: &'static str, folders: &[&str], is_wanted: impl Fn(&Object) -> bool + Copy) {
    let mut checked = 0;
    let mut counts = std::collections::HashMap::<&str, usize>::new();
    let mut failed = Vec::new();
    for fixture in folders.iter().flat_map(|folder| crate::fixtures(folder)) {
        let Ok(objects) = crate::parse(&fixture.name, &fixture.text) else { continue };
        for fragment in objects.iter().flat_map(|object| sample(object, 2, is_wanted)) {
            let count = counts.entry(fragment.info().key()).or_default();
            *count += 1;
            if *count > PER_TYPE {
                continue;
            }
            checked += 1;
            if let Err(why) = check(dialect, &fragment) {
                failed.push(format!("{}: {}: {why}", fixture.name, fragment.info().key()));
            }
        }
    }
    println!("{checked} fragments");
    assert!(checked > 1000, "{checked}");
    assert!(failed.is_empty(), "{} of {checked}\n{}", failed.len(), failed.join("\n\n"));
}

/// The distinct nodes of a program for which `is_wanted` holds, at most `limit` per type.
pub fn sample(root: &Object, limit: usize, is_wanted: impl Fn(&Object) -> bool) -> Vec<Object> {
    let mut found: Vec<Object> = Vec::new();
    let mut counts = std::collections::HashMap::<&str, usize>::new();
    let _ = Visitor::new().pre_order(root, |object| {
        let count = counts.entry(object.info().key()).or_default();
        if *count < limit && is_wanted(object) {
            *count += 1;
            found.push(object.clone());
        }
        Walk::Advance
    });
    found
}

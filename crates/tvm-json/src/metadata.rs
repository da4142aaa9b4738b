//! The metadata behind the nodes: `{"descriptions": {"toy": "1.0 3fa2.."}, "tvm_version": "0.23.dev0"}`.
//!
//! TVM reads the version alone. The descriptions are those of dialects whose types were registered at run time.

use std::collections::BTreeMap;

use tvmscript_ir_core::Registry;
use tvmscript_ir_core::json::emit::Emitter;
use tvmscript_ir_core::json::scan::Scanner;
use tvmscript_ir_core::json::{JsonError, check_description};

/// Editions and content keys by the name of the dialect.
pub(crate) type Descriptions = BTreeMap<String, String>;

const METADATA: &str = "metadata";
const DESCRIPTIONS: &str = "descriptions";

/// Writes the metadata.
pub(crate) fn write(out: &mut Emitter, tvm_version: &str, descriptions: &Descriptions) {
    out.key(METADATA);
    out.open('{');
    if !descriptions.is_empty() {
        out.key(DESCRIPTIONS);
        out.open('{');
        for (dialect, description) in descriptions {
            out.key(dialect);
            out.string(description);
        }
        out.close('}');
    }
    out.key("tvm_version");
    out.string(tvm_version);
    out.close('}');
}

/// Reads the descriptions from the value of the metadata; what else stands there is skipped.
pub(crate) fn read(scan: &mut Scanner<'_>) -> Result<Descriptions, JsonError> {
    let mut descriptions = Descriptions::new();
    if scan.peek() != Some(b'{') {
        scan.skip_value()?;
        return Ok(descriptions);
    }
    scan.expect(b'{')?;
    let mut first = true;
    while scan.more(first, b'}')? {
        first = false;
        let is_ours = &*scan.key()? == DESCRIPTIONS;
        if !is_ours || scan.peek() != Some(b'{') {
            scan.skip_value()?;
            continue;
        }
        scan.expect(b'{')?;
        let mut first = true;
        while scan.more(first, b'}')? {
            first = false;
            let dialect = scan.key()?.into_owned();
            let description = scan.string()?.into_owned();
            descriptions.insert(dialect, description);
        }
    }
    Ok(descriptions)
}

/// Checks that the loaded dialects are those that a text was written with.
///
/// # Errors
/// Names both descriptions of the first dialect that is another one.
pub(crate) fn check(descriptions: &Descriptions, registry: &Registry) -> Result<(), JsonError> {
    descriptions.iter().try_for_each(|(dialect, found)| {
        check_description(dialect, found, registry)
            .map_err(|error| error.within(format_args!(".{METADATA}.{DESCRIPTIONS}.{dialect}")))
    })
}

/// The same check for a text that could not be loaded: another description is the reason for all other errors.
pub(crate) fn check_text(text: &str, registry: &Registry) -> Result<(), JsonError> {
    if !text.contains(DESCRIPTIONS) {
        return Ok(());
    }
    let found = || -> Result<Descriptions, JsonError> {
        let mut scan = Scanner::new(text);
        scan.expect(b'{')?;
        let mut first = true;
        while scan.more(first, b'}')? {
            first = false;
            match &*scan.key()? {
                METADATA => return read(&mut scan),
                _ => scan.skip_value()?,
            }
        }
        Ok(Descriptions::new())
    };
    match found() {
        Ok(descriptions) => check(&descriptions, registry),
        Err(_) => Ok(()),
    }
}

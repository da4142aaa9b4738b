//! Metadata sections in the JSON of the release.

use tvmscript_ir_core::json::{JsonError, SaveError, UnknownTypes};
use tvmscript_ir_core::profile::MetadataFormat;
use tvmscript_ir_core::{Registry, Value};
use tvmscript_tvm_json::{SaveOptions, TvmJsonVersion, load_section, save_with};

/// The section of TVM 0.27.
pub(super) const FORMAT: MetadataFormat =
    MetadataFormat { type_key, save, load, ..tvmscript_ir::profile::TVM_0_23.metadata };

fn type_key(key: &'static str) -> &'static str {
    TvmJsonVersion::V0_27.key_of(key)
}

fn load(text: &str, registry: &Registry, unknown: UnknownTypes) -> Result<Value, JsonError> {
    load_section(text, registry, &TvmJsonVersion::V0_27, unknown)
}

fn save(value: &Value) -> Result<String, SaveError> {
    save_with(value, &SaveOptions { version: TvmJsonVersion::V0_27, ..SaveOptions::default() })
}

//! The `tvmscript` command: exit status, output, diagnostics.

mod codes;
mod common;
mod compare;
mod constants;
mod dialects;
mod diff;
mod emit_c;
mod explain;
mod explore;
mod explore_graphs;
mod explorer_page;
mod fixes;
mod fragments;
mod import_onnx;
mod import_tensorflow;
#[cfg(feature = "tflite")]
mod import_tflite;
mod import_torch;
mod json_releases;
mod limits;
mod misuse;
mod nodes;
mod options;
mod passes;
mod pasted;
mod profiles;
mod python_files;
mod releases;
mod schedules;
mod scripts;
mod spans;
mod stubs;
mod tutorial;
mod unknown;
mod upgrade;
mod upgrade_codes;

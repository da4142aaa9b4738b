//! Programs as JSON, in the project's own form and in those of TVM's releases.

use tvmscript_ir_core::json::{JsonError, JsonErrorKind, SaveError, UnknownNode, native, unknown_types};
use tvmscript_ir_core::profile::{ProfileChoice, Reason};
use tvmscript_ir_core::{Object, Registry, Str, Value};
use tvmscript_tvm_json::{self as tvm_json, Form, SaveOptions, TvmJsonVersion};

/// A program that was read from JSON.
#[derive(Debug, Clone)]
pub struct LoadedJson {
    /// The node.
    pub node: Object,
    /// The text profile that it prints in.
    pub profile: ProfileChoice,
    /// Keys of types that no dialect declares, with the number of their nodes, which are kept as they are.
    pub unknown: Vec<(Str, usize)>,
}

/// Converts a node to native JSON on one line.
pub fn to_json(node: &Object) -> String {
    native::save(&Value::Node(node.clone()))
}

/// Converts a node of a program in a text profile to native JSON on one line, which names the profile.
///
/// ```
/// # #[cfg(feature = "parse")] {
/// use tvmscript::{load_json, parse, ParseOptions, registry, to_json_of};
///
/// let text = "# from tvm.script import tirx as T\n# from tvm.tirx.layout import Axis\n@T.prim_func\ndef f():\n    T.alloc_local((1,))\n";
/// let parsed = parse("f.py", text, registry(), &ParseOptions::default());
/// let json = to_json_of(&parsed.scripts[0].node, &parsed.profile.profile.id());
/// assert_eq!(load_json(&json, registry())?.profile.profile.id(), "tvm-0.27");
/// # }
/// # Ok::<(), tvmscript::JsonError>(())
/// ```
pub fn to_json_of(node: &Object, profile: &str) -> String {
    let options = native::SaveOptions { compact: true, profile: Some(profile.to_owned()) };
    native::save_with(&Value::Node(node.clone()), &options)
}

/// Converts a node to TVM's JSON, as written by TVM 0.23.
///
/// # Errors
/// If the elements of a constant are left out, and for nodes of unknown types from several texts.
pub fn to_tvm_json(node: &Object) -> Result<String, SaveError> {
    tvm_json::save(&Value::Node(node.clone()))
}

/// Converts a node of a program in a text profile to the JSON of the profile's release, which is that of TVM 0.23 for
/// profiles without their own.
///
/// # Errors
/// Those of [`to_tvm_json`].
pub fn to_tvm_json_of(node: &Object, profile: &str) -> Result<String, SaveError> {
    let version = TvmJsonVersion::of_profile(profile).unwrap_or_default();
    tvm_json::save_with(&Value::Node(node.clone()), &SaveOptions { version, ..SaveOptions::default() })
}

/// Loads a node from TVM's JSON, of the release that the text names.
///
/// # Errors
/// If the text is malformed, uses a type that is not in the registry, or its root is not a node.
pub fn from_tvm_json(text: &str, registry: &Registry) -> Result<Object, JsonError> {
    let version = TvmJsonVersion::of_text(text).unwrap_or_default();
    let dialects =
        registry.text_profile(Some(version.text_profile)).map_or(registry, |(_, dialects)| dialects);
    root(tvm_json::load_version(text, dialects, &version)?)
}

/// Loads a node from JSON of either form.
///
/// # Errors
/// Those of [`from_tvm_json`].
pub fn from_json(text: &str, registry: &Registry) -> Result<Object, JsonError> {
    load_json(text, registry).map(|loaded| loaded.node)
}

/// Loads a program from JSON of either form. In TVM's form, nodes of types that no dialect declares are kept where any
/// value may be, as in attributes.
///
/// # Errors
/// Those of [`from_tvm_json`], and if no profile of the registry has the name in the text.
pub fn load_json(text: &str, registry: &Registry) -> Result<LoadedJson, JsonError> {
    let is_tvm = tvm_json::detect(text) == Some(Form::Tvm);
    let release = if is_tvm { TvmJsonVersion::of_text(text) } else { None };
    let named = match is_tvm {
        true => release.map(|release| release.text_profile.to_owned()),
        false => native::profile(text),
    };
    let (profile, dialects) = match registry.text_profile(named.as_deref()) {
        Ok(selected) => selected,
        // A registry without the release's dialects may still have its nodes.
        Err(_) if is_tvm => (
            registry.text_profiles().next().unwrap_or(&tvmscript_ir_core::profile::TextProfile::PLAIN),
            registry,
        ),
        Err(unknown) => {
            let found = format!("text profile {}", unknown.id);
            return Err(JsonError::new(JsonErrorKind::UnknownFormat { found }).within(".profile"));
        }
    };
    let value = match is_tvm {
        true => load_tvm(text, dialects, &release.unwrap_or_default())?,
        false => tvm_json::load_any(text, dialects)?,
    };
    let unknown = unknown_types(&value);
    let reason = if named.is_some() { Reason::Json } else { Reason::Default };
    Ok(LoadedJson { node: root(value)?, profile: ProfileChoice { profile, reason }, unknown })
}

/// Loads TVM's JSON. Nodes of unknown types are kept where any value may be.
fn load_tvm(text: &str, dialects: &Registry, version: &TvmJsonVersion) -> Result<Value, JsonError> {
    match tvm_json::load_version(text, dialects, version) {
        Err(error) if matches!(error.kind, JsonErrorKind::UnknownType { .. }) => {
            let kept = tvm_json::load_keeping(text, dialects, version, text);
            // The root has to be known.
            kept.ok().filter(|value| !is_unknown(value)).ok_or(error)
        }
        loaded => loaded,
    }
}

fn is_unknown(value: &Value) -> bool {
    value.as_object().is_some_and(|node| node.is::<UnknownNode>())
}

fn root(value: Value) -> Result<Object, JsonError> {
    match value {
        Value::Node(node) => Ok(node),
        _ => Err(JsonError {
            kind: JsonErrorKind::Expected { expected: "a node as the root" },
            path: "$".to_owned(),
            offset_bytes: 0,
        }),
    }
}

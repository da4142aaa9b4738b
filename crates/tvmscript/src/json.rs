//! Programs as JSON, in the project's own form and in those of TVM's releases.

use tvmscript_ir_core::json::{JsonError, JsonErrorKind, SaveError, UnknownNode, native, unknown_types};
use tvmscript_ir_core::release::Reason;
use tvmscript_ir_core::{Object, Registry, Release, Session, Str, Value};
use tvmscript_tvm_json::{self as tvm_json, Form, SaveOptions, TvmJsonVersion};

/// A program that was read from JSON.
#[derive(Debug, Clone)]
pub struct LoadedJson {
    /// The node.
    pub node: Object,
    /// The release that it is a program of.
    pub release: &'static Release,
    /// The reason why it is taken for a program of this release.
    pub release_reason: Reason,
    /// Keys of types that no dialect declares, with the number of their nodes, which are kept as they are.
    pub unknown: Vec<(Str, usize)>,
}

/// Converts a node to native JSON on one line.
pub fn to_json(node: &Object) -> String {
    native::save(&Value::Node(node.clone()))
}

/// Converts a node of a program of a release to native JSON on one line, which names the release.
///
/// ```
/// # #[cfg(feature = "parse")] {
/// use tvmscript::{load_json, parse, ParseOptions, registry, releases::tvm_0_27, to_json_of};
///
/// let text = "# from tvm.script import tirx as T\n# from tvm.tirx.layout import Axis\n@T.prim_func\ndef f():\n    T.alloc_local((1,))\n";
/// let parsed = parse("f.py", text, registry(), &ParseOptions::default());
/// let json = to_json_of(&parsed.scripts[0].node, parsed.release);
/// assert_eq!(load_json(&json, registry())?.release, &tvm_0_27::RELEASE);
/// # }
/// # Ok::<(), tvmscript::JsonError>(())
/// ```
pub fn to_json_of(node: &Object, release: &Release) -> String {
    let options = native::SaveOptions { compact: true, release: Some(release.id()) };
    native::save_with(&Value::Node(node.clone()), &options)
}

/// Converts a node to TVM's JSON, as written by TVM 0.23.
///
/// # Errors
/// If the elements of a constant are left out, and for nodes of unknown types from several texts.
pub fn to_tvm_json(node: &Object) -> Result<String, SaveError> {
    tvm_json::save(&Value::Node(node.clone()))
}

/// Converts a node of a program of a release to the JSON of the release, which is that of TVM 0.23 for releases without
/// their own.
///
/// # Errors
/// Those of [`to_tvm_json`].
pub fn to_tvm_json_of(node: &Object, release: &Release, registry: &Registry) -> Result<String, SaveError> {
    let version = registry.of_release(release).and_then(TvmJsonVersion::of).unwrap_or(&TvmJsonVersion::V0_23);
    tvm_json::save_with(&Value::Node(node.clone()), &SaveOptions { version, ..SaveOptions::default() })
}

/// Loads a node from TVM's JSON, of the release that the text names.
///
/// # Errors
/// If the text is malformed, uses a type that is not in the registry, or its root is not a node.
pub fn from_tvm_json<'r>(text: &str, session: impl Into<Session<'r>>) -> Result<Object, JsonError> {
    let session = session.into();
    let (registry, version) =
        TvmJsonVersion::of_text(text, session.registry).unwrap_or((session.registry, &TvmJsonVersion::V0_23));
    root(tvm_json::load_version(text, Session { registry, ..session }, version)?)
}

/// Loads a node from JSON of either form.
///
/// # Errors
/// Those of [`from_tvm_json`].
pub fn from_json<'r>(text: &str, session: impl Into<Session<'r>>) -> Result<Object, JsonError> {
    load_json(text, session).map(|loaded| loaded.node)
}

/// Loads a program from JSON of either form. In TVM's form, nodes of types that no dialect declares are kept where any
/// value may be, as in attributes.
///
/// # Errors
/// Those of [`from_tvm_json`], and if the registry does not have the release in the text.
pub fn load_json<'r>(text: &str, session: impl Into<Session<'r>>) -> Result<LoadedJson, JsonError> {
    let session = session.into();
    let registry = session.registry;
    let within = |registry| Session { registry, ..session };
    let mut reason = Reason::Json;
    let (dialects, value) = if tvm_json::detect(text) == Some(Form::Tvm) {
        let (dialects, version) = TvmJsonVersion::of_text(text, registry).unwrap_or_else(|| {
            reason = Reason::Default;
            (registry, &TvmJsonVersion::V0_23)
        });
        (dialects, load_tvm(text, within(dialects), version)?)
    } else if tvm_json::detect(text) == Some(Form::TvmLegacy) {
        // Its nodes become those of the first release.
        (registry, tvm_json::load_legacy(text, session)?)
    } else {
        let dialects = match native::release(text).map(|id| registry.find_release(&id)) {
            Some(Ok(release)) => registry.of_release(release).unwrap_or(registry),
            Some(Err(unknown)) => {
                let found = format!("release {}", unknown.id);
                return Err(JsonError::new(JsonErrorKind::UnknownFormat { found }).within(".profile"));
            }
            None => {
                reason = Reason::Default;
                registry
            }
        };
        (dialects, tvm_json::load_any(text, within(dialects))?)
    };
    let unknown = unknown_types(&value);
    Ok(LoadedJson { node: root(value)?, release: dialects.release(), release_reason: reason, unknown })
}

/// Loads TVM's JSON. Nodes of unknown types are kept where any value may be.
fn load_tvm(text: &str, session: Session<'_>, version: &'static TvmJsonVersion) -> Result<Value, JsonError> {
    match tvm_json::load_version(text, session, version) {
        Err(error) if matches!(error.kind, JsonErrorKind::UnknownType { .. }) => {
            let kept = tvm_json::load_keeping(text, session, version, text);
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

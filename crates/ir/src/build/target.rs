//! Construction of targets from names or from the dictionaries that the printer writes.
//!
//! There is no registry of target kinds: a dictionary is complete, and a bare name gets the options that TVM 0.23 gives
//! it on a machine without devices.

use tvmscript_ir_core::operators::is_poison;
use tvmscript_ir_core::{Array, Map, Ref, Str, Value};
use tvmscript_irbuilder::{BuildError, BuildResult, Builder, FromScript, PyType, ScriptValue};

use super::AsWritten;
use crate::node::{Target, TargetKind};

/// A target argument: a node, a name, or a dictionary.
#[derive(Debug, Clone)]
pub struct TargetArg(pub Ref<Target>);

impl FromScript for TargetArg {
    const TYPE: PyType =
        PyType::Union { of: &[PyType::node::<Target>(), PyType::STR, PyType::Name("Mapping")] };
    fn from_script(value: ScriptValue) -> BuildResult<Self> {
        if let Some(target) = value.as_node::<Target>() {
            return Ok(TargetArg(target.clone()));
        }
        match value {
            ScriptValue::Str(text) => from_text(&text).map(TargetArg),
            ScriptValue::Dict(_) => {
                let map = Map::<Str, Value>::from_script(value)?;
                from_map(&map).map(TargetArg)
            }
            other => Err(BuildError::expected("a target's name or dictionary", other.type_name())),
        }
    }
    fn is_poison(&self) -> bool {
        is_poison(self.0.object())
    }
}

/// Defaults of a target kind: keys, and options if none are given.
struct Kind {
    name: &'static str,
    keys: &'static [&'static str],
    options: &'static [(&'static str, Setting)],
}

#[derive(Clone, Copy)]
enum Setting {
    Int(i64),
    Text(&'static str),
    Flag(bool),
}

use Setting::{Flag, Int, Text};

/// # Source
/// `Target(name).export()` of TVM 0.23.
const KINDS: &[Kind] = &[
    Kind { name: "llvm", keys: &["cpu"], options: &[("mtriple", Text(""))] },
    Kind { name: "c", keys: &["cpu"], options: &[] },
    Kind {
        name: "cuda",
        keys: &["cuda", "gpu"],
        options: &[("thread_warp_size", Int(32)), ("max_num_threads", Int(1024)), ("arch", Text("sm_50"))],
    },
    Kind {
        name: "rocm",
        keys: &["rocm", "gpu"],
        options: &[
            ("max_num_threads", Int(256)),
            ("max_threads_per_block", Int(256)),
            ("max_shared_memory_per_block", Int(65536)),
            ("thread_warp_size", Int(64)),
            ("mcpu", Text("gfx900")),
            ("mtriple", Text("amdgcn-amd-amdhsa-hcc")),
        ],
    },
    Kind {
        name: "opencl",
        keys: &["opencl", "gpu"],
        options: &[
            ("max_threads_per_block", Int(256)),
            ("max_shared_memory_per_block", Int(16384)),
            ("max_num_threads", Int(256)),
            ("thread_warp_size", Int(1)),
            ("texture_spatial_limit", Int(16384)),
            ("max_function_args", Int(128)),
            ("image_base_address_alignment", Int(64)),
        ],
    },
    Kind {
        name: "metal",
        keys: &["metal", "gpu"],
        options: &[
            ("max_num_threads", Int(256)),
            ("max_threads_per_block", Int(256)),
            ("max_shared_memory_per_block", Int(32768)),
            ("thread_warp_size", Int(16)),
            ("max_function_args", Int(31)),
        ],
    },
    Kind {
        name: "vulkan",
        keys: &["vulkan", "gpu"],
        options: &[
            ("supports_float32", Flag(true)),
            ("supports_int32", Flag(true)),
            ("max_num_threads", Int(256)),
            ("max_threads_per_block", Int(256)),
            ("thread_warp_size", Int(1)),
        ],
    },
    Kind { name: "webgpu", keys: &["webgpu", "gpu"], options: &[("max_num_threads", Int(256))] },
    Kind { name: "hexagon", keys: &["hexagon", "cpu"], options: &[] },
    Kind {
        name: "nvptx",
        keys: &["cuda", "gpu"],
        options: &[
            ("max_num_threads", Int(1024)),
            ("thread_warp_size", Int(32)),
            ("mcpu", Text("sm_50")),
            ("mtriple", Text("nvptx64-nvidia-cuda")),
        ],
    },
    Kind {
        name: "hip",
        keys: &["hip", "gpu"],
        options: &[
            ("max_num_threads", Int(256)),
            ("max_threads_per_block", Int(256)),
            ("max_shared_memory_per_block", Int(65536)),
            ("thread_warp_size", Int(64)),
            ("mcpu", Text("gfx900")),
            ("mtriple", Text("amdgcn-amd-amdhsa-hcc")),
        ],
    },
    Kind { name: "test", keys: &[], options: &[] },
    Kind { name: "ext_dev", keys: &[], options: &[] },
    Kind { name: "composite", keys: &[], options: &[] },
];

/// Options whose value is a comma-separated list.
const LISTS: [&str; 4] = ["keys", "mattr", "libs", "cl-opt"];

fn from_text(text: &str) -> BuildResult<Ref<Target>> {
    if let Some(config) = super::target_tags::config(text) {
        return from_map(&config);
    }
    let mut words = text.split_whitespace();
    let kind = words.next().unwrap_or_default();
    if !KINDS.iter().any(|k| k.name == kind) {
        let names: Vec<&str> = KINDS.iter().map(|k| k.name).collect();
        let error = BuildError::message(format!("unknown target `{kind}`"));
        let names = names.join(", ");
        return Err(error.with_help(format!(
            "known are {names}, and tags such as `nvidia/nvidia-a100`; others take a dictionary"
        )));
    }
    let mut entries = vec![(Str::new("kind"), Value::str(kind))];
    for word in words {
        let option = word.trim_start_matches('-');
        let (key, value) = option.split_once('=').unwrap_or((option, "1"));
        let value = match value.parse::<i64>() {
            _ if LISTS.contains(&key) => value.split(',').map(Str::from).collect::<Array<Str>>().into(),
            Ok(flag) if key.starts_with("supports_") => Value::Bool(flag != 0),
            Ok(number) => Value::Int(number),
            Err(_) => Value::str(value),
        };
        entries.push((Str::new(key), value));
    }
    from_map(&Map::new(entries))
}

/// Returns `true` for an Arm M-profile core known to TVM, written as in `m55+nofp`.
fn is_microcontroller(core: &str) -> bool {
    ["m0", "m3", "m4", "m7", "m33", "m35p", "m55", "m85"].iter().any(|known| core.starts_with(known))
}

/// The features of an Arm M-profile core; empty for other processors.
///
/// # Source
/// `GetFeatures` of `src/target/parsers/mprofile.cc`.
fn features_of(kind: &str, mcpu: Option<&Str>) -> Map<Str, Value> {
    let core = mcpu.and_then(|mcpu| mcpu.strip_prefix("cortex-")).filter(|core| is_microcontroller(core));
    let Some(core) = core.filter(|_| is_cpu(kind)) else { return Map::default() };
    let is_one_of = |cores: &[&str]| cores.iter().any(|known| core.starts_with(known));
    let has_dsp = is_one_of(&["m4", "m7", "m33", "m35p", "m55", "m85"]) && !core.contains("+nodsp");
    let has_mve = has_dsp && is_one_of(&["m55", "m85"]) && !core.contains("+nomve");
    Map::new(
        [("has_dsp", has_dsp), ("has_mve", has_mve)].map(|(name, has)| (Str::new(name), Value::Bool(has))),
    )
}

fn is_cpu(kind: &str) -> bool {
    matches!(kind, "llvm" | "c")
}

/// Returns `true` if TVM recognizes the processor as an Arm one.
///
/// # Source
/// `IsArch` of `src/target/parsers/mprofile.cc` and `aprofile.cc`.
fn is_arm(kind: &str, mcpu: Option<&Str>, mtriple: Option<Str>) -> bool {
    if !is_cpu(kind) {
        return false;
    }
    let core = mcpu.and_then(|mcpu| mcpu.strip_prefix("cortex-"));
    if core.is_some_and(is_microcontroller) {
        return true;
    }
    let is_m_profile = core.is_some_and(|core| core.starts_with('m'));
    mtriple.is_some_and(|triple| triple.starts_with("aarch64") || triple.starts_with("arm") && !is_m_profile)
}

/// The keys of a target: the given ones or the kind's, extended by those for Arm processors and the device.
fn keys_of(
    map: &Map<Str, Value>,
    is_arm: bool,
    device: Option<Str>,
    of_kind: &[&str],
) -> BuildResult<Array<Str>> {
    let given =
        map.get_str("keys").map(|keys| Vec::<Str>::from_script(ScriptValue::from(keys))).transpose()?;
    let has_own = given.is_some() || is_arm;
    let arm = if is_arm { &["arm_cpu", "cpu"][..] } else { &[] };
    let of_kind = if has_own { &[] } else { of_kind };
    let all = given.into_iter().flatten().chain(arm.iter().copied().map(Str::from));
    let all = all.chain(device).chain(of_kind.iter().copied().map(Str::from));
    let mut keys: Vec<Str> = Vec::new();
    all.for_each(|key| {
        if !keys.contains(&key) {
            keys.push(key);
        }
    });
    Ok(keys.into_iter().collect())
}

fn from_map(map: &Map<Str, Value>) -> BuildResult<Ref<Target>> {
    let text = |key: &str| map.get_str(key).and_then(Value::as_str).map(Str::from);
    let Some(kind) = text("kind") else {
        return Err(BuildError::message("a target's dictionary has no \"kind\""));
    };
    // A dictionary of an unknown kind is accepted as it is.
    let known = KINDS.iter().find(|k| k.name == kind.as_str());
    let (known_keys, known_options) = known.map_or((&[][..], &[][..]), |k| (k.keys, k.options));
    let is_set = |key: &str| map.get_str(key).is_some();
    let mcpu = text("mcpu");
    let keys = keys_of(map, is_arm(&kind, mcpu.as_ref(), text("mtriple")), text("device"), known_keys)?;
    let features = features_of(&kind, mcpu.as_ref());
    let host = match map.get_str("host") {
        None => None,
        Some(host) => Some(TargetArg::from_script(dict_of(host))?.0.into()),
    };
    let reserved = ["kind", "tag", "keys", "host", "features"];
    let is_complete = is_set("keys") && Builder::context::<AsWritten>().is_some();
    let mut attrs: Vec<(Str, Value)> = known_options
        .iter()
        .filter(|_| !is_complete)
        // A named processor needs no triple.
        .filter(|(key, _)| !(kind.as_str() == "llvm" && *key == "mtriple" && is_set("mcpu")))
        .map(|(key, setting)| {
            let value = match setting {
                Int(i) => Value::Int(*i),
                Text(s) => Value::str(s),
                Flag(b) => Value::Bool(*b),
            };
            (Str::new(*key), value)
        })
        .collect();
    for (key, value) in map.iter().filter(|(key, _)| !reserved.contains(&key.as_str())) {
        match attrs.iter_mut().find(|(k, _)| k == key) {
            Some(entry) => entry.1 = value.clone(),
            None => attrs.push((key.clone(), value.clone())),
        }
    }
    let kind = Ref::new(TargetKind { name: kind });
    let tag = text("tag").unwrap_or_else(|| Str::new(""));
    Ok(Ref::new(Target { kind, tag, keys, attrs: Map::new(attrs), features, host }))
}

/// Converts a map attribute back to a dictionary.
fn dict_of(value: &Value) -> ScriptValue {
    use tvmscript_ir_core::ObjectLike;
    use tvmscript_irbuilder::DictKey;
    match value.as_object().and_then(|o| Map::<Str, Value>::try_ref(o)) {
        Some(map) => {
            let entries = map.iter().map(|(k, v)| (DictKey::text(k.clone()), ScriptValue::from(v)));
            ScriptValue::dict(entries)
        }
        None => ScriptValue::from(value),
    }
}

/// Creates a target from its name or dictionary, with an optional host target.
///
/// # Errors
/// If the kind is unknown, or a field has the wrong type.
pub fn target(config: TargetArg, host: Option<TargetArg>) -> Ref<Target> {
    match host {
        None => config.0,
        Some(host) => {
            let mut target = config.0;
            target.make_mut().host = Some(host.0.into());
            target
        }
    }
}

//! `enum`: classes whose attributes are their only instances.
//!
//! The members are made after the body of the class has run. `_member_map_` has them by name, aliases included.

mod flags;
mod values;

use flags::{bits, flag_members, of_bits};
use values::{BY_VALUE, by_value};

use std::cell::RefCell;
use std::rc::Rc;

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};
use tvmscript_ir_core::Str;
use tvmscript_python_syntax::ast::{BinOp, Name};
use tvmscript_script_value::{CallArgs, Dict, DictKey, HostObject, Items, ScriptValue};

use super::descriptor::{Property, is_wrapper};
use super::natives::{self, Generated, not_implemented};
use super::special::find;
use super::{ClassObject, ClassParts, Instance, is_function, lookup};
use crate::Eval;
use crate::binding::Binding;
use crate::errors::{EvalErrorKind, HostError, HostErrorKind};
use crate::eval::exception;
use crate::eval::{Iter, IterObject, Raise};
use crate::python::builtins::{self, Table, own};
use crate::python::number::{Number, int};
use crate::python::{Outcome, compare, cost, format, repr};

/// `enum.auto()`
struct Auto;

impl HostObject for Auto {
    fn type_name(&self) -> &str {
        "auto"
    }
}

/// Functions of the module.
pub(super) static MODULE: Table = &[
    own("auto").zero(|_, _| Ok(ScriptValue::host(Auto))),
    own("unique").one(|p, _, class| {
        let Some(map) = member_map(&class) else { return Ok(class) };
        let mut aliases = Vec::new();
        for (key, member) in map.borrow().iter() {
            let name = field(member, "_name_");
            if let (Some(alias), Some(ScriptValue::Str(name))) = (key.0.as_str(), name)
                && alias != name.as_str()
            {
                aliases.push(format!("{alias} -> {name}"));
            }
        }
        if aliases.is_empty() {
            return Ok(class);
        }
        let text = repr::repr(p, &class)?;
        raise!(Value, "duplicate values found in {text}: {}", aliases.join(", "))
    }),
];

/// The class of this name in the module.
pub(super) fn class(p: &Eval<'_>, name: &str) -> Option<ScriptValue> {
    let builtin = |name: &str| builtins::class(name).into_iter().collect::<Vec<_>>();
    let text = |owner: &'static str, name| natives::member(owner, name).unwrap_or_default();
    Some(match name {
        "Enum" => p.native_class("enum", "Enum", &[], base_members()),
        "ReprEnum" => p.native_class("enum", "ReprEnum", &[class(p, "Enum")?], Vec::new()),
        "Flag" => p.native_class("enum", "Flag", &[class(p, "Enum")?], flag_members()),
        "IntEnum" | "IntFlag" => {
            let mut bases = builtin("int");
            bases.push(class(p, "ReprEnum")?);
            let members =
                vec![("__str__", text("int", "__repr__")), ("__format__", text("int", "__format__"))];
            match name {
                "IntEnum" => p.native_class("enum", "IntEnum", &bases, members),
                _ => {
                    bases.push(class(p, "Flag")?);
                    p.native_class("enum", "IntFlag", &bases, members)
                }
            }
        }
        "StrEnum" => {
            let mut bases = builtin("str");
            bases.push(class(p, "ReprEnum")?);
            let members =
                vec![("__str__", text("str", "__str__")), ("__format__", text("str", "__format__"))];
            p.native_class("enum", "StrEnum", &bases, members)
        }
        _ => return None,
    })
}

fn receiver(args: &CallArgs) -> ScriptValue {
    args.positional.first().cloned().unwrap_or_default()
}

fn field(member: &ScriptValue, name: &str) -> Option<ScriptValue> {
    member.as_host::<Instance>()?.own(name)
}

fn getter(name: &'static str, of: &'static str) -> (&'static str, ScriptValue) {
    let getter = Generated::value(name, move |_, args| match field(&receiver(&args), of) {
        Some(value) => Ok(value),
        None => Err(super::missing(&receiver(&args), name)),
    });
    let setter =
        Generated::value(name, move |_, _| raise!(Attribute, "<enum 'Enum'> cannot set attribute '{name}'"));
    (name, ScriptValue::host(Property::new(getter, setter, ScriptValue::None)))
}

/// `Color.RED`
fn qualified(p: &mut Eval<'_>, member: &ScriptValue) -> Result<String, Raise> {
    let class = crate::python::type_name(member);
    let name = match field(member, "_name_") {
        Some(ScriptValue::Str(name)) => name.to_string(),
        _ => {
            let value = field(member, "_value_").unwrap_or_default();
            return Ok(format!("{class}({})", repr::repr(p, &value)?));
        }
    };
    Ok(format!("{class}.{name}"))
}

fn base_members() -> Vec<(&'static str, ScriptValue)> {
    vec![
        getter("name", "_name_"),
        getter("value", "_value_"),
        (
            "__repr__",
            Generated::value("__repr__", |p, args| {
                let member = receiver(&args);
                let value = field(&member, "_value_").unwrap_or_default();
                let value = repr::repr(p, &value)?;
                let class = crate::python::type_name(&member);
                let text = match field(&member, "_name_") {
                    Some(ScriptValue::Str(name)) => format!("<{class}.{name}: {value}>"),
                    _ => format!("<{class}: {value}>"),
                };
                cost::text(p.state, &text)
            }),
        ),
        (
            "__str__",
            Generated::value("__str__", |p, args| {
                let text = qualified(p, &receiver(&args))?;
                cost::text(p.state, &text)
            }),
        ),
        (
            "__format__",
            Generated::value("__format__", |p, args| {
                let text = repr::str(p, &receiver(&args))?;
                let spec =
                    args.positional.get(1).and_then(ScriptValue::as_str).unwrap_or_default().to_owned();
                let text = format::format(p, &ScriptValue::str(&text), &spec)?;
                cost::text(p.state, &text)
            }),
        ),
    ]
}

const MAP: &str = "_member_map_";
const COMBINED: &str = "_combined_members_";

/// The members of an enumeration by name; `None` for other classes.
fn member_map(class: &ScriptValue) -> Option<Rc<RefCell<Dict>>> {
    match class.as_host::<ClassObject>()?.own(MAP)? {
        ScriptValue::Dict(map) => Some(map),
        _ => None,
    }
}

/// Tests whether a class derives from `enum.Enum`.
pub(crate) fn is_enumeration(class: &ScriptValue) -> bool {
    // A lookup that reaches an unknown base finds a placeholder.
    let is_marker = |found: &ScriptValue| super::as_placeholder(found).is_none();
    class.as_host::<ClassObject>().is_some()
        && lookup(class, "_is_enumeration_").as_ref().is_some_and(is_marker)
        || member_map(class).is_some()
}

/// The members without aliases; empty for other classes.
pub(crate) fn members(p: &mut Eval<'_>, class: &ScriptValue) -> Result<Vec<ScriptValue>, Raise> {
    let Some(map) = member_map(class) else { return Ok(Vec::new()) };
    let map = map.borrow();
    cost::values(p.state, map.len())?;
    let is_member = |key: &DictKey, member: &ScriptValue| matches!((field(member, "_name_"), &key.0), (Some(ScriptValue::Str(name)), ScriptValue::Str(key)) if name == *key);
    Ok(map.iter().filter(|(key, member)| is_member(key, member)).map(|(_, member)| member.clone()).collect())
}

/// The members that iteration over the class yields: of flags, those with a single bit.
pub(crate) fn iterated(p: &mut Eval<'_>, class: &ScriptValue) -> Result<Option<Vec<ScriptValue>>, Raise> {
    if member_map(class).is_none() {
        return Ok(None);
    }
    let mut all = members(p, class)?;
    if is_flag(p, class) {
        all.retain(|member| bits(member).is_some_and(|bits| bits.magnitude().count_ones() == 1));
    }
    Ok(Some(all))
}

fn is_flag(p: &mut Eval<'_>, of: &ScriptValue) -> bool {
    class(p, "Flag").is_some_and(|flag| super::is_subclass(of, &flag))
}

/// The member of this name, for `Color["RED"]`; `None` if the class is not an enumeration.
pub(crate) fn by_name(class: &ScriptValue, name: &ScriptValue) -> Option<Outcome> {
    let map = member_map(class)?;
    let found = name.as_str().and_then(|name| map.borrow().get(&DictKey::text(name)).cloned());
    Some(found.ok_or_else(|| exception::key_error(name.clone())))
}

/// `__members__`
pub(crate) fn mapping(class: &ScriptValue) -> Option<ScriptValue> {
    let map = member_map(class)?;
    let members = map.borrow().clone();
    Some(ScriptValue::Dict(Rc::new(RefCell::new(members))))
}

/// `value in Color`
pub(crate) fn contains(p: &mut Eval<'_>, class: &ScriptValue, value: &ScriptValue) -> Result<bool, Raise> {
    if let Some(instance) = value.as_host::<Instance>()
        && is_enumeration(&instance.class)
    {
        return Ok(compare::identical(&instance.class, class));
    }
    let _ = p;
    Err(wrong_type!("unsupported operand type(s) for 'in': '{}' and 'EnumType'", value).into())
}

/// Calls an enumeration: `Color(1)`, or `Enum("Color", "RED GREEN")`.
pub(super) fn call(p: &mut Eval<'_>, class: &ScriptValue, mut args: CallArgs) -> Outcome {
    let has_members = member_map(class).is_some_and(|map| !map.borrow().is_empty());
    if !has_members && (args.positional.len() > 1 || !args.keywords.is_empty()) {
        return functional(p, class, args);
    }
    let keyword = args.take_keyword("value");
    let value = match args.positional.into_vec().as_slice() {
        [value] => value.clone(),
        [] => match keyword {
            Some(value) => value,
            None => raise!(Type, "EnumType.__call__() missing 1 required positional argument: 'value'"),
        },
        more => ScriptValue::tuple(more.iter().cloned()),
    };
    if let Some(instance) = value.as_host::<Instance>()
        && compare::identical(&instance.class, class)
    {
        return Ok(value);
    }
    if let Some(member) = by_value(p, class, &value)? {
        return Ok(member);
    }
    if let Some(missing) = lookup(class, "_missing_") {
        let missing = p.bind_member(missing, None, class, "_missing_")?;
        let found = p.call_value(&missing, CallArgs::positional([value.clone()]))?;
        match &found {
            ScriptValue::None => {}
            found if p.class_of(found).is_some_and(|own| compare::identical(&own, class)) => {
                return Ok(found.clone());
            }
            other => {
                let name = crate::python::type_name(class);
                let _ = name;
                let text = repr::repr(p, other)?;
                let class = class.as_host::<ClassObject>().map_or_else(String::new, |c| c.name.to_string());
                raise!(Type, "error in {class}._missing_: returned {text} instead of None or a valid member");
            }
        }
    }
    if is_flag(p, class)
        && let Some(bits) = Number::of(&value).and_then(|number| number.to_big())
    {
        return of_bits(p, class, bits.into_owned());
    }
    let text = repr::repr(p, &value)?;
    let name = class.as_host::<ClassObject>().map_or_else(String::new, |c| c.qualified_name().to_string());
    raise!(Value, "{text} is not a valid {name}")
}

/// `Enum("Color", "RED GREEN")`
fn functional(p: &mut Eval<'_>, base: &ScriptValue, mut args: CallArgs) -> Outcome {
    let start = args.take_keyword("start").unwrap_or(ScriptValue::Int(1));
    let names = args.take_keyword("names");
    let given = args.positional.into_vec();
    let (Some(ScriptValue::Str(name)), Some(names)) = (given.first(), given.get(1).cloned().or(names)) else {
        raise!(Type, "an enumeration is made from a name and the names of its members");
    };
    let mut members = Dict::new();
    members.insert(DictKey::text("__module__"), ScriptValue::str("__main__"));
    members.insert(DictKey::text("__qualname__"), ScriptValue::Str(name.clone()));
    members.insert(DictKey::text("__doc__"), ScriptValue::None);
    let items: Vec<ScriptValue> = match (names.as_str(), &names) {
        (Some(text), _) => {
            cost::text_bytes(p.state, text.len())?;
            text.replace(',', " ").split_whitespace().map(ScriptValue::str).collect()
        }
        (None, ScriptValue::Dict(dict)) => dict
            .borrow()
            .iter()
            .map(|(key, value)| ScriptValue::tuple([key.0.clone(), value.clone()]))
            .collect(),
        (None, names) => p.collect_values(names)?,
    };
    let generate = lookup(base, GENERATE);
    let mut before: Vec<ScriptValue> = Vec::new();
    for item in items {
        let (name, value) = match item.items().as_deref() {
            Some([name, value]) => (name.clone(), value.clone()),
            _ => {
                let name = Str::new(item.as_str().unwrap_or_default());
                let bases = std::slice::from_ref(base);
                let value = next_value(p, bases, generate.clone(), &name, &before, &start)?;
                (item, value)
            }
        };
        cost::entries(p.state, 2)?;
        before.push(value.clone());
        members.insert(p.hashable(name)?, value);
    }
    p.make_class(ClassParts {
        name: name.clone(),
        place: p.state.statement.unwrap_or_default(),
        bases: vec![base.clone()],
        members,
        annotations: Vec::new(),
        keywords: CallArgs::default(),
        compares: false,
        metaclass: None,
        env: None,
    })
}

/// The property of a base class with the name of a member.
pub(super) fn hidden_property(class: &ScriptValue, name: &str) -> Option<ScriptValue> {
    let map = member_map(class)?;
    if !map.borrow().contains_key(&DictKey::text(name)) {
        return None;
    }
    let bases = super::mro_of(class).into_iter().skip(1);
    let found = bases.filter_map(|base| base.as_host::<ClassObject>()?.own(name)).next()?;
    found.plain().as_host::<Property>().is_some().then_some(found)
}

/// Names with an underscore at both ends that are not evaluated.
const UNSUPPORTED_NAMES: &[(&str, &str)] =
    &[("_ignore_", "`_ignore_` of an enumeration"), ("_order_", "`_order_` of an enumeration")];

/// Names with an underscore at both ends that a class body may bind.
const SPECIAL_NAMES: &[&str] = &["_generate_next_value_", "_missing_"];

/// Checks the names that a class body binds.
fn check_names(members: &Dict) -> Result<(), Raise> {
    for (key, value) in members.iter() {
        let Some(name) = key.0.as_str() else { continue };
        if let Some((_, what)) = UNSUPPORTED_NAMES.iter().find(|(known, _)| *known == name) {
            return Err(EvalErrorKind::UnsupportedExpression { what }.into());
        }
        let inner = name.strip_prefix('_').and_then(|name| name.strip_suffix('_')).unwrap_or_default();
        let is_special = !inner.is_empty() && !inner.starts_with('_') && !inner.ends_with('_');
        if is_special && !SPECIAL_NAMES.contains(&name) {
            raise!(Value, "_sunder_ names, such as '{name}', are reserved for future Enum use");
        }
        if matches!(name, "mro" | "") && is_declaration(name, value) {
            raise!(Value, "invalid enum member name(s) '{name}'");
        }
    }
    Ok(())
}

/// Tests whether a class body declares a member by binding this name.
fn is_declaration(name: &str, value: &ScriptValue) -> bool {
    let is_special = name.starts_with('_') && name.ends_with('_');
    let is_private = name.starts_with('_') && name.contains("__");
    let is_descriptor = is_function(value) || is_wrapper(value) || super::is_class(value);
    !is_special && !is_private && !is_descriptor
}

impl Eval<'_> {
    /// The value of a name in the running body of an enumeration: `auto()` becomes the next value.
    pub(crate) fn enumeration_value(&mut self, name: Name, value: ScriptValue) -> Outcome {
        let Some(env) = self.state.env.clone().filter(|env| self.state.is_local() && env.is_enumeration())
        else {
            return Ok(value);
        };
        let text = self.state.name_str(name);
        if !is_declaration(text.as_str(), &value) {
            return Ok(value);
        }
        let before = env.member_values();
        let own = self.state.ast.find_name(GENERATE).and_then(|name| env.own(name));
        let generate = match own {
            Some(Binding::Value(function)) => Some(function),
            _ => env.enumeration_bases().iter().find_map(|base| lookup(base, GENERATE)),
        };
        let value = automatic(self, &env.enumeration_bases(), generate, &text, value, &before)?;
        env.add_member_value(value.clone());
        Ok(value)
    }
}

const GENERATE: &str = "_generate_next_value_";

/// The members that a class body declares, taken out of its namespace: names with their values.
pub(super) fn declared(members: &mut Dict) -> Result<Vec<(Str, ScriptValue)>, Raise> {
    check_names(members)?;
    let found: Vec<(Str, ScriptValue)> = members
        .iter()
        .filter(|(key, value)| key.0.as_str().is_some_and(|name| is_declaration(name, value)))
        .filter_map(|(key, value)| Some((Str::new(key.0.as_str()?), value.clone())))
        .collect();
    members.retain(|key, value| !key.0.as_str().is_some_and(|name| is_declaration(name, value)));
    Ok(found)
}

/// Makes the members of a new enumeration.
pub(super) fn complete(
    p: &mut Eval<'_>,
    class: &ScriptValue,
    declared: Vec<(Str, ScriptValue)>,
) -> Result<(), Raise> {
    let Some(object) = class.as_host::<ClassObject>() else { return Ok(()) };
    inherit_text(p, object);
    for base in &object.bases {
        if member_map(base).is_some_and(|map| !map.borrow().is_empty()) {
            let name = base.as_host::<ClassObject>().map_or_else(String::new, |base| base.name.to_string());
            raise!(Type, "<enum '{}'> cannot extend <enum '{name}'>", object.name);
        }
    }
    let map = ScriptValue::dict([]);
    object.set(MAP, map.clone());
    object.set(COMBINED, ScriptValue::dict([]));
    object.set("_is_enumeration_", ScriptValue::Bool(true));
    let ScriptValue::Dict(map) = map else { return Ok(()) };
    let by_values = Rc::new(RefCell::new(Dict::new()));
    object.set(BY_VALUE, ScriptValue::Dict(by_values.clone()));
    let mut values: Vec<ScriptValue> = Vec::new();
    for (name, value) in declared {
        let generate = lookup(class, GENERATE);
        let value = automatic(p, std::slice::from_ref(class), generate, &name, value, &values)?;
        let member = new_member(p, class, &name, value)?;
        let own = field(&member, "_value_").unwrap_or_default();
        values.push(own.clone());
        let alias = by_value(p, class, &own)?;
        cost::entries(p.state, 2)?;
        p.state.program.keep_container(&ScriptValue::Dict(map.clone()), &member)?;
        let member = match alias {
            Some(alias) => alias,
            None => {
                if let Ok(key) = p.attempt(|p| p.hashable(own))? {
                    p.state.program.keep_container(&ScriptValue::Dict(by_values.clone()), &member)?;
                    by_values.borrow_mut().insert(key, member.clone());
                }
                member
            }
        };
        map.borrow_mut().insert(DictKey::text(name.clone()), member.clone());
        object.set(name.as_str(), member);
    }
    describe(p, class, object)
}

/// Chooses `__str__` and `__format__` of an enumeration with a data type: directly below `ReprEnum` those of the type; with
/// `__str__` of its own, the format is that of its text.
fn inherit_text(p: &mut Eval<'_>, object: &ClassObject) {
    let Some(layout) = object.layout else { return };
    let repr_enum = class(p, "ReprEnum").unwrap_or_default();
    let base = class(p, "Enum").unwrap_or_default();
    let is_direct = object.bases.iter().any(|base| compare::identical(base, &repr_enum));
    let (has_str, has_format) = (object.own("__str__").is_some(), object.own("__format__").is_some());
    if is_direct && object.own("_is_enumeration_").is_none() {
        let text = |name: &str| natives::member(layout, name).unwrap_or_default();
        if !has_format {
            object.set("__format__", text("__format__"));
        }
        if !has_str {
            object.set("__str__", text(if layout == "str" { "__str__" } else { "__repr__" }));
        }
    } else if has_str
        && !has_format
        && let Some(format) = base.as_host::<ClassObject>().and_then(|base| base.own("__format__"))
    {
        object.set("__format__", format);
    }
}

/// Sets the private attributes that describe an enumeration.
fn describe(p: &mut Eval<'_>, class: &ScriptValue, object: &ClassObject) -> Result<(), Raise> {
    let all = members(p, class)?;
    cost::values(p.state, all.len())?;
    let names = all.iter().filter_map(|member| field(member, "_name_")).collect();
    object.set("_member_names_", ScriptValue::list(names));
    let layout = object.layout.unwrap_or("object");
    object.set("_value_repr_", natives::member(layout, "__repr__").unwrap_or_default());
    object.set("_new_member_", natives::member(layout, "__new__").unwrap_or_default());
    object.set("_member_type_", builtins::class(object.layout.unwrap_or("object")).unwrap_or_default());
    Ok(())
}

/// Replaces `auto()` by the next value, also in a tuple.
fn automatic(
    p: &mut Eval<'_>,
    bases: &[ScriptValue],
    generate: Option<ScriptValue>,
    name: &Str,
    value: ScriptValue,
    before: &[ScriptValue],
) -> Outcome {
    let is_auto = |value: &ScriptValue| value.as_host::<Auto>().is_some();
    match &value {
        ScriptValue::Tuple(items) if items.iter().any(is_auto) => {
            let next = next_value(p, bases, generate, name, before, &ScriptValue::Int(1))?;
            let items: Items =
                items.iter().map(|item| if is_auto(item) { next.clone() } else { item.clone() }).collect();
            Ok(ScriptValue::Tuple(Rc::new(items)))
        }
        value if is_auto(value) => next_value(p, bases, generate, name, before, &ScriptValue::Int(1)),
        _ => Ok(value),
    }
}

fn next_value(
    p: &mut Eval<'_>,
    bases: &[ScriptValue],
    generate: Option<ScriptValue>,
    name: &Str,
    before: &[ScriptValue],
    start: &ScriptValue,
) -> Outcome {
    if let Some(generate) = generate {
        let generate = match super::descriptor::unwrapped(&generate) {
            Some(function) => function.clone(),
            None => generate,
        };
        let count = ScriptValue::Int(before.len() as i64);
        cost::values(p.state, before.len())?;
        let last = ScriptValue::list(before.to_vec());
        let args = [ScriptValue::Str(name.clone()), start.clone(), count, last];
        return p.call_value(&generate, CallArgs::positional(args));
    }
    if bases.iter().any(|class| class_is(p, class, "StrEnum")) {
        return Ok(ScriptValue::str(&name.as_str().to_lowercase()));
    }
    p.state.program.budget.step(before.len() as u64 / 16)?;
    let small = |value: &ScriptValue| if let ScriptValue::Int(value) = value { Some(*value) } else { None };
    let highest_small = before.iter().filter_map(small).max().map(ScriptValue::Int);
    let others = before.iter().filter(|value| small(value).is_none()).chain(&highest_small);
    let numbers = others.filter_map(|value| Number::of(value)?.to_big()).max();
    let Some(highest) = numbers else { return Ok(start.clone()) };
    Ok(match bases.iter().any(|class| is_flag(p, class)) {
        true => int(BigInt::one() << highest.bits()),
        false => int(highest.into_owned() + 1),
    })
}

fn new_member(p: &mut Eval<'_>, class: &ScriptValue, name: &Str, value: ScriptValue) -> Outcome {
    let Some(object) = class.as_host::<ClassObject>() else { return Ok(ScriptValue::None) };
    let args = match &value {
        ScriptValue::Tuple(items) => items.to_vec(),
        _ => vec![value.clone()],
    };
    let new = find(class, "__new__");
    let member = match (&new, object.layout) {
        (Some(new), _) => {
            let new = super::descriptor::unwrapped(new).unwrap_or(new).clone();
            let with_class = [class.clone()].into_iter().chain(args.iter().cloned());
            p.call_value(&new, CallArgs::positional(with_class))?
        }
        (None, Some(layout)) => {
            if layout == "str" && class_is(p, class, "StrEnum") {
                for value in &args {
                    if value.as_str().is_none() {
                        let text = repr::repr(p, value)?;
                        raise!(Type, "{text} is not a string");
                    }
                }
            }
            let builtin = builtins::class(layout).unwrap_or_default();
            let payload = p.call_value(&builtin, CallArgs::positional(args.iter().cloned()))?;
            ScriptValue::host(Instance::new(class.clone(), Some(payload)))
        }
        (None, None) => ScriptValue::host(Instance::new(class.clone(), None)),
    };
    let Some(instance) = member.as_host::<Instance>() else { return Ok(member) };
    p.state.program.budget.allocate(4 * cost::OBJECT_BYTES)?;
    if instance.own("_value_").is_none() {
        let value = match (new.is_some(), object.layout) {
            (false, Some("tuple")) | (_, None) => value,
            _ => member.plain().clone(),
        };
        p.set_field(instance, "_value_", value)?;
    }
    p.set_field(instance, "_name_", ScriptValue::Str(name.clone()))?;
    if let Some(init) = find(class, "__init__") {
        let init = p.bind_member(init, Some(&member), class, "__init__")?;
        p.call_value(&init, CallArgs::positional(args))?;
    }
    Ok(member)
}

fn class_is(p: &mut Eval<'_>, of: &ScriptValue, name: &str) -> bool {
    class(p, name).is_some_and(|class| super::is_subclass(of, &class))
}

/// The `repr` of an enumeration; `None` for other classes.
pub(crate) fn class_repr(p: &mut Eval<'_>, class: &ScriptValue) -> Option<String> {
    member_map(class)?;
    let name = class.as_host::<ClassObject>()?.name.clone();
    let kind = if is_flag(p, class) { "flag" } else { "enum" };
    Some(format!("<{kind} '{name}'>"))
}

/// The error for assigning to a member; `None` for other attributes.
pub(super) fn reassigned(class: &ScriptValue, name: &str) -> Option<HostError> {
    let map = member_map(class)?;
    let is_member = map.borrow().contains_key(&DictKey::text(name));
    let message = format!("cannot reassign member '{name}'");
    is_member.then(|| HostError::new(HostErrorKind::Attribute, message))
}

//! `dataclasses`: fields that a class body annotates, and the methods generated from them.

mod copies;

use copies::{As, copied, replace};

use std::cell::RefCell;
use std::rc::Rc;

use tvmscript_ir_core::{Str, with_stack};
use tvmscript_python_syntax::ast::CmpOp;
use tvmscript_script_value::{CallArgs, Dict, DictKey, Hashing, HostObject, ScriptValue, release};

use super::binding::{Param, bind};
use super::natives::{Generated, not_implemented};
use super::{Annotation, ClassObject, Instance, lookup, mro_of};
use crate::Eval;
use crate::errors::HostError;
use crate::eval::Raise;
use crate::eval::exception::ExceptionState;
use crate::python::builtins::{self, Table, own};
use crate::python::{Outcome, compare, cost, repr, set};

/// Kind of a field, as its annotation says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FieldKind {
    Plain,
    /// `InitVar[..]`: passed to `__post_init__` and not stored.
    Init,
    /// `ClassVar[..]`
    Class,
}

/// A field of a dataclass, or the result of `field()`.
#[derive(Clone)]
struct Field {
    name: Str,
    annotation: ScriptValue,
    default: Option<ScriptValue>,
    factory: Option<ScriptValue>,
    init: bool,
    repr: bool,
    compare: bool,
    hash: Option<bool>,
    is_keyword_only: Option<bool>,
    metadata: ScriptValue,
    kind: FieldKind,
}

impl Field {
    fn new() -> Field {
        Field {
            name: Str::new(""),
            annotation: ScriptValue::None,
            default: None,
            factory: None,
            init: true,
            repr: true,
            compare: true,
            hash: None,
            is_keyword_only: None,
            metadata: ScriptValue::dict([]),
            kind: FieldKind::Plain,
        }
    }

    fn has_default(&self) -> bool {
        self.default.is_some() || self.factory.is_some()
    }

    fn is_keyword_only(&self) -> bool {
        self.is_keyword_only == Some(true)
    }
}

impl Drop for Field {
    fn drop(&mut self) {
        let parts = [self.default.take(), self.factory.take()].into_iter().flatten();
        release(parts.chain([&mut self.annotation, &mut self.metadata].map(std::mem::take)));
    }
}

/// A field as a value.
struct FieldObject(Field);

impl HostObject for FieldObject {
    fn type_name(&self) -> &str {
        "Field"
    }
    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        let field = &self.0;
        Some(match name {
            "name" => ScriptValue::Str(field.name.clone()),
            "type" => field.annotation.clone(),
            "default" => field.default.clone().unwrap_or_else(missing),
            "default_factory" => field.factory.clone().unwrap_or_else(missing),
            "init" => ScriptValue::Bool(field.init),
            "repr" => ScriptValue::Bool(field.repr),
            "compare" => ScriptValue::Bool(field.compare),
            "hash" => field.hash.map_or(ScriptValue::None, ScriptValue::Bool),
            "kw_only" => ScriptValue::Bool(field.is_keyword_only()),
            "metadata" => field.metadata.clone(),
            _ => return None,
        })
    }
}

/// `dataclasses.MISSING` or `dataclasses.KW_ONLY`.
struct Sentinel(&'static str);

impl HostObject for Sentinel {
    fn type_name(&self) -> &str {
        self.0
    }
    fn hashing(&self) -> Hashing {
        Hashing::Value { hash: self.0.len() as u64, weight: 1 }
    }
    fn same_key(&self, other: &dyn HostObject) -> bool {
        other.as_any().downcast_ref::<Sentinel>().is_some_and(|other| other.0 == self.0)
    }
}

fn missing() -> ScriptValue {
    ScriptValue::host(Sentinel("MISSING"))
}

pub(super) fn sentinel(name: &str) -> Option<ScriptValue> {
    let name = ["MISSING", "KW_ONLY", "InitVar"].into_iter().find(|known| *known == name)?;
    Some(ScriptValue::host(Sentinel(name)))
}

/// Tests whether both are the same constant of this module.
pub(crate) fn same_sentinel(a: &ScriptValue, b: &ScriptValue) -> bool {
    matches!((a.as_host::<Sentinel>(), b.as_host::<Sentinel>()), (Some(a), Some(b)) if a.0 == b.0)
}

/// Members of the module.
pub(super) static MODULE: Table = &[
    own("dataclass").any(dataclass),
    own("field").any(field),
    own("fields").one(|p, _, of| Ok(ScriptValue::tuple(stored_fields(p, &of)?.into_iter().map(value_of)))),
    own("is_dataclass").one(|_, _, of| Ok(ScriptValue::Bool(is_dataclass(&of)))),
    own("asdict").one(|p, _, instance| converted(p, "asdict", &instance, As::Dict)).with_keywords(&["obj"]),
    own("astuple")
        .one(|p, _, instance| converted(p, "astuple", &instance, As::Tuple))
        .with_keywords(&["obj"]),
    own("replace").any(replace),
];

fn converted(p: &mut Eval<'_>, function: &str, instance: &ScriptValue, form: As) -> Outcome {
    if instance.as_host::<Instance>().is_none() || !is_dataclass(instance) {
        raise!(Type, "{function}() should be called on dataclass instances");
    }
    copied(p, instance, form)
}

fn value_of(field: Field) -> ScriptValue {
    ScriptValue::host(FieldObject(field))
}

fn is_dataclass(of: &ScriptValue) -> bool {
    let class = of.as_host::<Instance>().map_or(of, |instance| &instance.class);
    class.as_host::<ClassObject>().is_some() && lookup(class, FIELDS).is_some()
}

const FIELDS: &str = "__dataclass_fields__";

/// All fields of a dataclass or instance, also those that are not stored.
fn all_fields(class: &ScriptValue) -> Option<Vec<Field>> {
    let ScriptValue::Dict(fields) = lookup(class, FIELDS)? else { return None };
    let fields = fields.borrow();
    Some(fields.values().filter_map(|field| Some(field.as_host::<FieldObject>()?.0.clone())).collect())
}

/// The fields that instances store.
fn stored_fields(p: &mut Eval<'_>, of: &ScriptValue) -> Result<Vec<Field>, Raise> {
    let class = of.as_host::<Instance>().map_or(of, |instance| &instance.class);
    match class.as_host::<ClassObject>().and_then(|_| all_fields(class)) {
        Some(fields) => {
            cost::values(p.state, fields.len())?;
            Ok(fields.into_iter().filter(|field| field.kind == FieldKind::Plain).collect())
        }
        None => raise!(Type, "must be called with a dataclass type or instance"),
    }
}

/// `field(..)`
fn field(p: &mut Eval<'_>, _: &ScriptValue, args: CallArgs) -> Outcome {
    if !args.positional.is_empty() {
        raise!(
            Type,
            "field() takes 0 positional arguments but {} {} given",
            args.positional.len(),
            if args.positional.len() == 1 { "was" } else { "were" }
        );
    }
    let mut field = Field::new();
    for (key, value) in args.keywords {
        if value.as_host::<Sentinel>().is_some() {
            continue;
        }
        match key.as_str() {
            "default" => field.default = Some(value),
            "default_factory" => field.factory = Some(value),
            "init" => field.init = p.truth(&value)?,
            "repr" => field.repr = p.truth(&value)?,
            "compare" => field.compare = p.truth(&value)?,
            "kw_only" => field.is_keyword_only = Some(p.truth(&value)?),
            "hash" => {
                field.hash = match value {
                    ScriptValue::None => None,
                    value => Some(p.truth(&value)?),
                }
            }
            "metadata" => {
                if !matches!(value, ScriptValue::None) {
                    field.metadata = value;
                }
            }
            _ => raise!(Type, "field() got an unexpected keyword argument '{key}'"),
        }
    }
    if field.default.is_some() && field.factory.is_some() {
        raise!(Value, "cannot specify both default and default_factory");
    }
    Ok(value_of(field))
}

/// The options of `dataclass`.
#[derive(Debug, Clone, Copy)]
struct Options {
    init: bool,
    repr: bool,
    eq: bool,
    order: bool,
    unsafe_hash: bool,
    frozen: bool,
    match_args: bool,
    kw_only: bool,
}

const DEFAULTS: Options = Options {
    init: true,
    repr: true,
    eq: true,
    order: false,
    unsafe_hash: false,
    frozen: false,
    match_args: true,
    kw_only: false,
};

fn options(p: &mut Eval<'_>, function: &str, args: &mut CallArgs) -> Result<Options, Raise> {
    let mut options = DEFAULTS;
    for (key, value) in std::mem::take(&mut args.keywords) {
        let truth = p.truth(&value)?;
        match key.as_str() {
            "init" => options.init = truth,
            "repr" => options.repr = truth,
            "eq" => options.eq = truth,
            "order" => options.order = truth,
            "unsafe_hash" => options.unsafe_hash = truth,
            "frozen" => options.frozen = truth,
            "match_args" => options.match_args = truth,
            "kw_only" => options.kw_only = truth,
            // Instances have no other storage for attributes here.
            "slots" | "weakref_slot" => {}
            _ => raise!(Type, "{function}() got an unexpected keyword argument '{key}'"),
        }
    }
    Ok(options)
}

/// `@dataclass`, `@dataclass(..)`
fn dataclass(p: &mut Eval<'_>, _: &ScriptValue, mut args: CallArgs) -> Outcome {
    let options = options(p, "dataclass", &mut args)?;
    match args.positional.into_vec().as_slice() {
        [] | [ScriptValue::None] => {
            Ok(Generated::value("wrap", move |p, args| match args.positional.first() {
                Some(class) => process(p, class, options),
                None => raise!(Type, "wrap() missing 1 required positional argument: 'cls'"),
            }))
        }
        [class] => process(p, class, options),
        more => {
            raise!(Type, "dataclass() takes from 0 to 1 positional arguments but {} were given", more.len())
        }
    }
}

/// Tests whether an annotation names a type of a module, bare or subscripted.
fn names(annotation: &str, name: &str) -> bool {
    let head = annotation.split('[').next().unwrap_or_default().trim_matches(['"', '\'', ' ']);
    head.rsplit('.').next() == Some(name)
}

/// Makes a class a dataclass.
fn process(p: &mut Eval<'_>, class: &ScriptValue, options: Options) -> Outcome {
    let Some(object) = class.as_host::<ClassObject>() else {
        return Err(wrong_type!("dataclass() should be called on a class, not '{}'", class).into());
    };
    let mut fields: Vec<Field> = Vec::new();
    let mut any_frozen_base = None;
    for base in mro_of(class).iter().skip(1).rev() {
        let Some(base) = base.as_host::<ClassObject>() else { continue };
        let Some(ScriptValue::Dict(inherited)) = base.own(FIELDS) else { continue };
        for field in inherited.borrow().values().filter_map(|field| field.as_host::<FieldObject>()) {
            insert(&mut fields, field.0.clone());
        }
        let frozen = matches!(base.own("__dataclass_frozen__"), Some(ScriptValue::Bool(true)));
        any_frozen_base = Some(any_frozen_base.unwrap_or(false) | frozen);
        if frozen != options.frozen {
            match frozen {
                true => raise!(Type, "cannot inherit non-frozen dataclass from a frozen one"),
                false => raise!(Type, "cannot inherit frozen dataclass from a non-frozen one"),
            }
        }
    }
    let mut is_keyword_only = options.kw_only;
    for Annotation { name, text, value } in &object.annotations {
        if names(text.as_str(), "KW_ONLY") {
            is_keyword_only = true;
            continue;
        }
        let given = object.own(name.as_str());
        let mut field = match given.as_ref().map(|given| given.as_host::<FieldObject>()) {
            Some(Some(field)) => field.0.clone(),
            Some(None) => with_default(given.clone()),
            None => Field::new(),
        };
        field.name = name.clone();
        field.annotation = value.clone();
        field.kind = match text.as_str() {
            text if names(text, "ClassVar") => FieldKind::Class,
            text if names(text, "InitVar") => FieldKind::Init,
            _ => FieldKind::Plain,
        };
        if field.kind != FieldKind::Plain && field.factory.is_some() {
            raise!(Type, "field {name} cannot have a default factory");
        }
        if field.kind != FieldKind::Class {
            field.is_keyword_only = Some(field.is_keyword_only.unwrap_or(is_keyword_only));
        }
        if field.kind == FieldKind::Plain
            && let Some(default) = field.default.clone()
            && is_unhashable(p, &default)?
        {
            let kind = p.class_of(&default).unwrap_or_default();
            let kind = repr::repr(p, &kind)?;
            raise!(Value, "mutable default {kind} for field {name} is not allowed: use default_factory");
        }
        // The attribute of the class is the default, if there is one.
        match (&field.default, &given) {
            (Some(default), _) => object.set(name.as_str(), default.clone()),
            (None, Some(_)) => {
                p.delete_attribute(class, name.as_str())?;
            }
            (None, None) => {}
        }
        insert(&mut fields, field);
    }
    let unannotated = object.namespace.borrow().iter().find_map(|(key, value)| {
        let is_stray = value.as_host::<FieldObject>().is_some();
        is_stray.then(|| key.0.as_str().unwrap_or_default().to_owned())
    });
    if let Some(name) = unannotated {
        raise!(Type, "'{name}' is a field but has no type annotation");
    }
    generate(p, class, object, fields, options)?;
    Ok(class.clone())
}

fn with_default(default: Option<ScriptValue>) -> Field {
    let mut field = Field::new();
    field.default = default;
    field
}

/// Adds a field, or replaces the inherited one in its place.
fn insert(fields: &mut Vec<Field>, field: Field) {
    match fields.iter_mut().find(|known| known.name == field.name) {
        Some(known) => *known = field,
        None => fields.push(field),
    }
}

fn is_unhashable(p: &mut Eval<'_>, value: &ScriptValue) -> Result<bool, Raise> {
    Ok(match value {
        ScriptValue::List(_) | ScriptValue::Dict(_) => true,
        ScriptValue::Host(_) => match value.as_host::<Instance>() {
            Some(instance) => matches!(lookup(&instance.class, "__hash__"), Some(ScriptValue::None)),
            None => {
                let _ = p;
                value.as_host::<set::Set>().is_some_and(|set| !set.frozen)
            }
        },
        _ => false,
    })
}

/// Adds the generated methods.
fn generate(
    p: &mut Eval<'_>,
    class: &ScriptValue,
    object: &ClassObject,
    fields: Vec<Field>,
    options: Options,
) -> Result<(), Raise> {
    cost::entries(p.state, fields.len() + 12)?;
    let entries = fields.iter().map(|field| (DictKey::text(field.name.clone()), value_of(field.clone())));
    object.set(FIELDS, ScriptValue::dict(entries.collect::<Vec<_>>()));
    object.set("__dataclass_frozen__", ScriptValue::Bool(options.frozen));
    let fields: Rc<[Field]> = fields.into();
    let add = |name: &str, function: ScriptValue| {
        let is_new = object.own(name).is_none();
        if is_new {
            object.set(name, function);
        }
        is_new
    };
    let has_own_eq = object.own("__eq__").is_some();
    let qualified = object.qualified_name();
    if options.init {
        check_order(&fields)?;
        add("__init__", init(fields.clone(), &format!("{qualified}.__init__"), options.frozen));
    }
    if options.repr {
        let fields = fields.clone();
        add("__repr__", Generated::value("__repr__", move |p, args| record_repr(p, &fields, &args)));
    }
    let compared: Rc<[Str]> = fields
        .iter()
        .filter(|field| field.compare && field.kind == FieldKind::Plain)
        .map(|field| field.name.clone())
        .collect();
    if options.eq {
        let names = compared.clone();
        add("__eq__", Generated::value("__eq__", move |p, args| record_compare(p, &names, &args, CmpOp::Eq)));
    }
    if options.order {
        if !options.eq {
            raise!(Value, "eq must be true if order is true");
        }
        let methods =
            [("__lt__", CmpOp::Lt), ("__le__", CmpOp::LtE), ("__gt__", CmpOp::Gt), ("__ge__", CmpOp::GtE)];
        for (name, op) in methods {
            let names = compared.clone();
            let function = Generated::value(name, move |p, args| record_compare(p, &names, &args, op));
            if !add(name, function) {
                raise!(
                    Type,
                    "Cannot overwrite attribute {name} in class {}. Consider using functools.total_ordering",
                    object.name
                );
            }
        }
    }
    if options.frozen {
        for (name, verb) in [("__setattr__", "assign to"), ("__delattr__", "delete")] {
            if object.own(name).is_some() {
                raise!(Type, "Cannot overwrite attribute {name} in class {}", object.name);
            }
            object.set(name, frozen(name, verb, fields.clone(), Rc::downgrade(&object.namespace)));
        }
    }
    let hash = object.own("__hash__");
    let is_explicit = match &hash {
        None => false,
        Some(ScriptValue::None) => !has_own_eq,
        Some(_) => true,
    };
    if options.unsafe_hash && is_explicit {
        raise!(Type, "Cannot overwrite attribute __hash__ in class {}", object.name);
    }
    if options.unsafe_hash || options.eq && options.frozen && !is_explicit {
        let names: Vec<Str> = fields
            .iter()
            .filter(|field| field.kind == FieldKind::Plain && field.hash.unwrap_or(field.compare))
            .map(|field| field.name.clone())
            .collect();
        let function = Generated::value("__hash__", move |p, args| {
            let [instance] = args.positional.as_slice() else {
                raise!(Type, "__hash__() takes 1 positional argument");
            };
            let values = field_values(p, instance, &names)?;
            builtins::hash(p, ScriptValue::tuple(values))
        });
        object.set("__hash__", function);
    } else if options.eq && !options.frozen && !is_explicit {
        object.set("__hash__", ScriptValue::None);
    }
    if options.match_args && object.own("__match_args__").is_none() {
        let names = fields.iter().filter(|f| f.init && f.kind != FieldKind::Class && !f.is_keyword_only());
        object.set(
            "__match_args__",
            ScriptValue::tuple(names.map(|field| ScriptValue::Str(field.name.clone()))),
        );
    }
    let _ = class;
    Ok(())
}

/// Checks that no field without a default follows one with a default.
fn check_order(fields: &[Field]) -> Result<(), HostError> {
    let mut has_default = None;
    let in_init = fields.iter().filter(|f| f.init && f.kind != FieldKind::Class && !f.is_keyword_only());
    for field in in_init {
        if field.has_default() {
            has_default = Some(field);
        } else if has_default.is_some() {
            raise!(Type, "non-default argument '{}' follows default argument", field.name);
        }
    }
    Ok(())
}

/// The generated `__init__`.
fn init(fields: Rc<[Field]>, function: &str, is_frozen: bool) -> ScriptValue {
    let function = function.to_owned();
    Generated::value("__init__", move |p, mut args| {
        if args.positional.is_empty() {
            raise!(Type, "{function}() missing 1 required positional argument: 'self'");
        }
        let instance = args.positional.remove(0);
        let in_init: Vec<&Field> =
            fields.iter().filter(|field| field.init && field.kind != FieldKind::Class).collect();
        cost::values(p.state, in_init.len())?;
        let params: Vec<Param> = in_init
            .iter()
            .map(|field| Param {
                name: field.name.clone(),
                is_required: !field.has_default(),
                is_keyword_only: field.is_keyword_only(),
            })
            .collect();
        let mut given = bind(&function, &params, args)?.into_iter();
        let mut for_post_init = Vec::new();
        for field in fields.iter().filter(|field| field.kind != FieldKind::Class) {
            let given = if field.init { given.next().flatten() } else { None };
            let value = match (given, &field.factory, &field.default) {
                (Some(value), ..) => value,
                (None, Some(factory), _) => p.call_value(factory, CallArgs::default())?,
                (None, None, Some(default)) => {
                    if !field.init {
                        continue;
                    }
                    default.clone()
                }
                (None, None, None) => continue,
            };
            if field.kind == FieldKind::Init {
                for_post_init.push(value);
                continue;
            }
            match instance.as_host::<Instance>() {
                Some(own) if is_frozen => p.set_field(own, &field.name, value)?,
                _ => drop(p.set_attribute(&instance, &field.name, value)?),
            }
        }
        let post_init = match instance.as_host::<Instance>() {
            Some(own) => lookup(&own.class, "__post_init__").map(|method| (method, own.class.clone())),
            None => None,
        };
        if let Some((method, class)) = post_init
            && crate::eval::placeholder::as_placeholder(&method).is_none()
        {
            let method = p.bind_member(method, Some(&instance), &class, "__post_init__")?;
            p.call_value(&method, CallArgs::positional(for_post_init))?;
        }
        Ok(ScriptValue::None)
    })
}

fn field_values(p: &mut Eval<'_>, instance: &ScriptValue, names: &[Str]) -> Result<Vec<ScriptValue>, Raise> {
    cost::values(p.state, names.len())?;
    let mut values = Vec::with_capacity(names.len());
    for name in names {
        match p.find_attribute(instance, name)? {
            Some(value) => values.push(value),
            None => return Err(super::access::missing(instance, name)),
        }
    }
    Ok(values)
}

/// `C(a=1, b=2)`
fn record_repr(p: &mut Eval<'_>, fields: &[Field], args: &CallArgs) -> Outcome {
    let Some(instance) = args.positional.first() else { return Ok(ScriptValue::None) };
    let Some(class) = instance.as_host::<Instance>().and_then(Instance::class) else {
        return Ok(ScriptValue::None);
    };
    let program = p.state.program.clone();
    let Some(_open) = program.open_reprs.enter(instance) else { return Ok(ScriptValue::str("...")) };
    let mut out = format!("{}(", class.qualified_name());
    let shown = fields.iter().filter(|field| field.repr && field.kind == FieldKind::Plain);
    for (index, field) in shown.enumerate() {
        let value = match p.find_attribute(instance, &field.name)? {
            Some(value) => value,
            None => return Err(super::access::missing(instance, &field.name)),
        };
        let text = with_stack(|| repr::repr(p, &value))?;
        cost::text_bytes(p.state, text.len())?;
        let comma = if index > 0 { ", " } else { "" };
        out.push_str(&format!("{comma}{}={text}", field.name));
    }
    out.push(')');
    cost::text(p.state, &out)
}

/// Compares the fields of two instances of the same class as tuples.
fn record_compare(p: &mut Eval<'_>, names: &[Str], args: &CallArgs, op: CmpOp) -> Outcome {
    let [a, b] = args.positional.as_slice() else {
        raise!(Type, "a comparison takes 2 positional arguments");
    };
    let classes = (a.as_host::<Instance>(), b.as_host::<Instance>());
    let (Some(x), Some(y)) = classes else { return Ok(not_implemented()) };
    if !compare::identical(&x.class, &y.class) {
        return Ok(not_implemented());
    }
    let x = ScriptValue::tuple(field_values(p, a, names)?);
    let y = ScriptValue::tuple(field_values(p, b, names)?);
    with_stack(|| compare::compare(p, op, &x, &y))
}

/// `__setattr__` or `__delattr__` of a frozen dataclass.
fn frozen(
    name: &'static str,
    verb: &'static str,
    fields: Rc<[Field]>,
    class: std::rc::Weak<RefCell<Dict>>,
) -> ScriptValue {
    Generated::value(name, move |p, args| {
        let (Some(instance), Some(attribute)) = (args.positional.first(), args.positional.get(1)) else {
            raise!(Type, "{name}() missing required arguments");
        };
        let text = attribute.as_str().unwrap_or_default().to_owned();
        let own = instance.as_host::<Instance>();
        let is_own = own
            .and_then(Instance::class)
            .is_some_and(|own| class.upgrade().is_some_and(|class| Rc::ptr_eq(&class, &own.namespace)));
        if is_own || fields.iter().any(|field| field.name.as_str() == text) {
            let message = ScriptValue::str(&format!("cannot {verb} field '{text}'"));
            let class = p.class_library("dataclasses", "FrozenInstanceError").unwrap_or_default();
            return Err(Raise::Exception(Instance::exception(class, ExceptionState::new([message]))));
        }
        match (own, args.positional.get(2)) {
            (Some(own), Some(value)) => p.set_plain(instance, own, &text, value.clone())?,
            (Some(own), None) => p.delete_plain(instance, own, &text)?,
            _ => {}
        }
        Ok(ScriptValue::None)
    })
}

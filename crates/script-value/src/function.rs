//! Script functions. One declaration provides the Rust function, argument binding, printing, stubs and hover text.

use std::any::Any;
use std::borrow::Cow;
use std::collections::HashSet;
use std::rc::Rc;

use smallvec::SmallVec;
use tvmscript_ir_core::operators::is_poison;
use tvmscript_ir_core::{
    Array, Class, DataType, Map, MapPart, Object, ObjectLike, Ref, Str, Value, with_stack,
};

use crate::error::{ArgumentRef, BuildError, BuildErrorKind, BuildResult};
use crate::py_type::PyType;
use crate::record::{self, Action, Callee};
use crate::value::ScriptValue;

/// The arguments of a call.
#[derive(Debug, Default, Clone)]
pub struct CallArgs {
    /// Positional arguments, with starred ones expanded.
    pub positional: SmallVec<[ScriptValue; 4]>,
    /// Keyword arguments in order.
    pub keywords: SmallVec<[(Str, ScriptValue); 2]>,
}

impl CallArgs {
    /// Positional arguments only.
    pub fn positional(args: impl IntoIterator<Item = ScriptValue>) -> CallArgs {
        CallArgs { positional: args.into_iter().collect(), keywords: SmallVec::new() }
    }

    /// Removes a keyword argument.
    pub fn take_keyword(&mut self, name: &str) -> Option<ScriptValue> {
        let at = self.keywords.iter().position(|(k, _)| k.as_str() == name)?;
        Some(self.keywords.remove(at).1)
    }
}

/// Passing mode of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParamKind {
    /// By position or keyword.
    Plain,
    /// By keyword only.
    KeywordOnly,
    /// All remaining positional arguments.
    Args,
    /// All remaining keyword arguments.
    Kwargs,
}

/// A parameter of a script function.
#[derive(Debug, Clone, Copy)]
pub struct Param {
    /// Name in scripts.
    pub name: &'static str,
    /// Passing mode.
    pub kind: ParamKind,
    /// The default as text; `None` for a required parameter.
    pub default: Option<&'static str>,
    /// Type.
    pub py_type: PyType,
}

/// A script function, declared by `#[script_fn]`.
pub struct ScriptFn {
    /// Name in scripts, without the dialect's prefix.
    pub name: &'static str,
    /// Documentation.
    pub doc: &'static str,
    /// Parameters in order.
    pub params: &'static [Param],
    /// Result type.
    pub returns: PyType,
    /// `true` if the function also stands for the type of its results, in annotations: `x: D.int32`.
    pub is_annotation: bool,
    /// Functions that are attributes of this one: `Range.from_min_extent`.
    pub members: &'static [&'static ScriptFn],
    /// A convention of its dialect for calls.
    pub around: Option<&'static Around>,
    /// Binds the arguments and calls the body.
    pub call: fn(&'static ScriptFn, CallArgs) -> BuildResult<ScriptValue>,
    /// What the body knows besides its arguments, for functions that are described at run time.
    pub data: Option<&'static (dyn Any + Send + Sync)>,
}

/// Binds the arguments of a call and runs the function.
pub type BindFn = fn(&'static ScriptFn, CallArgs) -> BuildResult<ScriptValue>;

/// A convention of a dialect for the calls of its functions.
#[derive(Debug, Clone, Copy)]
pub struct Around {
    /// Runs a call: may change the arguments before it calls the last parameter.
    pub call: fn(&'static ScriptFn, CallArgs, BindFn) -> BuildResult<ScriptValue>,
    /// The parameter lists that calls may have beside the declared one, which is given.
    pub forms: fn(&[Param]) -> Vec<Vec<Param>>,
}

/// The parts of a function that its callers see.
#[derive(Debug, Clone)]
pub struct Declaration {
    /// Documentation.
    pub doc: &'static str,
    /// Parameters in order.
    pub params: Cow<'static, [Param]>,
    /// Result type.
    pub returns: PyType,
    /// As [`ScriptFn::is_annotation`].
    pub is_annotation: bool,
    /// As [`ScriptFn::around`].
    pub around: Option<&'static Around>,
}

impl Declaration {
    /// The parameter lists that calls may have beside [`Declaration::params`].
    pub fn other_forms(&self) -> Vec<Vec<Param>> {
        self.around.map_or_else(Vec::new, |around| (around.forms)(&self.params))
    }
}

impl std::fmt::Debug for ScriptFn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ScriptFn").field("name", &self.name).finish_non_exhaustive()
    }
}

impl ScriptFn {
    /// The declaration of the function.
    pub fn declaration(&self) -> Declaration {
        let ScriptFn { doc, params, returns, is_annotation, around, .. } = *self;
        Declaration { doc, params: params.into(), returns, is_annotation, around }
    }

    /// Calls the function.
    ///
    /// # Errors
    /// Fails if the arguments do not fit or the body fails.
    pub fn call(&'static self, args: CallArgs) -> BuildResult<ScriptValue> {
        let shown = record::is_on().then(|| (args.clone(), record::count()));
        let result = (self.call)(self, args).map_err(|mut error| {
            error.argument = error.argument.map(|argument| self.argument(argument));
            error
        })?;
        // The parts of a call stand for it.
        if let Some((args, count)) = shown
            && !record::has_parts(count)
        {
            let callee = Callee::Script(self);
            record::record(|| Action::Call { callee, args, result: result.clone() });
        }
        Ok(result)
    }

    /// Replaces an argument by its parameter, if there is one. The body knows its parameters and not how each was
    /// passed.
    pub fn argument(&self, argument: ArgumentRef) -> ArgumentRef {
        let named = |name: &str| self.params.iter().position(|param| param.name == name);
        let index = match &argument {
            ArgumentRef::Position(index) => Some(*index),
            ArgumentRef::Keyword(name) => named(name),
            ArgumentRef::Parameter { .. } => None,
        };
        let param = index.and_then(|index| Some((index, self.params.get(index)?)));
        match param {
            Some((index, param)) if param.kind == ParamKind::Plain => {
                ArgumentRef::Parameter { name: param.name, index: index as u32 }
            }
            _ => argument,
        }
    }

    /// The call syntax for messages, e.g. `serial(start, stop=None, *, annotations=None)`.
    pub fn usage(&self) -> String {
        let mut parts = Vec::with_capacity(self.params.len());
        let mut star = false;
        for param in self.params {
            star |= param.kind == ParamKind::Args;
            if param.kind == ParamKind::KeywordOnly && !star {
                parts.push("*".to_owned());
                star = true;
            }
            parts.push(match (param.kind, param.default) {
                (ParamKind::Args, _) => format!("*{}", param.name),
                (ParamKind::Kwargs, _) => format!("**{}", param.name),
                (_, Some(default)) => format!("{}={default}", param.name),
                (_, None) => param.name.to_owned(),
            });
        }
        format!("{}({})", self.name, parts.join(", "))
    }
}

/// Arguments bound to the parameters of a [`ScriptFn`].
#[derive(Debug)]
pub struct Binding {
    function: &'static ScriptFn,
    slots: SmallVec<[Option<(ScriptValue, ArgumentRef)>; 8]>,
    rest: Vec<ScriptValue>,
    rest_start: usize,
    extra: Vec<(Str, ScriptValue)>,
}

impl Binding {
    /// Binds arguments to parameters.
    ///
    /// # Errors
    /// Fails for too many, unknown or repeated arguments.
    pub fn new(function: &'static ScriptFn, args: CallArgs) -> BuildResult<Binding> {
        let params = function.params;
        let mut slots: SmallVec<[_; 8]> = SmallVec::from_elem(None, params.len());
        let plain = params.iter().take_while(|p| p.kind == ParamKind::Plain).count();
        let takes_rest = params.iter().any(|p| p.kind == ParamKind::Args);
        let found = args.positional.len();
        if found > plain && !takes_rest {
            let kind =
                BuildErrorKind::TooManyArguments { function: function.name.to_owned(), limit: plain, found };
            return Err(BuildError::from(kind).with_usage(&function.usage()).at_position(plain));
        }
        let mut rest = Vec::new();
        for (index, value) in args.positional.into_iter().enumerate() {
            match slots.get_mut(index) {
                Some(slot) if index < plain => *slot = Some((value, ArgumentRef::Position(index))),
                _ => rest.push(value),
            }
        }
        let takes_extra = params.iter().any(|p| p.kind == ParamKind::Kwargs);
        let mut extra = Vec::new();
        for (name, value) in args.keywords {
            let known = params.iter().position(|p| {
                p.name == name.as_str() && matches!(p.kind, ParamKind::Plain | ParamKind::KeywordOnly)
            });
            let at = || ArgumentRef::Keyword(name.clone());
            match known.and_then(|index| slots.get_mut(index)) {
                Some(slot @ None) => *slot = Some((value, at())),
                Some(_) => {
                    let kind = BuildErrorKind::RepeatedArgument {
                        function: function.name.to_owned(),
                        name: name.to_string(),
                    };
                    return Err(BuildError::from(kind).with_usage(&function.usage()).at(at()));
                }
                None if takes_extra => extra.push((name, value)),
                None => {
                    let known: SmallVec<[&'static str; 8]> = params.iter().map(|p| p.name).collect();
                    return Err(unknown_keyword(function.name, &name, &known, &function.usage()));
                }
            }
        }
        Ok(Binding { function, slots, rest, rest_start: plain, extra })
    }

    /// Converts the argument of a required parameter.
    ///
    /// # Errors
    /// Fails if it is missing or of another type.
    pub fn required<T: FromScript>(&mut self, index: usize) -> BuildResult<T> {
        self.required_by(index, T::from_script)
    }

    /// As [`Binding::required`], with a conversion that is given.
    ///
    /// # Errors
    /// Fails if the argument is missing, or the conversion fails.
    pub fn required_by<T>(
        &mut self,
        index: usize,
        convert: impl FnOnce(ScriptValue) -> BuildResult<T>,
    ) -> BuildResult<T> {
        match self.optional_by(index, convert)? {
            Some(value) => Ok(value),
            None => {
                let name = self.function.params.get(index).map_or("?", |p| p.name);
                let kind = BuildErrorKind::MissingArgument { function: self.function.name.to_owned(), name };
                Err(BuildError::from(kind).with_usage(&self.function.usage()))
            }
        }
    }

    /// Converts the argument of an optional parameter.
    ///
    /// # Errors
    /// Fails if it is of another type.
    pub fn optional<T: FromScript>(&mut self, index: usize) -> BuildResult<Option<T>> {
        self.optional_by(index, T::from_script)
    }

    /// As [`Binding::optional`], with a conversion that is given.
    ///
    /// # Errors
    /// Fails if the conversion fails.
    pub fn optional_by<T>(
        &mut self,
        index: usize,
        convert: impl FnOnce(ScriptValue) -> BuildResult<T>,
    ) -> BuildResult<Option<T>> {
        match self.slots.get_mut(index).and_then(Option::take) {
            Some((value, at)) => self.convert(index, value, at, convert).map(Some),
            None => Ok(None),
        }
    }

    /// Converts the remaining positional arguments.
    ///
    /// # Errors
    /// Fails if one is of another type.
    pub fn rest<T: FromScript>(&mut self, index: usize) -> BuildResult<Vec<T>> {
        self.rest_by(index, T::from_script)
    }

    /// As [`Binding::rest`], with a conversion that is given.
    ///
    /// # Errors
    /// Fails if the conversion of an argument fails.
    pub fn rest_by<T>(
        &mut self,
        index: usize,
        mut convert: impl FnMut(ScriptValue) -> BuildResult<T>,
    ) -> BuildResult<Vec<T>> {
        let rest = std::mem::take(&mut self.rest);
        let start = self.rest_start;
        rest.into_iter()
            .enumerate()
            .map(|(i, value)| self.convert(index, value, ArgumentRef::Position(start + i), &mut convert))
            .collect()
    }

    /// Converts the remaining keyword arguments.
    ///
    /// # Errors
    /// Fails if one is of another type.
    pub fn extra<T: FromScript>(&mut self, index: usize) -> BuildResult<Vec<(Str, T)>> {
        let extra = std::mem::take(&mut self.extra);
        extra
            .into_iter()
            .map(|(name, value)| {
                let at = ArgumentRef::Keyword(name.clone());
                Ok((name, self.convert(index, value, at, T::from_script)?))
            })
            .collect()
    }

    fn convert<T>(
        &self,
        index: usize,
        value: ScriptValue,
        at: ArgumentRef,
        convert: impl FnOnce(ScriptValue) -> BuildResult<T>,
    ) -> BuildResult<T> {
        let name = self.function.params.get(index).map(|p| p.name);
        let advice = match &value {
            ScriptValue::Host(host) => host.advice(),
            _ => None,
        };
        convert(value).map_err(|error| {
            let error = error.of_parameter(self.function.name, name).at(at);
            match advice {
                Some(advice) if error.help.is_none() => error.with_help(advice),
                _ => error,
            }
        })
    }
}

pub(crate) fn unknown_keyword(function: &str, name: &Str, known: &[&'static str], usage: &str) -> BuildError {
    let kind = BuildErrorKind::UnknownKeyword {
        function: function.to_owned(),
        name: name.to_string(),
        known: known.to_vec(),
    };
    BuildError::from(kind).with_usage(usage).at(ArgumentRef::Keyword(name.clone()))
}

/// Types of parameters.
pub trait FromScript: Sized {
    /// Type in Python.
    const TYPE: PyType;

    /// Converts a value.
    ///
    /// # Errors
    /// [`BuildErrorKind::Type`] for a value of another type.
    fn from_script(value: ScriptValue) -> BuildResult<Self>;

    /// Tests whether the argument stands for a value that could not be made.
    fn is_poison(&self) -> bool {
        false
    }
}

/// Result types of script functions.
pub trait IntoScript {
    /// Type in Python.
    const TYPE: PyType;

    /// Converts to a value.
    fn into_script(self) -> ScriptValue;
}

macro_rules! from_script {
    ($($ty:ty, $type:expr, $what:literal, $($pat:pat => $out:expr),+;)*) => {$(
        impl FromScript for $ty {
            const TYPE: PyType = $type;
            fn from_script(value: ScriptValue) -> BuildResult<Self> {
                match value {
                    $($pat => Ok($out),)+
                    other => Err(BuildError::expected($what, other.type_name())),
                }
            }
        }
    )*};
}
// In Python a bool is an int, and any int converts to bool.
from_script! {
    bool, PyType::BOOL, "a bool", ScriptValue::Bool(b) => b, ScriptValue::Int(i) => i != 0;
    i64, PyType::INT, "an int", ScriptValue::Int(i) => i, ScriptValue::Bool(b) => i64::from(b);
    f64, PyType::FLOAT, "a float", ScriptValue::Float(f) => f, ScriptValue::Int(i) => i as f64, ScriptValue::Bool(b) => f64::from(b);
    Str, PyType::STR, "a string", ScriptValue::Str(s) => s;
    Object, PyType::ANY, "an IR node", ScriptValue::Node(o) => o;
}

impl FromScript for ScriptValue {
    const TYPE: PyType = PyType::ANY;
    fn from_script(value: ScriptValue) -> BuildResult<Self> {
        Ok(value)
    }
    fn is_poison(&self) -> bool {
        match self {
            ScriptValue::Node(object) => is_poison(object),
            ScriptValue::Tuple(_) | ScriptValue::List(_) => holds_poison(self, &mut HashSet::new()),
            _ => false,
        }
    }
}

/// Tests whether a tuple or list contains poison. `seen` is the visited set: containers may be shared or cyclic.
fn holds_poison(value: &ScriptValue, seen: &mut HashSet<*const ()>) -> bool {
    let mut look = |item: &ScriptValue| match item {
        ScriptValue::Node(object) => is_poison(object),
        ScriptValue::Tuple(items) => {
            seen.insert(Rc::as_ptr(items).cast()) && with_stack(|| holds_poison(item, seen))
        }
        ScriptValue::List(items) => {
            seen.insert(Rc::as_ptr(items).cast()) && with_stack(|| holds_poison(item, seen))
        }
        _ => false,
    };
    match value {
        ScriptValue::Tuple(items) => items.iter().any(look),
        ScriptValue::List(items) => items.borrow().iter().any(look),
        other => look(other),
    }
}

impl FromScript for () {
    const TYPE: PyType = PyType::ANY;
    fn from_script(_value: ScriptValue) -> BuildResult<Self> {
        Ok(())
    }
}

impl<T: Class> FromScript for Ref<T> {
    const TYPE: PyType = PyType::node::<T>();
    fn from_script(value: ScriptValue) -> BuildResult<Self> {
        let expected =
            || BuildError::expected(format!("a `{}`", T::type_info().display_key()), value.type_name());
        value.as_node::<T>().cloned().ok_or_else(expected)
    }
    fn is_poison(&self) -> bool {
        is_poison(self.object())
    }
}

impl<T: FromScript, const N: usize> FromScript for [T; N] {
    const TYPE: PyType = PyType::Generic { name: "Sequence", of: &[T::TYPE] };
    fn from_script(value: ScriptValue) -> BuildResult<Self> {
        let items = Vec::<T>::from_script(value)?;
        let found = items.len();
        items.try_into().map_err(|_| BuildError::expected(format!("{N} values"), format!("{found}")))
    }
    fn is_poison(&self) -> bool {
        self.iter().any(T::is_poison)
    }
}

impl FromScript for DataType {
    const TYPE: PyType = PyType::STR;
    fn from_script(value: ScriptValue) -> BuildResult<Self> {
        match value {
            ScriptValue::DType(d) => Ok(d),
            ScriptValue::Str(s) => s.parse::<DataType>().map_err(|e| {
                let help = match DataType::renamed(&e.text) {
                    Some(name) => format!("the dtype has the name `{name}` now"),
                    None => "dtypes read like `float32`, `int64`, `uint8x4`, `bool`, `handle`".to_owned(),
                };
                BuildError::from(e).with_help(help)
            }),
            other => Err(BuildError::expected("a dtype such as \"float32\"", other.type_name())),
        }
    }
}

impl<T: FromScript> FromScript for Option<T> {
    const TYPE: PyType = PyType::Union { of: &[T::TYPE, PyType::NONE] };
    fn from_script(value: ScriptValue) -> BuildResult<Self> {
        match value {
            ScriptValue::None => Ok(None),
            other => T::from_script(other).map(Some),
        }
    }
    fn is_poison(&self) -> bool {
        self.as_ref().is_some_and(T::is_poison)
    }
}

impl<T: FromScript> FromScript for Vec<T> {
    const TYPE: PyType = PyType::Generic { name: "Sequence", of: &[T::TYPE] };
    fn from_script(value: ScriptValue) -> BuildResult<Self> {
        match value.items() {
            Some(items) => items.into_iter().map(T::from_script).collect(),
            None => Err(BuildError::expected("a list or tuple", value.type_name())),
        }
    }
    fn is_poison(&self) -> bool {
        self.iter().any(T::is_poison)
    }
}

/// Any value that a field can hold: annotations and attributes.
impl FromScript for Value {
    const TYPE: PyType = PyType::ANY;
    fn from_script(value: ScriptValue) -> BuildResult<Self> {
        value
            .to_field()
            .ok_or_else(|| BuildError::expected("a value that an attribute can hold", value.type_name()))
    }
}

impl FromScript for Map<Str, Value> {
    const TYPE: PyType = PyType::Generic { name: "dict", of: &[PyType::STR, PyType::ANY] };
    fn from_script(value: ScriptValue) -> BuildResult<Self> {
        let wrong = || BuildError::expected("a dict with string keys", value.type_name());
        let field = value.to_field().ok_or_else(wrong)?;
        let Value::Node(object) = field else { return Err(wrong()) };
        Map::<Str, Value>::try_from_object(object).map_err(|_| wrong())
    }
}

macro_rules! into_script {
    ($($ty:ty, $type:expr, |$x:ident| $out:expr;)*) => {$(
        impl IntoScript for $ty {
            const TYPE: PyType = $type;
            fn into_script(self) -> ScriptValue {
                let $x = self;
                $out
            }
        }
    )*};
}
into_script! {
    (), PyType::NONE, |_x| ScriptValue::None;
    bool, PyType::BOOL, |x| ScriptValue::Bool(x);
    i64, PyType::INT, |x| ScriptValue::Int(x);
    f64, PyType::FLOAT, |x| ScriptValue::Float(x);
    Str, PyType::STR, |x| ScriptValue::Str(x);
    Object, PyType::ANY, |x| ScriptValue::Node(x);
    ScriptValue, PyType::ANY, |x| x;
    Vec<ScriptValue>, PyType::Name("tuple"), |x| ScriptValue::tuple(x);
}
impl<T: Class> IntoScript for Ref<T> {
    const TYPE: PyType = PyType::node::<T>();
    fn into_script(self) -> ScriptValue {
        self.into()
    }
}
impl<T: 'static> IntoScript for Array<T>
where
    Array<T>: ObjectLike,
{
    const TYPE: PyType = PyType::Name("Sequence");
    fn into_script(self) -> ScriptValue {
        ScriptValue::Node(self.into_object())
    }
}
impl<K: MapPart + 'static, V: MapPart + 'static> IntoScript for Map<K, V> {
    const TYPE: PyType = PyType::Name("Mapping");
    fn into_script(self) -> ScriptValue {
        ScriptValue::Node(self.into_object())
    }
}
impl<T: IntoScript> IntoScript for Option<T> {
    const TYPE: PyType = PyType::Union { of: &[T::TYPE, PyType::NONE] };
    fn into_script(self) -> ScriptValue {
        self.map_or(ScriptValue::None, T::into_script)
    }
}
/// The `Result` of a script function's body, to name its success type in declarations.
pub trait ScriptResult {
    /// The success type.
    type Out;
}
impl<T> ScriptResult for BuildResult<T> {
    type Out = T;
}

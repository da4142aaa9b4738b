//! Signatures of functions without a declaration, such as methods of nodes and operators.

use smallvec::SmallVec;

use crate::error::{ArgumentRef, BuildError, BuildErrorKind, BuildResult};
use crate::function::{CallArgs, unknown_keyword};
use crate::value::ScriptValue;

/// The signature of a function without a declaration.
#[derive(Debug, Clone, Copy)]
pub struct Signature {
    /// The function's name in scripts.
    pub function: &'static str,
    /// Parameters before the others, which the caller binds.
    pub before: &'static [&'static str],
    /// Parameter names.
    pub params: &'static [&'static str],
    /// Number of required parameters, from the first.
    pub required: usize,
    /// `true` if more positional arguments may follow.
    pub takes_rest: bool,
}

impl Signature {
    /// A function whose parameters are all required.
    pub const fn new(function: &'static str, params: &'static [&'static str]) -> Signature {
        Signature { function, before: &[], params, required: params.len(), takes_rest: false }
    }

    /// Makes only the first `required` parameters required.
    #[must_use]
    pub const fn with_required(self, required: usize) -> Signature {
        Signature { required, ..self }
    }

    /// The call syntax for messages, e.g. `pow(x, y)`.
    pub fn usage(&self) -> String {
        let mut out = format!("{}(", self.function);
        let before = self.before.len();
        let params = self.before.iter().chain(self.params).enumerate();
        let mut parts: Vec<String> = params
            .map(|(index, name)| format!("{name}{}", if index < before + self.required { "" } else { "=.." }))
            .collect();
        if self.takes_rest {
            parts.push("*args".to_owned());
        }
        out.push_str(&parts.join(", "));
        out.push(')');
        out
    }

    /// Binds arguments to parameters.
    ///
    /// # Errors
    /// Fails for too many, too few, unknown or repeated arguments.
    pub fn bind(&self, args: CallArgs) -> BuildResult<Arguments> {
        self.bind_behind(0, args)
    }

    /// Binds arguments that follow `before` other positional ones in the call.
    ///
    /// # Errors
    /// As [`Signature::bind`].
    pub fn bind_behind(&self, before: usize, args: CallArgs) -> BuildResult<Arguments> {
        let Signature { function, before: _, params, required, takes_rest } = *self;
        let wrong = |kind: BuildErrorKind| BuildError::from(kind).with_usage(&self.usage());
        let found = args.positional.len();
        if found > params.len() && !takes_rest {
            let kind = BuildErrorKind::TooManyArguments {
                function: function.to_owned(),
                limit: params.len() + before,
                found: found + before,
            };
            return Err(wrong(kind).at_position(params.len() + before));
        }
        let mut slots: Slots = SmallVec::from_elem(None, params.len().max(found));
        for (index, (slot, value)) in slots.iter_mut().zip(args.positional).enumerate() {
            *slot = Some((value, ArgumentRef::Position(index + before)));
        }
        for (name, value) in args.keywords {
            let at = ArgumentRef::Keyword(name.clone());
            let index = params.iter().position(|param| *param == name.as_str());
            match index.and_then(|index| slots.get_mut(index)) {
                Some(slot @ None) => *slot = Some((value, at)),
                Some(_) => {
                    let function = function.to_owned();
                    let kind = BuildErrorKind::RepeatedArgument { function, name: name.to_string() };
                    return Err(wrong(kind).at(at));
                }
                None => return Err(unknown_keyword(function, &name, params, &self.usage())),
            }
        }
        let mut given = params.iter().zip(&slots).take(required);
        if let Some((name, _)) = given.find(|(_, slot)| slot.is_none()) {
            let kind = BuildErrorKind::MissingArgument { function: function.to_owned(), name };
            return Err(wrong(kind));
        }
        Ok(Arguments { signature: *self, slots })
    }
}

type Slots = SmallVec<[Option<(ScriptValue, ArgumentRef)>; 4]>;

/// Arguments bound to the parameters of a [`Signature`].
#[derive(Debug)]
pub struct Arguments {
    signature: Signature,
    slots: Slots,
}

impl Arguments {
    /// Converts the argument of a parameter; `None` if it is absent.
    ///
    /// # Errors
    /// Fails if `convert` fails; the error then names the parameter.
    pub fn optional<T>(
        &mut self,
        index: usize,
        convert: impl FnOnce(ScriptValue) -> BuildResult<T>,
    ) -> BuildResult<Option<T>> {
        let Some((value, at)) = self.slots.get_mut(index).and_then(Option::take) else { return Ok(None) };
        let name = self.signature.params.get(index).copied();
        match convert(value) {
            Ok(value) => Ok(Some(value)),
            Err(error) => Err(error.of_parameter(self.signature.function, name).at(at)),
        }
    }

    /// Converts the argument of a required parameter.
    ///
    /// # Errors
    /// Fails if `convert` fails.
    pub fn required<T>(
        &mut self,
        index: usize,
        convert: impl FnOnce(ScriptValue) -> BuildResult<T>,
    ) -> BuildResult<T> {
        match self.optional(index, convert)? {
            Some(value) => Ok(value),
            None => {
                let name = self.signature.params.get(index).copied().unwrap_or("?");
                let function = self.signature.function.to_owned();
                let kind = BuildErrorKind::MissingArgument { function, name };
                Err(BuildError::from(kind).with_usage(&self.signature.usage()))
            }
        }
    }

    /// Converts the arguments in order, up to the last one given.
    ///
    /// # Errors
    /// Fails if `convert` fails, or for an absent argument before one that is given.
    pub fn all<T>(mut self, convert: impl Fn(ScriptValue) -> BuildResult<T>) -> BuildResult<Vec<T>> {
        let given = self.slots.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        (0..given).map(|index| self.required(index, &convert)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCALE: Signature = Signature::new("scale", &["x", "by", "offset"]).with_required(2);

    fn call(positional: &[i64], keywords: &[(&str, i64)]) -> BuildResult<Vec<i64>> {
        let mut args = CallArgs::positional(positional.iter().map(|v| ScriptValue::Int(*v)));
        args.keywords.extend(keywords.iter().map(|(k, v)| ((*k).into(), ScriptValue::Int(*v))));
        SCALE.bind(args)?.all(<i64 as crate::FromScript>::from_script)
    }

    #[test]
    fn keywords_find_their_parameter() {
        assert_eq!(call(&[1], &[("offset", 3), ("by", 2)]).ok(), Some(vec![1, 2, 3]));
        assert_eq!(call(&[1, 2], &[]).ok(), Some(vec![1, 2]));
    }

    #[test]
    fn mistakes_name_the_function_and_show_its_use() {
        for (error, words) in [
            (call(&[1], &[]), "`scale` is missing the argument `by`"),
            (call(&[1, 2, 3, 4], &[]), "`scale` takes at most 3 positional arguments, not 4"),
            (call(&[1, 2], &[("x", 1)]), "`scale` got multiple values for the argument `x`"),
            (call(&[1, 2], &[("ofset", 1)]), "`scale` has no parameter `ofset`"),
        ] {
            let error = error.expect_err(words);
            assert_eq!(error.to_string(), words);
            assert_eq!(error.note.as_deref(), Some("the call syntax is `scale(x, by, offset=..)`"));
        }
    }
}

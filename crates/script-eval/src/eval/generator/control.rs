//! Control of generators by their users: `send`, `throw`, `close`.

use super::*;

impl Eval<'_> {
    /// Makes the value of a call of a generator function.
    pub(crate) fn new_generator(&mut self, generator: Generator) -> Outcome {
        self.state.program.budget.allocate(GENERATOR_BYTES + cost::OBJECT_BYTES)?;
        if let Some(env) = &generator.env {
            self.state.program.keep_environment(env);
        }
        Ok(IterObject::value("generator", Iter::Function(Box::new(generator))))
    }

    /// `generator.throw(exception)`, also in the older forms with a class and its argument.
    pub(crate) fn throw(&mut self, value: &ScriptValue, args: CallArgs) -> Outcome {
        let mut args = args.positional.into_iter();
        let Some(class) = args.next() else { raise!(Type, "throw expected at least 1 argument, got 0") };
        let argument = args.next().filter(|argument| !matches!(argument, ScriptValue::None));
        let exception = match argument {
            _ if exception::is_exception(&class) => match argument {
                None => class,
                Some(_) => raise!(Type, "instance exception may not have a separate value"),
            },
            _ if !exception::is_class(&class) => {
                return Err(wrong_type!(
                    "exceptions must be classes or instances deriving from BaseException, not {}",
                    &class
                )
                .into());
            }
            None => self.call_value(&class, CallArgs::default())?,
            Some(argument) if exception::is_exception(&argument) => argument,
            Some(ScriptValue::Tuple(items)) => {
                self.call_value(&class, CallArgs::positional(items.iter().cloned()))?
            }
            Some(argument) => self.call_value(&class, CallArgs::positional([argument]))?,
        };
        self.send(value, Input::Throw(exception))
    }

    /// `generator.send(value)`
    pub(crate) fn send(&mut self, value: &ScriptValue, input: Input) -> Outcome {
        match self.resume_value(value, input)? {
            Resumed::Yielded(value) => Ok(value),
            Resumed::Returned(value) => Err(exception::stop_iteration(value)),
        }
    }

    /// `generator.close()`
    pub(crate) fn close_generator(&mut self, value: &ScriptValue) -> Result<(), Raise> {
        let Some(object) = value.as_host::<IterObject>() else { return Ok(()) };
        match object.iter.try_borrow_mut() {
            Err(_) => raise!(Value, "generator already executing"),
            Ok(mut iter) => match &mut *iter {
                Iter::Function(generator) => match generator.state {
                    State::Suspended => {}
                    State::Created => {
                        generator.end(State::Done);
                        return Ok(());
                    }
                    State::Done | State::Unknown(_) => return Ok(()),
                },
                Iter::Generator(_) => {
                    *iter = Iter::Items(Vec::new().into_iter());
                    return Ok(());
                }
                _ => return Ok(()),
            },
        }
        let exit = exception::of_builtin("GeneratorExit", []);
        match self.attempt(|p| p.resume_value(value, Input::Throw(exit)))? {
            Ok(Resumed::Yielded(_)) => raise!(Runtime, "generator ignored GeneratorExit"),
            Ok(Resumed::Returned(_)) => Ok(()),
            Err(end)
                if exception::is_of(&end, "GeneratorExit") || exception::is_of(&end, "StopIteration") =>
            {
                Ok(())
            }
            Err(other) => Err(Raise::Exception(other)),
        }
    }

    /// Closes the generator of a loop that was left early, if nothing else can resume it. CPython does so when the last
    /// reference is gone.
    pub(crate) fn abandon(&mut self, iter: Iter) -> Result<(), Raise> {
        let Iter::Shared(object) = iter else { return Ok(()) };
        if Rc::strong_count(&object) > 1 {
            return Ok(());
        }
        self.close_generator(&ScriptValue::Host(object))
    }
}

//! A record of what a script tells its builder: calls, scopes and names.
//!
//! While a [`Recording`] is open on a thread, everything that builds adds its [`Step`]s. Without one, recording costs
//! a check of a flag.

use std::cell::RefCell;

use tvmscript_ir_core::{Object, Span};

use crate::{CallArgs, ScriptFn, ScriptValue};

/// A function of the builder.
#[derive(Debug, Clone, Copy)]
pub enum Callee {
    /// A function that scripts call by name.
    Script(&'static ScriptFn),
    /// A function that syntax stands for, such as `Toy.store` for `A[i] = x`.
    Syntax(&'static str),
}

/// The action of a step.
#[derive(Debug, Clone)]
pub enum Action {
    /// Opens a builder, inside those that are open.
    Open,
    /// Closes the innermost builder.
    Close {
        /// The node that it built; `None` if it failed.
        result: Option<Object>,
    },
    /// Calls a function.
    Call {
        /// The function.
        callee: Callee,
        /// Its arguments.
        args: CallArgs,
        /// Its result.
        result: ScriptValue,
    },
    /// Enters a scope.
    Enter {
        /// Its name in text, e.g. `Toy.region`.
        name: &'static str,
        /// Address of the scope, which was the result of an earlier call if there is one.
        scope: usize,
        /// Its arguments, for a scope that no call made.
        args: CallArgs,
        /// Its value.
        value: ScriptValue,
    },
    /// Keeps the innermost scope open until the one around it is left.
    KeepOpen,
    /// Leaves the innermost scope.
    Leave,
    /// Gives a name to a value.
    Name {
        /// The name.
        name: String,
        /// The value.
        value: ScriptValue,
    },
}

/// A step of building.
#[derive(Debug, Clone)]
pub struct Step {
    /// Its action.
    pub action: Action,
    /// The code that does it; in a helper, with the call of the helper.
    pub span: Span,
}

/// Maximum number of recorded steps; later ones are left out.
pub const MAX_STEPS: usize = 1_000_000;

/// The steps of the open recording.
type Recorder = Option<Vec<Step>>;

thread_local! {
    static RECORDER: RefCell<Recorder> = const { RefCell::new(None) };
}

/// Records the steps of this thread until it is finished or dropped. It sets the recording around it aside, which goes on
/// afterwards.
#[derive(Debug)]
pub struct Recording {
    around: Recorder,
}

impl Recording {
    /// Opens a recording.
    pub fn start() -> Recording {
        Recording::replace(Some(Vec::new()))
    }

    /// Records nothing until it is finished or dropped.
    pub fn pause() -> Recording {
        Recording::replace(None)
    }

    fn replace(recorder: Recorder) -> Recording {
        Recording { around: RECORDER.replace(recorder) }
    }

    /// The steps so far.
    pub fn finish(self) -> Vec<Step> {
        RECORDER.take().unwrap_or_default()
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        // Dropped outside the borrow: steps own nodes.
        let steps = RECORDER.replace(self.around.take());
        drop(steps);
    }
}

/// Tests whether a recording is open.
#[inline]
pub fn is_on() -> bool {
    RECORDER.with_borrow(Option::is_some)
}

/// Removes the steps of outermost builders whose results are not wanted.
pub fn retain_builders(steps: &mut Vec<Step>, mut is_wanted: impl FnMut(&Object) -> bool) {
    let mut kept = Vec::with_capacity(steps.len());
    let mut depth = 0_usize;
    // Number of kept steps before the outermost open builder.
    let mut start = 0;
    for step in steps.drain(..) {
        let mut is_unwanted = false;
        match &step.action {
            Action::Open => {
                if depth == 0 {
                    start = kept.len();
                }
                depth += 1;
            }
            Action::Close { result } => {
                depth = depth.saturating_sub(1);
                is_unwanted = depth == 0 && !result.as_ref().is_some_and(&mut is_wanted);
            }
            _ => {}
        }
        kept.push(step);
        if is_unwanted {
            kept.truncate(start);
        }
    }
    *steps = kept;
}

/// Number of steps so far.
pub(crate) fn count() -> usize {
    RECORDER.with_borrow(|steps| steps.as_ref().map_or(0, Vec::len))
}

/// Tests whether the steps after the first `count` tell the builder something by themselves: calls that syntax stands
/// for, or scopes.
pub(crate) fn has_parts(count: usize) -> bool {
    let is_part = |step: &Step| {
        matches!(step.action, Action::Enter { .. } | Action::Call { callee: Callee::Syntax(_), .. })
    };
    RECORDER.with_borrow(|steps| steps.iter().flatten().skip(count).any(is_part))
}

/// Runs `f` without recording.
pub fn paused<R>(f: impl FnOnce() -> R) -> R {
    let _paused = Recording::pause();
    f()
}

/// Adds a step at the current span if a recording is open.
#[inline]
pub fn record(action: impl FnOnce() -> Action) {
    if is_on() {
        add(action());
    }
}

/// Adds a call of a function that syntax stands for.
#[inline]
pub fn record_syntax(name: &'static str, args: impl FnOnce() -> Vec<ScriptValue>) {
    record_syntax_as(name, args, || ScriptValue::None);
}

/// Adds a call with a result, of a function that syntax stands for.
#[inline]
pub fn record_syntax_as(
    name: &'static str,
    args: impl FnOnce() -> Vec<ScriptValue>,
    result: impl FnOnce() -> ScriptValue,
) {
    record(|| Action::Call {
        callee: Callee::Syntax(name),
        args: CallArgs::positional(args()),
        result: result(),
    });
}

#[cold]
fn add(action: Action) {
    let span = Span::current();
    RECORDER.with_borrow_mut(|steps| {
        if let Some(steps) = steps.as_mut().filter(|steps| steps.len() < MAX_STEPS) {
            steps.push(Step { action, span });
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_recorded_while_a_recording_is_open() {
        let name = |name: &str| Action::Name { name: name.to_owned(), value: ScriptValue::None };
        record(|| name("before"));
        let recording = Recording::start();
        let inner = Recording::start();
        record(|| name("inside"));
        assert_eq!(inner.finish().len(), 1);
        paused(|| record(|| name("paused")));
        record(|| name("during"));
        let steps = recording.finish();
        record(|| name("behind"));
        assert!(matches!(&steps[..], [Step { action: Action::Name { name, .. }, .. }] if name == "during"));
        assert!(Recording::start().finish().is_empty());
    }
}

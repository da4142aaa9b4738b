//! Builders as values of host code: `with Builder() as b: ..; f = b.get()`.

use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

use tvmscript_ir_core::{Object, Span};
use tvmscript_irbuilder::{
    BuildError, BuildErrors, Builder, HostFunction, HostObject, OpenFrame, ScriptValue,
};
use tvmscript_python_syntax::ast::TextRange;
use tvmscript_script_eval::errors::EvalResult;

use super::{Built, Decorator, Parser};

/// A builder that host code opens with `with`, once. Its attribute `get` returns what was built.
pub struct HostBuilder(Rc<RefCell<State>>);

#[derive(Default)]
enum State {
    #[default]
    New,
    Open(Builder),
    Done(Object),
    /// The body failed, or what it built is wrong; reported there.
    Failed,
}

impl HostBuilder {
    /// A new builder as a value.
    pub fn value() -> ScriptValue {
        ScriptValue::host(HostBuilder(Rc::default()))
    }
}

impl HostObject for HostBuilder {
    fn type_name(&self) -> &str {
        "a builder"
    }

    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        let state = self.0.clone();
        (name == "get").then(|| HostFunction::value("get", move |_| get(&state)))
    }

    fn attribute_names(&self) -> Vec<String> {
        vec!["get".to_owned()]
    }
}

/// The result. An open builder is finished first.
fn get(state: &RefCell<State>) -> std::result::Result<ScriptValue, BuildError> {
    finish(state)?;
    match &*state.borrow() {
        State::Done(object) => Ok(ScriptValue::Node(object.clone())),
        State::New | State::Open(_) => Err(BuildError::message("the builder has not been opened")
            .with_help("open it and build inside: `with builder: ..`")),
        State::Failed => Err(BuildError::message("the builder has no result")),
    }
}

/// Finishes the builder if it is open. Returns what was built.
fn finish(state: &RefCell<State>) -> std::result::Result<Option<Object>, BuildError> {
    let taken = std::mem::replace(&mut *state.borrow_mut(), State::Failed);
    let State::Open(builder) = taken else {
        *state.borrow_mut() = taken;
        return Ok(None);
    };
    let object = builder.finish().map_err(BuildErrors::into_first)?;
    *state.borrow_mut() = State::Done(object.clone());
    Ok(Some(object))
}

/// An open builder; dropping it closes the builder.
struct OpenBuilder(Rc<RefCell<State>>);

impl Drop for OpenBuilder {
    fn drop(&mut self) {
        let is_open = matches!(*self.0.borrow(), State::Open(_));
        if is_open {
            let builder = std::mem::replace(&mut *self.0.borrow_mut(), State::Failed);
            drop(builder);
        }
    }
}

impl Parser<'_> {
    /// Enters a frame, a builder, or the frame that a decorator stands for.
    pub(super) fn open_scope(
        &mut self,
        value: &ScriptValue,
        at: TextRange,
    ) -> Option<EvalResult<(ScriptValue, Box<dyn Any>)>> {
        if let Some(builder) = value.as_host::<HostBuilder>() {
            return Some(self.open_builder(value, builder, at));
        }
        let made =
            value.as_host::<Decorator>().and_then(|decorator| Some(decorator.scope?(decorator.args.clone())));
        let frame = match made {
            Some(made) => match self.checked(at, made) {
                Ok(frame) => frame,
                Err(reported) => return Some(Err(reported)),
            },
            None => value.clone(),
        };
        matches!(frame, ScriptValue::Frame(_)).then(|| {
            // In a helper, the place of the scope there and of the call that led to it.
            let before = Span::set_current(self.span(at));
            let entered = self.enter_frame(&frame, at);
            Span::set_current(before);
            let (value, open) = entered?;
            Ok((value, Box::new(open) as Box<dyn Any>))
        })
    }

    fn open_builder(
        &mut self,
        value: &ScriptValue,
        host: &HostBuilder,
        at: TextRange,
    ) -> EvalResult<(ScriptValue, Box<dyn Any>)> {
        if !matches!(*host.0.borrow(), State::New) {
            return Err(self.build_error(at, BuildError::message("a builder is opened once")));
        }
        let builder = self.registry().map_or_else(Builder::new, Builder::for_registry);
        *host.0.borrow_mut() = State::Open(builder);
        Ok((value.clone(), Box::new(OpenBuilder(host.0.clone()))))
    }

    /// Leaves what [`Parser::open_scope`] entered.
    pub(super) fn close_scope(&mut self, scope: Box<dyn Any>, at: TextRange) -> EvalResult<()> {
        let scope = match scope.downcast::<OpenFrame>() {
            Ok(frame) => return self.leave_frame(*frame, at),
            Err(other) => other,
        };
        let Ok(builder) = scope.downcast::<OpenBuilder>() else { return Ok(()) };
        let finished = finish(&builder.0);
        self.checked(at, finished)?;
        if let State::Done(node) = &*builder.0.borrow() {
            let (node, range) = (node.clone(), self.state.ast.range(at));
            let depth = self.state.depth();
            let is_checked = !self.state.expects_failure();
            // Without a name, the node is not a script of the text.
            let path = String::new();
            self.script.scripts.built.push(Built {
                node,
                is_checked,
                range,
                definition: range,
                path,
                depth,
                is_taken: false,
            });
        }
        Ok(())
    }
}

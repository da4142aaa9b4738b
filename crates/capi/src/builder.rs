//! The builders of a thread, over `tvmscript::dynamic`: values are numbers, and errors come at the end.
//!
//! A builder belongs to the thread that begins it. The innermost one is meant by all calls.

use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::sync::Arc;

use tvmscript::dynamic::{self, Arg, BuildErrors, Operator, Program, Scope, Value};
use tvmscript::irbuilder::BuildErrorKind;

use crate::diagnostics::Findings;
use crate::program::{Dialects, Origin, Part};
use crate::status::{Outcome, Status};
use crate::value::Datum;

struct Builder {
    /// Open scopes, the innermost last.
    scopes: Vec<Scope>,
    program: Program,
    dialects: Arc<Dialects>,
}

thread_local! {
    /// Without destructor: what a thread leaves open at its end refers to other thread-locals, which may be gone.
    static BUILDERS: RefCell<ManuallyDrop<Vec<Builder>>> = const { RefCell::new(ManuallyDrop::new(Vec::new())) };
}

/// Begins a builder.
pub(crate) fn begin(dialects: Arc<Dialects>) {
    let program = Program::new(dialects.forever());
    BUILDERS.with_borrow_mut(|builders| builders.push(Builder { scopes: Vec::new(), program, dialects }));
}

/// Runs a function with the innermost builder.
fn innermost<R>(f: impl FnOnce(&mut Builder) -> R) -> Outcome<R> {
    BUILDERS.with_borrow_mut(|builders| builders.last_mut().map(f)).ok_or(Status::NoBuilder)
}

/// Checks that there is a builder.
pub(crate) fn check() -> Outcome {
    innermost(|_| ())
}

/// `from module import member as name`, or `import module as name` without a member.
pub(crate) fn import(module: &str, member: &str, name: &str) -> Outcome {
    innermost(|builder| match member {
        "" => builder.program.import_module(module, name),
        member => builder.program.import(module, member, name),
    })
}

/// Enters a scope and returns its value.
pub(crate) fn enter(scope: Value) -> Outcome<Value> {
    check()?;
    let entered = dynamic::with(scope);
    let value = entered.value();
    innermost(|builder| builder.scopes.push(entered))?;
    Ok(value)
}

/// Leaves the innermost scope.
pub(crate) fn leave() -> Outcome {
    let scope = innermost(|builder| builder.scopes.pop())?;
    // Leaving runs code that may call the builder.
    drop(scope.ok_or(Status::OutOfRange)?);
    Ok(())
}

/// Ends the innermost builder, and all scopes that are open.
fn end() -> Outcome<(Program, Arc<Dialects>)> {
    let Builder { mut scopes, program, dialects } =
        BUILDERS.with_borrow_mut(|builders| builders.pop()).ok_or(Status::NoBuilder)?;
    while let Some(scope) = scopes.pop() {
        drop(scope);
    }
    Ok((program, dialects))
}

/// Ends the innermost builder without a result.
pub(crate) fn cancel() -> Outcome {
    end().map(drop)
}

/// Ends the innermost builder and returns what it built.
pub(crate) fn finish(result: Value) -> Outcome<Result<Part, Findings>> {
    let (program, dialects) = end()?;
    Ok(match program.finish(result) {
        Ok(node) => {
            let release = dialects.release();
            Ok(Part { node, origin: Arc::new(Origin::without_text(dialects, release, "<built>")) })
        }
        Err(BuildErrors { first, rest }) => {
            let errors = std::iter::once(&first).chain(&rest).map(|recorded| &recorded.error);
            Err(Findings::of_builder(errors))
        }
    })
}

/// A value of the builder from one that crosses the border.
pub(crate) fn constant(datum: Datum) -> Outcome<Value> {
    check()?;
    Ok(match datum {
        Datum::None => dynamic::none(),
        Datum::Bool(value) => value.into(),
        Datum::Int(value) => value.into(),
        Datum::Float(value) => value.into(),
        Datum::Text(value) => value.as_str().into(),
        Datum::DType(value) => value.to_string().as_str().into(),
        Datum::Object(part) => part.node.into(),
        Datum::Function(_) => return Err(Status::InvalidArgument),
    })
}

/// An argument: a value, with a keyword if it is not empty.
pub(crate) fn args<'a>(args: &'a [(&'a str, u32)]) -> Vec<Arg<'a>> {
    let arg = |(keyword, value): &(&'a str, u32)| Arg {
        keyword: (!keyword.is_empty()).then_some(*keyword),
        value: Value::from_number(*value),
    };
    args.iter().map(arg).collect()
}

/// An operation on values.
pub(crate) fn operate(operator: Operator, operands: &[Value]) -> Outcome<Value> {
    check()?;
    let count = match operator {
        Operator::Unary(_) => 1,
        Operator::Binary(_) | Operator::Compare(_) | Operator::Bool(_) => 2,
        Operator::Conditional => 3,
    };
    match operands.len() == count {
        true => Ok(dynamic::operate(operator, operands)),
        false => Err(Status::InvalidArgument),
    }
}

/// Maximum number of parameters of a function of the program.
const MAX_PARAMETERS: usize = 8;

/// A function of the program as a value: `body` gets the values of its parameters.
pub(crate) fn lambda(names: &[&str], body: impl Fn(&[Value]) -> Value + 'static) -> Outcome<Value> {
    check()?;
    match names.len() <= MAX_PARAMETERS {
        true => Ok(dynamic::function(names, body)),
        false => Err(Status::InvalidArgument),
    }
}

impl Findings {
    /// The errors of a builder.
    fn of_builder<'e>(errors: impl Iterator<Item = &'e tvmscript::irbuilder::BuildError>) -> Findings {
        use tvmscript::diagnostics::{Diagnostic, DiagnosticKind as _, Message};
        let found = errors.map(|error| {
            let code = match error.kind() {
                Some(kind) => kind.error_code(),
                None => BuildErrorKind::Message(String::new()).error_code(),
            };
            let diagnostic = Diagnostic::new(Message::new(code, error.to_string()), 0..0);
            match &error.help {
                Some(help) => diagnostic.with_help(help.to_string()),
                None => diagnostic,
            }
        });
        Findings::of_messages(found.collect(), "<built>")
    }
}

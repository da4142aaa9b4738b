//! Visitors, functions by name and callbacks.

use std::ffi::c_void;
use std::sync::Arc;

use tvmscript::ir_core::Walk;
use tvmscript::ir_core::visit::Event;

use super::findings::report;
use super::handle::{Errors, Function, Handle, Object, Registry, Text};
use super::value::{Value, read_values};
use super::{Out, Str, enter};
use crate::callable::{self, Callable, Callback, Failure, NAMED, Refusal};
use crate::status::{Outcome, Status};
use crate::text::OwnedText;
use crate::value::Datum;

/// What a visitor does next.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(dead_code)] // Only C stops.
pub enum VisitResult {
    /// Go on with the children of the node.
    Advance = 0,
    /// Go on without the children of the node. After the children, the same as advance.
    Skip = 1,
    /// End the walk.
    Stop = 2,
}

/// A callback for a node. The handle is freed when the callback returns: `tvmscript_object_clone` makes one to keep.
///
/// It returns a `tvmscript_visit_result`; any other number ends the walk like stop. It must return, without throwing an exception.
pub type VisitCallback = Option<unsafe extern "C" fn(user: *mut c_void, node: Object) -> i32>;

/// A function of the program that the library calls. It returns a `tvmscript_status`; if it fails, a text in its result is the reason. It gets `count` arguments, which stay the library's, and writes its result,
/// which becomes the library's: the library frees an object or function in it. A text in the result has to live until the next
/// call of the function, or until it is freed. It must return, without throwing an exception.
pub type CallCallback = Option<
    unsafe extern "C" fn(user: *mut c_void, args: *const Value, count: usize, result: *mut Value) -> i32,
>;

/// Called when a function of the program is freed for good.
pub type DropCallback = Option<unsafe extern "C" fn(user: *mut c_void)>;

/// Calls `pre` with each node below and at `object` before its children, and `post` after them. Each node is visited once.
///
/// The status is `TVMSCRIPT_STATUS_STOPPED` if a callback ended the walk.
///
/// @param pre NULL for none
/// @param post NULL for none
/// @param user passed to the callbacks
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_visit(
    object: Object,
    pre: VisitCallback,
    post: VisitCallback,
    user: *mut c_void,
) -> Status {
    enter(|| {
        let root = object.load()?;
        callable::visit(&root, |event, part| {
            let callback = match event {
                Event::Enter => pre,
                Event::Leave => post,
            };
            let Some(callback) = callback else { return Ok(Walk::Advance) };
            let node = Loan::new(Object::store(part)?);
            // SAFETY: the caller promises the signature, and that the callback returns.
            let result = unsafe { callback(user, node.0) };
            Ok(match result {
                result if result == VisitResult::Advance as i32 => Walk::Advance,
                result if result == VisitResult::Skip as i32 => Walk::Skip,
                // Stop, and numbers without a meaning.
                _ => Walk::Stop,
            })
        })
    })
}

/// A handle that is freed at the end of a callback; the callback may have freed it before.
struct Loan<H: Handle>(H);

impl<H: Handle> Loan<H> {
    fn new(handle: H) -> Loan<H> {
        Loan(handle)
    }
}

impl<H: Handle> Drop for Loan<H> {
    fn drop(&mut self) {
        // An error says that the callback freed it.
        let _ = self.0.free();
    }
}

/// A value that is freed at the end of a callback.
struct OwnedValue(Value);

impl Drop for OwnedValue {
    fn drop(&mut self) {
        // An error says that the callback freed it.
        let _ = self.0.free();
    }
}

/// A function of the program.
pub(crate) struct Foreign {
    call: unsafe extern "C" fn(*mut c_void, *const Value, usize, *mut Value) -> i32,
    user: *mut c_void,
    release: DropCallback,
}

impl Foreign {
    pub(crate) fn new(
        call: unsafe extern "C" fn(*mut c_void, *const Value, usize, *mut Value) -> i32,
        user: *mut c_void,
        release: DropCallback,
    ) -> Foreign {
        Foreign { call, user, release }
    }
}

// SAFETY: the pointer is only passed on to the callbacks. The caller promises that these may run on every thread on which the program
// calls the library with the function, as `tvmscript_function_new` says.
unsafe impl Send for Foreign {}
// SAFETY: as above.
unsafe impl Sync for Foreign {}

impl Callback for Foreign {
    fn call(&self, args: &[Datum]) -> Result<Datum, Refusal> {
        let owned =
            args.iter().map(|arg| Ok(OwnedValue(Value::store(arg.clone())?))).collect::<Outcome<Vec<_>>>()?;
        let values: Vec<Value> = owned.iter().map(|value| value.0).collect();
        let mut result = OwnedValue(Value::NONE);
        // SAFETY: the caller promises the signature, and that the callback returns.
        let status = unsafe { (self.call)(self.user, values.as_ptr(), values.len(), &raw mut result.0) };
        // SAFETY: the callback promises that a text in its result lives now.
        let result = unsafe { result.0.read() };
        match Status::of_number(status) {
            Some(Status::Ok) => Ok(result?),
            status => {
                let message = match result {
                    Ok(Datum::Text(message)) if !message.is_empty() => Some(message),
                    _ => None,
                };
                Err(Refusal { status: status.unwrap_or(Status::Stopped), message })
            }
        }
    }
}

impl Drop for Foreign {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: the caller promises the signature, and that the callback returns. It is called once.
            unsafe { release(self.user) };
        }
    }
}

/// Rewrites the nodes at and below a node, children before parents: the callback gets each node and returns the one in its place, or
/// None to keep it. Nodes that are shared are rewritten once, and definitions and uses of a variable stay together.
///
/// @param call gets one node
/// @param user passed to the callback
/// @param out_object the result, to be freed with `tvmscript_object_free`
/// @param out_errors the reason why a node cannot be where it was put; NULL to ignore it
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_object_rewrite(
    object: Object,
    call: CallCallback,
    user: *mut c_void,
    out_object: *mut Object,
    out_errors: *mut Errors,
) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let (out, errors) = unsafe { (Out::new(out_object)?, Out::optional(out_errors)?) };
        let callback = Foreign::new(call.ok_or(Status::InvalidPointer)?, user, None);
        let part = object.load()?;
        match callable::rewrite(&part, &callback) {
            Ok(node) => {
                out.set(Object::store(part.with(node))?);
                Ok(())
            }
            Err(Failure::Status(status)) => Err(status),
            Err(Failure::Found(found)) => report(found, errors),
        }
    })
}

/// Makes a function of a callback of the program, to pass it to other functions.
///
/// @param call the callback; it may run on each thread on which the program passes the function to the library
/// @param user passed to the callbacks
/// @param release called with `user` when the last handle of the function is freed; NULL for none
/// @param out_function the function, to be freed with `tvmscript_function_free`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_function_new(
    call: CallCallback,
    user: *mut c_void,
    release: DropCallback,
    out_function: *mut Function,
) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let out = unsafe { Out::new(out_function)? };
        let call = call.ok_or(Status::InvalidPointer)?;
        let callback = Callable::Callback(Box::new(Foreign::new(call, user, release)));
        out.set(Function::store(Arc::new(callback))?);
        Ok(())
    })
}

/// Returns the function of a name, such as "script.printer.Script" or "_PrePostOrderVisit".
///
/// @param registry the dialects that the function works with
/// @param out_function the function, to be freed with `tvmscript_function_free`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_function_get(
    registry: Registry,
    name: Str,
    out_function: *mut Function,
) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let (out, name) = unsafe { (Out::new(out_function)?, name.read()?) };
        out.set(Function::store(Arc::new(Callable::named(name, registry.load()?)?))?);
        Ok(())
    })
}

/// Lists the functions, one per line: the name, its parameters and its meaning.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_functions(out_list: *mut Text) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let out = unsafe { Out::new(out_list)? };
        let lines: Vec<String> = NAMED.iter().map(|named| format!("{}{}", named.name, named.doc)).collect();
        out.set(Text::store(Arc::new(OwnedText::new(lines.join("\n"))))?);
        Ok(())
    })
}

/// Calls a function.
///
/// @param args arguments, which stay the caller's
/// @param count number of arguments
/// @param out_result the result, to be freed with `tvmscript_value_free`; NULL to drop it
/// @param out_errors errors in the arguments; NULL to ignore them
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_function_call(
    function: Function,
    args: *const Value,
    count: usize,
    out_result: *mut Value,
    out_errors: *mut Errors,
) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let (out, errors) = unsafe { (Out::optional(out_result)?, Out::optional(out_errors)?) };
        // SAFETY: as above.
        let args = unsafe { read_values(args, count)? };
        match function.load()?.call(&args) {
            Ok(result) if out.is_wanted() => {
                out.set(Value::store(result)?);
                Ok(())
            }
            Ok(_) => Ok(()),
            Err(Failure::Status(status)) => Err(status),
            Err(Failure::Found(found)) => report(found, errors),
        }
    })
}

/// Frees a handle of a function. Does nothing for the null handle.
#[unsafe(no_mangle)]
pub extern "C" fn tvmscript_function_free(function: Function) -> Status {
    enter(|| function.free())
}

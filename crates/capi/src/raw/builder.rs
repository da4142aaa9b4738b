//! Builders: calls of the functions of scripts, as a program around them makes them.

use std::ffi::c_void;

use tvmscript::dynamic::{self, BinOp, BoolOp, CmpOp, Operator, UnaryOp, Value as Dynamic};

use super::findings::report;
use super::function::DropCallback;
use super::handle::{Errors, Handle as _, Object, Registry};
use super::value::Value;
use super::{Out, Str, enter, read_slice, read_texts};
use crate::builder;
use crate::status::{Outcome, Status};

/// The value of a failed operation. Operations on it do nothing.
pub const BUILDER_FAILED: u32 = u32::MAX;

/// An argument of a call of a builder.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct BuilderArg {
    /// The keyword; empty for a positional argument.
    pub keyword: Str,
    /// The number of the value.
    pub value: u32,
}

/// Operator of `tvmscript_builder_operate`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuilderOperator {
    /// `a + b`
    Add = 0,
    /// `a - b`
    Sub = 1,
    /// `a * b`
    Mul = 2,
    /// `a / b`
    Div = 3,
    /// `a % b`
    Mod = 4,
    /// `a << b`
    Shl = 5,
    /// `a >> b`
    Shr = 6,
    /// `a & b`
    BitAnd = 7,
    /// `a | b`
    BitOr = 8,
    /// `a ^ b`
    BitXor = 9,
    /// `a // b`
    FloorDiv = 10,
    /// `a ** b`
    Pow = 11,
    /// `a < b`
    Lt = 12,
    /// `a <= b`
    Le = 13,
    /// `a > b`
    Gt = 14,
    /// `a >= b`
    Ge = 15,
    /// `a == b`
    Equal = 16,
    /// `a != b`
    NotEqual = 17,
    /// `a and b`
    And = 18,
    /// `a or b`
    Or = 19,
    /// `-a`
    Neg = 20,
    /// `~a`
    Invert = 21,
    /// `not a`
    Not = 22,
    /// `b if a else c`
    Select = 23,
}

const OPERATORS: [(BuilderOperator, Operator); 24] = [
    (BuilderOperator::Add, Operator::Binary(BinOp::Add)),
    (BuilderOperator::Sub, Operator::Binary(BinOp::Sub)),
    (BuilderOperator::Mul, Operator::Binary(BinOp::Mult)),
    (BuilderOperator::Div, Operator::Binary(BinOp::Div)),
    (BuilderOperator::Mod, Operator::Binary(BinOp::Mod)),
    (BuilderOperator::Shl, Operator::Binary(BinOp::LShift)),
    (BuilderOperator::Shr, Operator::Binary(BinOp::RShift)),
    (BuilderOperator::BitAnd, Operator::Binary(BinOp::BitAnd)),
    (BuilderOperator::BitOr, Operator::Binary(BinOp::BitOr)),
    (BuilderOperator::BitXor, Operator::Binary(BinOp::BitXor)),
    (BuilderOperator::FloorDiv, Operator::Binary(BinOp::FloorDiv)),
    (BuilderOperator::Pow, Operator::Binary(BinOp::Pow)),
    (BuilderOperator::Lt, Operator::Compare(CmpOp::Lt)),
    (BuilderOperator::Le, Operator::Compare(CmpOp::LtE)),
    (BuilderOperator::Gt, Operator::Compare(CmpOp::Gt)),
    (BuilderOperator::Ge, Operator::Compare(CmpOp::GtE)),
    (BuilderOperator::Equal, Operator::Compare(CmpOp::Eq)),
    (BuilderOperator::NotEqual, Operator::Compare(CmpOp::NotEq)),
    (BuilderOperator::And, Operator::Bool(BoolOp::And)),
    (BuilderOperator::Or, Operator::Bool(BoolOp::Or)),
    (BuilderOperator::Neg, Operator::Unary(UnaryOp::USub)),
    (BuilderOperator::Invert, Operator::Unary(UnaryOp::Invert)),
    (BuilderOperator::Not, Operator::Unary(UnaryOp::Not)),
    (BuilderOperator::Select, Operator::Conditional),
];

/// Kind of a collection.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuilderCollection {
    /// `(items)`
    Tuple = 0,
    /// `[items]`
    List = 1,
    /// `{key: value}`: keys and values alternate.
    Dict = 2,
}

/// A function of the program that a builder calls with the numbers of its arguments. It returns the number of its result, and must
/// return, without throwing an exception.
pub type BuilderCallback =
    Option<unsafe extern "C" fn(user: *mut c_void, args: *const u32, count: usize) -> u32>;

/// Reads arguments of the caller.
///
/// # Safety
/// As for [`read_slice`] and [`Str::read`].
unsafe fn read_args<'a>(args: *const BuilderArg, count: usize) -> Outcome<Vec<(&'a str, u32)>> {
    // SAFETY: the same contract.
    let args = unsafe { read_slice(args, count)? };
    // SAFETY: the same contract.
    args.iter().map(|arg| Ok((unsafe { arg.keyword.read()? }, arg.value))).collect()
}

/// Begins a builder of this thread, which all calls of `tvmscript_builder_*` on the thread mean until it ends. Builders nest.
///
/// Values are numbers. An operation that fails gives `TVMSCRIPT_BUILDER_FAILED`, with which further operations do nothing;
/// `tvmscript_builder_finish` reports all errors.
#[unsafe(no_mangle)]
pub extern "C" fn tvmscript_builder_begin(registry: Registry) -> Status {
    enter(|| {
        builder::begin(registry.load()?);
        Ok(())
    })
}

/// Binds a name: `from module import member as name`, or `import module as name` with an empty member.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_builder_import(module: Str, member: Str, name: Str) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let (module, member, name) = unsafe { (module.read()?, member.read()?, name.read()?) };
        builder::import(module, member, name)
    })
}

/// Makes a value of a constant or a node.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_builder_constant(value: *const Value, out_value: *mut u32) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let (out, values) = unsafe { (Out::new(out_value)?, super::value::read_values(value, 1)?) };
        let value = values.into_iter().next().ok_or(Status::InternalError)?;
        out.set(builder::constant(value)?.number());
        Ok(())
    })
}

/// Returns the value at a path of names, such as `T.float32`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_builder_name(path: Str, out_value: *mut u32) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let (out, path) = unsafe { (Out::new(out_value)?, path.read()?) };
        builder::check()?;
        out.set(dynamic::name(path).number());
        Ok(())
    })
}

/// Calls the function at a path of names, such as `T.serial`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_builder_call(
    path: Str,
    args: *const BuilderArg,
    count: usize,
    out_value: *mut u32,
) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let (out, path, args) = unsafe { (Out::new(out_value)?, path.read()?, read_args(args, count)?) };
        builder::check()?;
        out.set(dynamic::call(path, &builder::args(&args)).number());
        Ok(())
    })
}

/// Calls a value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_builder_call_value(
    callee: u32,
    args: *const BuilderArg,
    count: usize,
    out_value: *mut u32,
) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let (out, args) = unsafe { (Out::new(out_value)?, read_args(args, count)?) };
        builder::check()?;
        out.set(Dynamic::from_number(callee).call(&builder::args(&args)).number());
        Ok(())
    })
}

/// Returns an attribute: `value.name`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_builder_attribute(value: u32, name: Str, out_value: *mut u32) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let (out, name) = unsafe { (Out::new(out_value)?, name.read()?) };
        builder::check()?;
        out.set(Dynamic::from_number(value).attr(name).number());
        Ok(())
    })
}

/// Returns an element: `value[items]`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_builder_index(
    value: u32,
    items: *const u32,
    count: usize,
    out_value: *mut u32,
) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let (out, items) = unsafe { (Out::new(out_value)?, read_slice(items, count)?) };
        builder::check()?;
        let items: Vec<(&str, u32)> = items.iter().map(|item| ("", *item)).collect();
        out.set(Dynamic::from_number(value).at(&builder::args(&items)).number());
        Ok(())
    })
}

/// Applies an operator, as Python does.
///
/// @param operator a `tvmscript_builder_operator`
/// @param operands one, two or three values
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_builder_operate(
    operator: i32,
    operands: *const u32,
    count: usize,
    out_value: *mut u32,
) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let (out, operands) = unsafe { (Out::new(out_value)?, read_slice(operands, count)?) };
        let operator = OPERATORS.into_iter().find(|(known, _)| *known as i32 == operator);
        let (_, operator) = operator.ok_or(Status::InvalidArgument)?;
        let operands: Vec<Dynamic> = operands.iter().map(|number| Dynamic::from_number(*number)).collect();
        out.set(builder::operate(operator, &operands)?.number());
        Ok(())
    })
}

/// Makes a tuple, list or dict.
///
/// @param kind a `tvmscript_builder_collection`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_builder_collect(
    kind: i32,
    items: *const u32,
    count: usize,
    out_value: *mut u32,
) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let (out, items) = unsafe { (Out::new(out_value)?, read_slice(items, count)?) };
        builder::check()?;
        let items: Vec<(&str, u32)> = items.iter().map(|item| ("", *item)).collect();
        let items = builder::args(&items);
        let value = if kind == BuilderCollection::Tuple as i32 {
            dynamic::tuple(&items)
        } else if kind == BuilderCollection::List as i32 {
            dynamic::list(&items)
        } else if kind == BuilderCollection::Dict as i32 && items.len().is_multiple_of(2) {
            dynamic::dict(&items)
        } else {
            return Err(Status::InvalidArgument);
        };
        out.set(value.number());
        Ok(())
    })
}

/// A function of the program, with what is freed with it.
struct Lambda {
    call: unsafe extern "C" fn(*mut c_void, *const u32, usize) -> u32,
    user: *mut c_void,
    release: DropCallback,
}

impl Lambda {
    fn call(&self, args: &[Dynamic]) -> Dynamic {
        let numbers: Vec<u32> = args.iter().map(|arg| arg.number()).collect();
        // SAFETY: the caller promises the signature, and that the callback returns. Builders do not leave their thread.
        Dynamic::from_number(unsafe { (self.call)(self.user, numbers.as_ptr(), numbers.len()) })
    }
}

impl Drop for Lambda {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: the caller promises the signature, and that the callback returns. It is called once.
            unsafe { release(self.user) };
        }
    }
}

/// Makes a function of the program a value.
///
/// @param names names of the parameters, at most 8
/// @param count number of names
/// @param call called with the numbers of the arguments
/// @param user passed to the callbacks
/// @param release called with `user` when the builder ends or the call fails; NULL for none
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_builder_lambda(
    names: *const Str,
    count: usize,
    call: BuilderCallback,
    user: *mut c_void,
    release: DropCallback,
    out_value: *mut u32,
) -> Status {
    enter(|| {
        let lambda = call.map(|call| Lambda { call, user, release });
        // SAFETY: the promises of the caller.
        let (out, names) = unsafe { (Out::new(out_value)?, read_texts(names, count)?) };
        let lambda = lambda.ok_or(Status::InvalidPointer)?;
        out.set(builder::lambda(&names, move |args| lambda.call(args))?.number());
        Ok(())
    })
}

/// Enters a scope: a builder of IR, or what a function such as `T.serial` returns.
///
/// @param out_value what the scope gives, such as a loop variable
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_builder_enter(scope: u32, out_value: *mut u32) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let out = unsafe { Out::new(out_value)? };
        out.set(builder::enter(Dynamic::from_number(scope))?.number());
        Ok(())
    })
}

/// Leaves the innermost scope.
#[unsafe(no_mangle)]
pub extern "C" fn tvmscript_builder_leave() -> Status {
    enter(builder::leave)
}

/// Ends the innermost builder of the thread and returns the node that it built.
///
/// @param result number of the value that is the node
/// @param out_object the node, to be freed with `tvmscript_object_free`
/// @param out_errors all errors of the builder's operations; NULL to ignore them
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_builder_finish(
    result: u32,
    out_object: *mut Object,
    out_errors: *mut Errors,
) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let (out, errors) = unsafe { (Out::new(out_object)?, Out::optional(out_errors)?) };
        match builder::finish(Dynamic::from_number(result))? {
            Ok(part) => {
                out.set(Object::store(part)?);
                Ok(())
            }
            Err(found) => report(found, errors),
        }
    })
}

/// Ends the innermost builder of the thread without a result.
#[unsafe(no_mangle)]
pub extern "C" fn tvmscript_builder_cancel() -> Status {
    enter(builder::cancel)
}

//! The built-in exception classes.

use tvmscript_script_value::ScriptValue;

use super::builtins::{Builtin, BuiltinKind, Native, own};
use crate::eval::exception;

macro_rules! classes {
    ($($base:ident: $($class:ident)*;)*) => {
        /// Each class with the name of its base.
        static CLASSES: &[(Native, &str)] =
            &[$($((own(stringify!($class)).any(exception::construct), stringify!($base)),)*)*];
    };
}
classes! {
    object: BaseException;
    BaseException: Exception GeneratorExit KeyboardInterrupt SystemExit;
    Exception: ArithmeticError AssertionError AttributeError BufferError EOFError ImportError LookupError
        MemoryError NameError OSError ReferenceError RuntimeError StopAsyncIteration StopIteration SyntaxError
        SystemError TypeError ValueError Warning;
    ArithmeticError: FloatingPointError OverflowError ZeroDivisionError;
    ImportError: ModuleNotFoundError;
    LookupError: IndexError KeyError;
    NameError: UnboundLocalError;
    OSError: BlockingIOError ChildProcessError ConnectionError FileExistsError FileNotFoundError InterruptedError
        IsADirectoryError NotADirectoryError PermissionError ProcessLookupError TimeoutError;
    ConnectionError: BrokenPipeError ConnectionAbortedError ConnectionRefusedError ConnectionResetError;
    RuntimeError: NotImplementedError RecursionError;
    SyntaxError: IndentationError;
    IndentationError: TabError;
    ValueError: UnicodeError;
    UnicodeError: UnicodeDecodeError UnicodeEncodeError UnicodeTranslateError;
    Warning: BytesWarning DeprecationWarning EncodingWarning FutureWarning ImportWarning
        PendingDeprecationWarning ResourceWarning RuntimeWarning SyntaxWarning UnicodeWarning UserWarning;
}

/// Other names of classes.
const ALIASES: &[(&str, &str)] = &[("EnvironmentError", "OSError"), ("IOError", "OSError")];

/// The names of all classes.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    CLASSES.iter().map(|(class, _)| class.name).chain(ALIASES.iter().map(|(alias, _)| *alias))
}

/// The class of this name.
pub(crate) fn class(name: &str) -> Option<ScriptValue> {
    let name = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, name)| name);
    let (native, _) = CLASSES.iter().find(|(class, _)| class.name == name)?;
    Some(Builtin::value(native, BuiltinKind::Exception))
}

/// The name of the base of a built-in class.
pub(crate) fn base(name: &str) -> Option<&'static str> {
    CLASSES.iter().find(|(class, _)| class.name == name).map(|(_, base)| *base)
}

/// Tests whether a built-in class is another one or derives from it.
pub(crate) fn derives(name: &str, of: &str) -> bool {
    name == of || base(name).is_some_and(|base| derives(base, of))
}

/// The name of a built-in exception class.
pub(crate) fn class_name(class: &ScriptValue) -> Option<&'static str> {
    let builtin = class.as_host::<Builtin>()?;
    matches!(builtin.kind, BuiltinKind::Exception).then_some(builtin.native.name)
}

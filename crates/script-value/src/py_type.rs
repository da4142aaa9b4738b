//! Types of parameters and results of script functions, as annotations in Python.
//!
//! A type is a constant of the Rust type that converts to or from it ([`FromScript::TYPE`], [`IntoScript::TYPE`]), and
//! says all that a stub needs: classes of nodes by their type, and names of its own with their definition.
//!
//! [`FromScript::TYPE`]: crate::FromScript::TYPE
//! [`IntoScript::TYPE`]: crate::IntoScript::TYPE

use std::fmt;

use tvmscript_ir_core::{Class, TypeInfo};

/// A Python type.
///
/// ```
/// use tvmscript_script_value::{FromScript, PyType};
///
/// assert_eq!(<Option<Vec<i64>>>::TYPE.to_string(), "Sequence[int] | None");
///
/// const SIZE: PyType = PyType::Alias { name: "Size", is: &PyType::Union { of: &[PyType::INT, PyType::STR] } };
/// assert_eq!(SIZE.to_string(), "Size");
/// ```
#[derive(Clone, Copy)]
pub enum PyType {
    /// A built-in class, or a name of Python's module `typing`.
    Name(&'static str),
    /// A class of nodes.
    Node(fn() -> &'static TypeInfo),
    /// A class of nodes that was registered at run time.
    Class(&'static TypeInfo),
    /// A generic type with its arguments: `Sequence[int]`. The name is as in [`PyType::Name`].
    Generic {
        /// The name.
        name: &'static str,
        /// The arguments.
        of: &'static [PyType],
    },
    /// Alternatives: `int | None`.
    Union {
        /// The types.
        of: &'static [PyType],
    },
    /// A scope that yields a value of the type when it is entered.
    Scope {
        /// The type of the value.
        of: &'static PyType,
    },
    /// A type with a name of its own.
    Alias {
        /// The name.
        name: &'static str,
        /// The type.
        is: &'static PyType,
    },
    /// A class of objects that are not nodes.
    Opaque(&'static str),
}

impl PyType {
    /// Any value.
    pub const ANY: PyType = PyType::Name("Any");
    /// `None`.
    pub const NONE: PyType = PyType::Name("None");
    /// A bool.
    pub const BOOL: PyType = PyType::Name("bool");
    /// An integer.
    pub const INT: PyType = PyType::Name("int");
    /// A floating-point number; in annotations, integers too.
    pub const FLOAT: PyType = PyType::Name("float");
    /// Text.
    pub const STR: PyType = PyType::Name("str");

    /// The class of a node type.
    pub const fn node<T: Class>() -> PyType {
        PyType::Node(T::type_info)
    }
}

/// The last part of a type key, which is the name of the class in Python: `Var` of `toy.expr.Var`.
pub fn class_name(info: &TypeInfo) -> &'static str {
    let key = info.key();
    key.rsplit_once('.').map_or(key, |(_, name)| name)
}

impl fmt::Display for PyType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let joined = |f: &mut fmt::Formatter<'_>, of: &[PyType], between: &str| {
            for (index, part) in of.iter().enumerate() {
                f.write_str(if index == 0 { "" } else { between })?;
                part.fmt(f)?;
            }
            Ok(())
        };
        match self {
            PyType::Name(name) | PyType::Alias { name, .. } | PyType::Opaque(name) => f.write_str(name),
            PyType::Node(info) => f.write_str(class_name(info())),
            PyType::Class(info) => f.write_str(class_name(info)),
            PyType::Generic { name, of } => {
                write!(f, "{name}[")?;
                joined(f, of, ", ")?;
                f.write_str("]")
            }
            PyType::Union { of } => joined(f, of, " | "),
            PyType::Scope { of } => write!(f, "Scope[{of}]"),
        }
    }
}

impl fmt::Debug for PyType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

//! Signs: forms of a text that tell a release from the others of its registry.

/// A form that tells a release from others.
#[derive(Debug, Clone, Copy)]
pub struct Sign {
    /// The form as messages show it.
    pub text: &'static str,
    /// The form.
    pub form: Form,
    /// Strength of the evidence.
    pub strength: Strength,
}

/// Strength of a [`Sign`]. Imports are stronger than all signs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strength {
    /// Common in the release's texts, possible in others.
    Hint,
    /// A form that the other releases read in another way, or not at all.
    Form,
    /// A form that only the printer of the release writes. It counts like [`Strength::Form`] in printed text, and not at all
    /// in Python files.
    Printed,
}

/// A form in the syntax tree that a [`Sign`] looks for. Names are those of a dialect's namespace, whatever the text calls it.
#[derive(Debug, Clone, Copy)]
pub enum Form {
    /// An import of a Python module, of a module below it, or of a member.
    Import(&'static str),
    /// A comment of the header of printed text.
    Header(&'static str),
    /// A header of printed text that imports a namespace, without a line: dialect and line.
    HeaderWithout(&'static str, &'static str),
    /// One of several names of a dialect's namespace.
    Names(&'static str, &'static [&'static str]),
    /// One of several names of a group in a dialect's namespace, `P.group.name`.
    Members(&'static str, &'static str, &'static [&'static str]),
    /// One of several names of a dialect's namespace, in a text in which no call of a dialect has a keyword.
    NamesWithout(&'static str, &'static [&'static str], &'static str),
    /// A keyword in a call of a dialect's function.
    Keyword(&'static str, &'static str),
    /// A keyword with the value `None` in a call of a dialect's function.
    AbsentKeyword(&'static str, &'static str),
    /// A keyword with dots.
    DottedKeyword,
    /// A call of a dialect's function whose first argument is a name.
    NameArgument(&'static str, &'static str),
    /// A call of a dialect's function that annotates a value: `p: P.handle("int64") = value`.
    Annotation(&'static str, &'static str),
    /// A call of a dialect's function whose first argument is a tuple with a string.
    TextInTuple(&'static str),
    /// A call of a function of Python.
    Call(&'static str),
    /// Type parameters of a function.
    TypeParameters,
    /// The start of a key: of a dictionary, of an entry of the metadata section, or of a string argument.
    Key(&'static str),
}

impl Sign {
    /// A form that other releases do not read in the same way.
    pub const fn new(text: &'static str, form: Form) -> Sign {
        Sign { text, form, strength: Strength::Form }
    }

    /// A form that is possible in other releases.
    pub const fn hint(text: &'static str, form: Form) -> Sign {
        Sign { text, form, strength: Strength::Hint }
    }

    /// A form of the release's printer.
    pub const fn printed(text: &'static str, form: Form) -> Sign {
        Sign { text, form, strength: Strength::Printed }
    }
}

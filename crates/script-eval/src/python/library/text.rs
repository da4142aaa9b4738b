//! `string`.

use super::{Constant, Library};

pub(super) static STRING: Library = Library {
    path: "string",
    constants: &[
        ("ascii_letters", Constant::Str("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")),
        ("ascii_lowercase", Constant::Str("abcdefghijklmnopqrstuvwxyz")),
        ("ascii_uppercase", Constant::Str("ABCDEFGHIJKLMNOPQRSTUVWXYZ")),
        ("digits", Constant::Str("0123456789")),
        ("hexdigits", Constant::Str("0123456789abcdefABCDEF")),
        ("octdigits", Constant::Str("01234567")),
        ("punctuation", Constant::Str("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")),
        (
            "printable",
            Constant::Str(
                "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ \t\n\r\x0b\x0c",
            ),
        ),
        ("whitespace", Constant::Str(" \t\n\r\x0b\x0c")),
    ],
    missing: "Formatter Template capwords",
    ..Library::EMPTY
};

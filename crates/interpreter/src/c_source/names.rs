//! Identifiers of C that are unique among those that are visible.

use std::collections::{HashMap, HashSet};

/// Keywords, names of the headers that a text includes, and those of the C library that compilers know.
const RESERVED: &[&str] = &[
    "auto",
    "break",
    "case",
    "char",
    "const",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extern",
    "float",
    "for",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "register",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "typedef",
    "union",
    "unsigned",
    "void",
    "volatile",
    "while",
    "bool",
    "true",
    "false",
    "NULL",
    "INFINITY",
    "NAN",
    "isnan",
    "isinf",
    "isfinite",
    "asm",
    "main",
    "abort",
    "calloc",
    "free",
    "malloc",
    "exit",
    "memcpy",
    "memset",
    "memmove",
    "size_t",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "ceil",
    "copysign",
    "cos",
    "cosh",
    "div",
    "erf",
    "erfc",
    "exp",
    "exp2",
    "expm1",
    "fabs",
    "fdim",
    "floor",
    "fma",
    "fmax",
    "fmin",
    "fmod",
    "frexp",
    "hypot",
    "index",
    "j0",
    "j1",
    "jn",
    "ldexp",
    "lgamma",
    "log",
    "log10",
    "log1p",
    "log2",
    "logb",
    "lrint",
    "lround",
    "modf",
    "nan",
    "nearbyint",
    "nextafter",
    "pow",
    "remainder",
    "remquo",
    "rint",
    "round",
    "scalbn",
    "signbit",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "tgamma",
    "trunc",
    "y0",
    "y1",
    "yn",
    "abs",
    "labs",
    "llabs",
    "rand",
    "random",
    "system",
    "read",
    "write",
    "printf",
    "puts",
    "signgam",
    "gamma",
    "select",
    "qsort",
    "bsearch",
    "I",
    "strcmp",
    "strlen",
    "strcpy",
    "memcmp",
    "memchr",
    "realloc",
    "fread",
    "fwrite",
    "fprintf",
    "stdin",
    "stdout",
    "stderr",
    "remove",
    "rename",
    "linux",
    "unix",
];

/// Identifiers in use, in nested blocks.
#[derive(Debug, Default)]
pub(super) struct Names {
    used: HashSet<String>,
    /// For each name without a number, the first number that may be free.
    next: HashMap<String, usize>,
    /// The names of each open block, each with the name without a number, and the number that was next before.
    blocks: Vec<Vec<(String, String, usize)>>,
}

impl Names {
    pub(super) fn open(&mut self) {
        self.blocks.push(Vec::new());
    }

    /// Frees the names of the innermost block.
    pub(super) fn close(&mut self) {
        for (name, base, next) in self.blocks.pop().unwrap_or_default().into_iter().rev() {
            self.used.remove(&name);
            self.next.insert(base, next);
        }
    }

    /// A new identifier like a name.
    pub(super) fn define(&mut self, hint: &str) -> String {
        let mut base: String =
            hint.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).take(60).collect();
        // Names that begin with an underscore belong to the compiler, those with this prefix to the helpers.
        if !base.starts_with(|c: char| c.is_ascii_alphabetic()) || base.starts_with("tir_") {
            base.insert_str(0, "v_");
        }
        if is_reserved(&base) {
            base.push('_');
        }
        let first = self.next.get(&base).copied().unwrap_or_default();
        let mut number = first;
        let name = loop {
            let name = if number == 0 { base.clone() } else { format!("{base}_{number}") };
            number += 1;
            if self.used.insert(name.clone()) {
                break name;
            }
        };
        self.next.insert(base.clone(), number);
        if let Some(block) = self.blocks.last_mut() {
            block.push((name.clone(), base, first));
        }
        name
    }
}

fn is_reserved(name: &str) -> bool {
    let stem = name.strip_suffix(['f', 'l']).unwrap_or(name);
    RESERVED.contains(&name) || RESERVED.contains(&stem) || name.ends_with("_t")
}

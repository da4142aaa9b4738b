//! Programs in C++17, over the header `tvmscript.hpp` of the C interface.

use std::fmt::Write as _;

use crate::arena::DocArena;
use crate::error::PrintError;
use crate::expr::Expr;

use super::dynamic::{self, Printed, Words};
use super::expressions::Spelling;
use super::{ModuleName, Program};

/// Keywords of C++.
pub(super) const RESERVED: &str = "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t \
    class compl const constexpr const_cast continue decltype default delete do double dynamic_cast else enum explicit \
    export extern false float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr \
    operator or or_eq private protected public register reinterpret_cast return short signed sizeof static \
    static_assert static_cast struct switch template this thread_local throw true try typedef typeid typename union \
    unsigned using virtual void volatile wchar_t while xor xor_eq";

/// Names that programs use.
const NAMES: &str = "build call dict kw lambda list main name none program scope std tuple tvmscript val values with Program \
    Scope Value";

/// Prints a program as a function `build`; with `main`, it prints what it builds when it runs.
///
/// # Errors
/// If the program has other statements or expressions than programs may have, or its text is too long.
pub fn print(
    docs: &DocArena,
    program: &Program<'_>,
    main: bool,
    max_bytes: usize,
) -> Result<String, PrintError> {
    let reserved = RESERVED.split_whitespace().chain(NAMES.split_whitespace()).map(str::to_owned).collect();
    let words = Words { variable: "Value ", scope: "Scope " };
    let Printed { body, result, modules, .. } =
        dynamic::print(docs, program, Cpp, words, reserved, max_bytes)?;
    let needed = super::needed(modules.iter().copied());
    let mut text = "#include <tvmscript.hpp>\n\n".to_owned();
    match &needed {
        None => text.push_str("tvmscript::Object build() {\n"),
        Some(needed) => {
            text.push_str(&format!("// {needed}\ntvmscript::Object build(tvmscript_registry registry) {{\n"))
        }
    }
    text.push_str("    using namespace tvmscript::builder;\n");
    text.push_str(if needed.is_some() {
        "    Program program(registry);\n"
    } else {
        "    Program program;\n"
    });
    for ModuleName { name, module, member } in modules.iter().filter(|module| !module.is_of_registry()) {
        let member = member.as_deref().unwrap_or_default();
        text.push_str(&format!(
            "    program.import({}, {}, {});\n",
            string(module),
            string(member),
            string(name)
        ));
    }
    text.push_str(&body);
    text.push_str(&format!("    return program.finish({result});\n}}\n"));
    if main {
        text.push_str(if needed.is_some() { MAIN_OF_FILES } else { MAIN });
    }
    Ok(text)
}

/// As [`MAIN`], with the descriptions of dialects that the arguments of the command name.
const MAIN_OF_FILES: &str = "
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

int main(int argc, char **argv) {
    try {
        std::vector<std::string> texts;
        for (int i = 1; i < argc; ++i) {
            std::ifstream file(argv[i]);
            texts.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
        }
        tvmscript::Dialects dialects(texts);
        std::cout << build(dialects.registry()).print() << '\\n';
        return 0;
    } catch (const std::exception &error) {
        std::cerr << error.what() << '\\n';
        return 1;
    }
}
";

/// The function that prints what a program builds.
const MAIN: &str = "
#include <exception>
#include <iostream>

int main() {
    try {
        std::cout << build().print() << '\\n';
        return 0;
    } catch (const std::exception &error) {
        std::cerr << error.what() << '\\n';
        return 1;
    }
}
";

struct Cpp;

impl Spelling for Cpp {
    const CONVERSION: [&'static str; 2] = ["val(", ")"];
    const ARGUMENTS: [&'static str; 2] = ["{", "}"];
    const KEYWORDS: [&'static str; 2] = ["", ", "];
    const INVERT: &'static str = "~";

    fn literal(&self, docs: &DocArena, expr: Expr) -> Option<String> {
        match expr {
            Expr::None => Some("none()".to_owned()),
            expr => literal(docs, expr),
        }
    }

    fn string(&self, text: &str) -> String {
        string(text)
    }

    fn keyword(&self, keyword: &str) -> [String; 2] {
        [format!("kw({}, ", string(keyword)), ")".to_owned()]
    }

    fn lambda(&self, names: &[&str], variables: &[&str]) -> [String; 2] {
        let variables: Vec<String> = variables.iter().map(|name| format!("Value {name}")).collect();
        let names: Vec<String> = names.iter().map(|name| string(name)).collect();
        let begin = format!("lambda({{{}}}, [=]({}) {{ return ", names.join(", "), variables.join(", "));
        [begin, "; })".to_owned()]
    }
}

/// A literal; `None` if the expression is none, or is one that C++ lacks.
pub(super) fn literal(docs: &DocArena, expr: Expr) -> Option<String> {
    Some(match expr {
        Expr::Bool(value) => value.to_string(),
        // The smallest numbers are no literals: C++ negates a literal, which is too large.
        Expr::Int(i64::MIN) => format!("({}LL - 1)", i64::MIN + 1),
        Expr::Int(value) if value == i64::from(i32::MIN) => format!("({} - 1)", i32::MIN + 1),
        Expr::Int(value) if i32::try_from(value).is_ok() => value.to_string(),
        Expr::Int(value) => format!("{value}LL"),
        Expr::Float(value) if value.is_nan() => "std::numeric_limits<double>::quiet_NaN()".to_owned(),
        Expr::Float(value) if value.is_infinite() => {
            let sign = if value > 0.0 { "" } else { "-" };
            format!("{sign}std::numeric_limits<double>::infinity()")
        }
        Expr::Float(value) => format!("{value:?}"),
        Expr::Str(text) => string(docs.text(text)),
        _ => return None,
    })
}

/// A string literal. A text with a zero byte tells its length.
fn string(text: &str) -> String {
    let mut literal = String::with_capacity(text.len() + 2);
    literal.push('"');
    let mut before = ' ';
    for c in text.chars() {
        match c {
            '"' | '\\' => literal.extend(['\\', c]),
            '\n' => literal.push_str("\\n"),
            // Compilers may read `??/` as a backslash.
            '?' if before == '?' => literal.push_str("\\?"),
            ' '..='~' => literal.push(c),
            c if c.is_alphanumeric() => literal.push(c),
            // Control characters, and those that change the direction of the text around them.
            c => {
                for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                    // Writing to a string does not fail. Three digits end the escape.
                    let _ = write!(literal, "\\{byte:03o}");
                }
            }
        }
        before = c;
    }
    literal.push('"');
    match text.contains('\0') {
        true => format!("std::string_view({literal}, {})", text.len()),
        false => literal,
    }
}

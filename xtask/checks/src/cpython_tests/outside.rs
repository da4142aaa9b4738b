//! The rules by which a test is outside the core: it uses something that the evaluator leaves out on purpose.
//!
//! Two sources decide: the words of the test's own text, and the typed error that ends it. No test is listed by name.

use tvmscript_script_eval::{EvalError, EvalErrorKind, is_library_module};

use super::suite::{Suite, describe};

/// Built-in functions that run other code, or read files and the state of the interpreter.
const FUNCTIONS: &[&str] = &[
    "exec",
    "eval",
    "compile",
    "open",
    "globals",
    "locals",
    "breakpoint",
    "input",
    "__import__",
    "memoryview",
];

/// Parts of the interpreter that values lead to.
const ATTRIBUTES: &[&str] = &[
    "__code__",
    "__closure__",
    "__globals__",
    "__builtins__",
    "__traceback__",
    "tb_next",
    "tb_frame",
    "tb_lineno",
    "with_traceback",
    "gi_frame",
    "gi_code",
    "gi_running",
    "gi_yieldfrom",
    "cr_frame",
    "cr_await",
    "f_locals",
    "f_lineno",
    "f_back",
    "f_globals",
    "co_code",
    "co_consts",
    "__reduce__",
    "__reduce_ex__",
    "__getstate__",
    "__setstate__",
    "__sizeof__",
    "__text_signature__",
    "__weakref__",
    "__subclasses__",
    "__del__",
    "__getformat__",
    "__setformat__",
];

/// Modules and helpers of tests that are about the interpreter.
const WORDS: &[&str] = &[
    "async",
    "await",
    "gc",
    "gc_collect",
    "weakref",
    "threading",
    "pickle",
    "ctypes",
    "_testcapi",
    "dis",
    "check_free_after_iterating",
    "check_sizeof",
    "getrefcount",
    "getsizeof",
    "settrace",
    "setrecursionlimit",
    "setprofile",
    "exc_info",
    "_getframe",
    "stderr",
    "stdout",
    "captured_stderr",
    "captured_stdout",
    "infinite_recursion",
    "RecursionError",
    "warnings",
    "check_warnings",
    "check_syntax_warning",
];

/// Names that imports of a file bind to modules that are not there, with the cause.
pub struct Missing(Vec<(String, String)>);

impl Missing {
    /// Reads the imports of a file and of its modules.
    pub fn of(suite: &Suite) -> Missing {
        let mut found = Vec::new();
        for (module, names) in import_statements(suite.text()) {
            if suite.has_module(&module) || is_library_module(&module) || module == "__future__" {
                if module == "test.support" {
                    let ours = concat!(include_str!("support.py"), "import import_helper\n");
                    let gone = names.iter().filter(|(name, _)| !defines(ours, name));
                    found.extend(
                        gone.map(|(name, bound)| {
                            (bound.clone(), format!("test.support has no `{name}` here"))
                        }),
                    );
                }
                continue;
            }
            if names.is_empty() {
                let first = module.split('.').next().unwrap_or(&module).to_owned();
                if !suite.has_module(&first) {
                    found.push((first, format!("module `{module}`")));
                }
            }
            let is_member = |name: &str| suite.has_module(&format!("{module}.{name}"));
            let names = names.iter().filter(|(name, _)| !is_member(name));
            found.extend(names.map(|(_, bound)| (bound.clone(), format!("module `{module}`"))));
        }
        Missing(found)
    }
}

/// Tests whether a text defines or imports a name at its outermost level.
fn defines(text: &str, name: &str) -> bool {
    let heads =
        [format!("def {name}("), format!("class {name}:"), format!("{name} = "), format!("import {name}")];
    text.lines().any(|line| heads.iter().any(|head| line.starts_with(head)))
}

/// The import statements of a text that stand on one line, or in parentheses: module, and pairs of member and bound name.
fn import_statements(text: &str) -> Vec<(String, Vec<(String, String)>)> {
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let line = line.trim();
        if let Some(rest) = line.strip_prefix("import ") {
            for item in rest.split(['#', ';']).next().unwrap_or_default().split(',') {
                let words: Vec<&str> = item.split_whitespace().collect();
                match words.as_slice() {
                    [module] => found.push(((*module).to_owned(), Vec::new())),
                    [module, "as", name] => {
                        found.push(((*module).to_owned(), vec![((*module).to_owned(), (*name).to_owned())]));
                    }
                    _ => {}
                }
            }
            continue;
        }
        let Some((module, names)) = line.strip_prefix("from ").and_then(|rest| rest.split_once(" import "))
        else {
            continue;
        };
        let mut names = names.to_owned();
        if names.starts_with('(') {
            while !names.contains(')') {
                let Some(next) = lines.next() else { break };
                names.push_str(next);
            }
        }
        let names = names.trim_matches(['(', ')', ' ']).split(',').filter_map(|item| {
            let words: Vec<&str> = item.trim_matches(['(', ')', ' ', '\\']).split_whitespace().collect();
            match words.as_slice() {
                [name] => Some(((*name).to_owned(), (*name).to_owned())),
                [name, "as", bound, ..] => Some(((*name).to_owned(), (*bound).to_owned())),
                _ => None,
            }
        });
        found.push((module.trim().to_owned(), names.collect()));
    }
    found
}

/// The cause by which the text of a test is outside the core.
pub fn of_text(text: &str, missing: &Missing) -> Option<String> {
    let words = words(text);
    for (index, word) in words.iter().enumerate() {
        let is_attribute = index > 0 && words.get(index - 1).is_some_and(|before| *before == ".");
        let is_helper = matches!(*word, "import_fresh_module" | "import_module" | "import_helper");
        if is_helper {
            continue;
        }
        if is_attribute && words.get(index.wrapping_sub(2)) == Some(&"support") {
            if !defines(include_str!("support.py"), word) {
                return Some(format!("test.support has no `{word}` here"));
            }
            continue;
        }
        if ATTRIBUTES.contains(word) || WORDS.contains(word) {
            return Some(format!("`{word}`"));
        }
        if is_attribute {
            continue;
        }
        if FUNCTIONS.contains(word) && words.get(index + 1) == Some(&"(") {
            return Some(format!("`{word}`"));
        }
        let is_keyword = words.get(index + 1) == Some(&"=");
        if let Some((_, cause)) = missing.0.iter().find(|(name, _)| name == word && !is_keyword) {
            return Some(cause.clone());
        }
    }
    None
}

/// The cause by which the error that ended a test is outside the core. `around` is the text of the class without its tests,
/// which may have left values unknown.
pub fn of_error(error: &EvalError, around: &str, missing: &Missing) -> Option<String> {
    let text = describe(error);
    match &error.kind {
        EvalErrorKind::Host(host) if host.class() == "SkipTest" => return Some(host.message.clone()),
        EvalErrorKind::UnsupportedExpression { what: "`await`" } => return Some("`await`".to_owned()),
        EvalErrorKind::NoAttribute { name, .. } if ATTRIBUTES.contains(&name.as_str()) => {
            return Some(format!("`{name}`"));
        }
        // Private members of modules, and modules in packages.
        EvalErrorKind::NoAttribute { what, name } if what.contains("module") => {
            return Some(format!("`{name}` of {what}"));
        }
        EvalErrorKind::UndefinedName { name } if FUNCTIONS.contains(&name.as_str()) => {
            return Some(format!("`{name}`"));
        }
        _ => {}
    }
    of_reason(&text, missing).or_else(|| match error.kind {
        EvalErrorKind::UnknownValue { .. } => of_text(around, missing),
        _ => None,
    })
}

/// The cause in the text of a reason: an unknown module, or a function that is left out.
pub fn of_reason(text: &str, missing: &Missing) -> Option<String> {
    if text.contains("is not available: host code cannot") || text.contains("from 'test.support") {
        return Some(text.to_owned());
    }
    // A member of a module, or a module.
    if let Some((before, _)) = text.split_once("` is not evaluated")
        && let Some((_, path)) = before.rsplit_once('`')
        && (path.contains('.') || missing.0.iter().any(|(_, cause)| *cause == format!("module `{path}`")))
    {
        return Some(format!("`{path}`"));
    }
    let (_, rest) = text.split_once("ImportError: `")?;
    let (path, rest) = rest.split_once('`')?;
    rest.trim_start().starts_with("cannot be").then(|| format!("`{path}`"))
}

/// The words and marks of a Python text, without comments and the contents of strings.
fn words(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    let (mut out, mut at) = (Vec::new(), 0);
    while let Some(byte) = bytes.get(at).copied() {
        let start = at;
        match byte {
            b'#' => at += bytes.iter().skip(at).take_while(|b| **b != b'\n').count(),
            b'"' | b'\'' => at = string_end(bytes, at),
            _ if is_word(byte) => {
                at += bytes.iter().skip(at).take_while(|b| is_word(**b)).count();
                if !matches!(bytes.get(at), Some(b'"' | b'\'')) {
                    out.extend(text.get(start..at));
                }
            }
            _ => {
                at += 1;
                if !byte.is_ascii_whitespace() {
                    out.extend(text.get(start..at));
                }
            }
        }
    }
    out
}

/// The offset behind the string literal that starts at an offset.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let quote = bytes.get(start).copied().unwrap_or_default();
    let is_triple = bytes.get(start..start + 3) == Some(&[quote; 3]);
    let mut at = start + if is_triple { 3 } else { 1 };
    while let Some(byte) = bytes.get(at).copied() {
        match byte {
            b'\\' => at += 2,
            b'\n' if !is_triple => return at,
            _ if byte == quote && !is_triple => return at + 1,
            _ if byte == quote && bytes.get(at..at + 3) == Some(&[quote; 3]) => return at + 3,
            _ => at += 1,
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_strings_and_comments_do_not_count() {
        let missing = Missing(vec![("pickle2".to_owned(), "module `pickle2`".to_owned())]);
        assert_eq!(of_text("x = 'exec(1)'  # eval(2)\n\"\"\"open(3)\"\"\"\n", &missing), None);
        assert_eq!(of_text("self.exec(1)\n", &missing), None);
        assert_eq!(of_text("exec('1')\n", &missing), Some("`exec`".to_owned()));
        assert_eq!(of_text("pickle2.dumps(1)\n", &missing), Some("module `pickle2`".to_owned()));
        assert_eq!(of_text("f.__code__\n", &missing), Some("`__code__`".to_owned()));
    }

    #[test]
    fn imports_of_all_forms_are_read() {
        let found = import_statements("import a, b.c as d\nfrom e import (f,\n    g as h)\n");
        let names: Vec<&str> = found.iter().map(|(module, _)| module.as_str()).collect();
        assert_eq!(names, ["a", "b.c", "e"]);
        assert_eq!(found.last().map(|(_, names)| names.len()), Some(2));
    }
}

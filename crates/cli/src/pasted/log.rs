//! Lines that loggers, shells and tracebacks print around a script.

use super::{Lines, begins_script};

const LEVELS: &[&str] = &[
    "TRACE", "DEBUG", "INFO", "NOTE", "NOTICE", "WARN", "WARNING", "ERROR", "CRITICAL", "FATAL", "Info",
    "Debug", "Warning", "Error", "info", "debug", "warning", "error",
];

/// A reader of the tokens of a prefix.
struct Cursor<'a> {
    rest: &'a str,
}

impl<'a> Cursor<'a> {
    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at_checked(length).unwrap_or((self.rest, ""));
        self.rest = rest;
        taken
    }

    /// `12:00:01`, `12:00:01.123`, `12:00:01,123`
    fn time(&mut self) -> bool {
        let shape = digits_and(self.rest, "dd:dd:dd").or_else(|| digits_and(self.rest, "d:dd:dd"));
        let Some(length) = shape else { return false };
        self.take(length);
        if let Some(rest) = self.rest.strip_prefix(['.', ',']) {
            let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            self.take(1 + digits);
        }
        let zone = self.rest.starts_with('Z')
            || self.rest.starts_with(['+', '-']) && digits_and(&self.rest[1..], "dd:dd").is_some();
        if zone {
            self.take(if self.rest.starts_with('Z') { 1 } else { 6 });
        }
        true
    }

    /// `2024-05-01`, `2024/05/01`, `05-01`, glog's `I0501`, each with a time
    fn date(&mut self) -> bool {
        let before = self.rest;
        let shapes = ["dddd-dd-dd", "dddd/dd/dd", "dd-dd", "dd/dd/dddd"];
        let length = shapes.iter().find_map(|shape| digits_and(self.rest, shape)).or_else(|| {
            let rest = self.rest.strip_prefix(['I', 'W', 'E', 'F', 'D'])?;
            digits_and(rest, "dddd").map(|length| 1 + length)
        });
        let Some(length) = length else { return false };
        self.take(length);
        self.rest = self.rest.trim_start_matches(['T', ' ']);
        let is_date = self.time();
        if !is_date {
            self.rest = before;
        }
        is_date
    }

    fn level(&mut self) -> bool {
        let end = self.rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(self.rest.len());
        let is_level = self.rest.get(..end).is_some_and(|word| LEVELS.contains(&word));
        let is_ended = self
            .rest
            .get(end..)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with([':', ' ', ']', '|', ',', '\t', '(']));
        let is_it = is_level && is_ended;
        if is_it {
            self.take(end);
        }
        is_it
    }

    /// `pipeline.py:50`, `/tvm/src/target.cc:123`, `root`, a process number: weak parts after a strong one
    fn origin(&mut self) -> bool {
        let end = self.rest.find([' ', ']']).unwrap_or(self.rest.len());
        let word = self.rest.get(..end).unwrap_or_default().trim_end_matches(':');
        let is_place = word.rsplit_once(':').is_some_and(|(path, line)| {
            path.contains('.') && !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit())
        });
        let is_number = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
        let is_it = is_place || is_number;
        if is_it {
            self.take(word.len());
        }
        is_it
    }

    /// `[..]` around a time, a date, a level or a count
    fn bracket(&mut self) -> bool {
        let before = self.rest;
        if !self.rest.starts_with('[') {
            return false;
        }
        self.take(1);
        let inner = |c: &mut Cursor<'_>| c.date() || c.time() || c.level() || c.count();
        let mut is_any = false;
        while inner(self) || is_any && self.origin() {
            is_any = true;
            self.rest = self.rest.trim_start_matches([' ', ',', '|', ':']);
        }
        if is_any && self.rest.starts_with(']') {
            self.take(1);
            return true;
        }
        self.rest = before;
        false
    }

    /// `3/10`, `12.5%`, `1.234s`
    fn count(&mut self) -> bool {
        let end = self.rest.find(']').unwrap_or(0);
        let word = self.rest.get(..end).unwrap_or_default().trim();
        let is_it = word.starts_with(|c: char| c.is_ascii_digit())
            && word.ends_with(|c: char| c.is_ascii_digit() || matches!(c, '%' | 's'))
            && word.contains(['/', '%', 's'])
            && word
                .bytes()
                .all(|byte| byte.is_ascii_digit() || matches!(byte, b'/' | b'.' | b'%' | b's' | b' '));
        if is_it {
            self.take(end);
        }
        is_it
    }
}

/// The length of a text of digits (`d`) and other characters.
fn digits_and(text: &str, shape: &str) -> Option<usize> {
    let fits = |(byte, shape): (u8, u8)| if shape == b'd' { byte.is_ascii_digit() } else { byte == shape };
    (text.len() >= shape.len() && text.bytes().zip(shape.bytes()).all(fits)).then_some(shape.len())
}

/// The text after the prefix of a log line; `None` if the line has none.
pub(super) fn after_prefix(line: &str) -> Option<&str> {
    let mut cursor = Cursor { rest: line };
    let mut is_log = false;
    let mut end = line;
    loop {
        let strong = cursor.bracket() || cursor.date() || cursor.time() || cursor.level();
        let weak = !strong && is_log && cursor.origin();
        if !strong && !weak {
            break;
        }
        is_log |= strong;
        // A separator belongs to the prefix, and one space; more are indentation.
        let trimmed = cursor.rest.trim_start_matches(' ');
        let rest = match trimmed.strip_prefix([':', '|', '-', ']', ',']) {
            Some(rest) => {
                let named = rest.split_once(':').filter(|(name, _)| is_logger(name));
                if let (true, Some((_, message))) = (trimmed.starts_with(':'), named) {
                    // `INFO:root:message` has no spaces.
                    return Some(message);
                }
                rest
            }
            None => cursor.rest,
        };
        // `- root - INFO -`
        let rest = match rest.strip_prefix(' ').and_then(|rest| rest.split_once(" - ")) {
            Some((name, rest)) if is_logger(name) => rest,
            _ => rest,
        };
        end = rest.strip_prefix(' ').unwrap_or(rest);
        cursor.rest = rest.trim_start_matches(' ');
    }
    is_log.then_some(end)
}

/// Tests for the name of a logger: `root`, `tvm.relax`.
fn is_logger(name: &str) -> bool {
    !name.is_empty()
        && name.len() < 60
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'))
}

/// Tests for a command of a shell: `$ python3 a.py`, `user@host:~$ ls`.
fn is_command(line: &str) -> bool {
    let prompt = line.split_once("$ ").map(|(prompt, _)| prompt);
    prompt.is_some_and(|prompt| {
        prompt.is_empty() || prompt.contains('@') && !prompt.starts_with('@') && !prompt.contains('(')
    })
}

/// Tests for `======`, `--- title ---`.
fn is_rule(line: &str) -> bool {
    ["===", "---", "***", "~~~", "+++", "___"].iter().any(|rule| line.starts_with(rule))
}

/// Tests for `/usr/lib/a.py:12: UserWarning: ..`.
fn is_python_warning(line: &str) -> bool {
    let Some((place, rest)) = line.split_once(": ") else { return false };
    let is_place = place.rsplit_once(':').is_some_and(|(path, line)| {
        path.contains('.') && line.bytes().all(|byte| byte.is_ascii_digit()) && !line.is_empty()
    });
    is_place
        && rest.split(':').next().is_some_and(|kind| kind.ends_with("Warning") || kind.ends_with("Error"))
}

/// Words that begin a statement or an expression of Python before another word.
const PYTHON_WORDS: &[&str] = &[
    "assert", "async", "await", "class", "def", "del", "elif", "except", "for", "from", "global", "if",
    "import", "lambda", "match", "nonlocal", "not", "raise", "return", "type", "while", "with", "yield",
    "case", "else", "try", "finally", "pass", "break", "continue",
];

/// Tests for words that cannot be Python: `After lowering`, `Before:`.
fn is_prose(line: &str) -> bool {
    let is_word = |word: &str| word.chars().all(char::is_alphabetic) && !word.is_empty();
    let mut words = line.split_whitespace();
    let first = words.next().unwrap_or_default();
    let name = first.trim_end_matches([':', ',', '.', '!']);
    if line.starts_with([' ', '\t']) || !is_word(name) || PYTHON_WORDS.contains(&name) {
        return false;
    }
    match words.next() {
        Some(second) => {
            let second = second.trim_end_matches([':', ',', '.', '!']);
            is_word(second) && !matches!(second, "if" | "for" | "and" | "or" | "in" | "is" | "not")
        }
        None => first != name,
    }
}

/// Leaves out the lines of logs, shells and tracebacks.
pub(super) fn remove(text: &mut Lines) {
    let logged = text.filled().filter(|(_, line)| after_prefix(line).is_some()).count();
    let lines = text.filled().count();
    if logged > 2 && logged * 2 > lines {
        // The logger wrote each line of the script with a prefix.
        text.rewrite("the prefixes of a log", |_, line| {
            let rest = after_prefix(line)?;
            let is_code = rest.starts_with([' ', '\t', ')', ']', '}']) || begins_script(rest);
            Some(if is_code || assigns(rest) { rest.to_owned() } else { String::new() })
        });
        return;
    }
    let mut is_traceback = false;
    text.rewrite("log lines", |_, line| {
        if is_traceback {
            is_traceback = line.starts_with([' ', '\t']) || line.is_empty();
            return Some(String::new());
        }
        if line.starts_with("Traceback (most recent call last)") {
            is_traceback = true;
            return Some(String::new());
        }
        if let Some(rest) = after_prefix(line) {
            return Some(if begins_script(rest) { rest.to_owned() } else { String::new() });
        }
        (is_command(line) || is_rule(line) || is_python_warning(line)).then(String::new)
    });
    text.rewrite("words around the script", |_, line| is_prose(line).then(String::new));
}

/// Tests for `name = ..`.
fn assigns(line: &str) -> bool {
    line.split_once(" = ").is_some_and(|(name, _)| is_logger(name))
}

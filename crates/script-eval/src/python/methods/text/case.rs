//! Upper, lower and title case.

use crate::python::unicode::{is_cased, is_title as is_title_letter, push_title};

/// Calls `f` with each character and its lower case in context: a final sigma has a form of its own.
fn with_lower(s: &str, mut f: impl FnMut(char, &str)) {
    let lower = s.to_lowercase();
    let mut rest = lower.as_str();
    for c in s.chars() {
        let count = c.to_lowercase().count();
        let end = rest.char_indices().nth(count).map_or(rest.len(), |(byte, _)| byte);
        let (this, behind) = rest.split_at(end);
        f(c, this);
        rest = behind;
    }
}

/// `str.capitalize`
pub(super) fn capitalize(s: &str) -> String {
    let mut out = String::new();
    with_lower(s, |c, lower| match out.is_empty() {
        true => push_title(c, &mut out),
        false => out.push_str(lower),
    });
    out
}

/// `str.title`
pub(super) fn title(s: &str) -> String {
    let mut out = String::new();
    let mut inside = false;
    with_lower(s, |c, lower| {
        match inside {
            true => out.push_str(lower),
            false => push_title(c, &mut out),
        }
        inside = is_cased(c);
    });
    out
}

/// `str.swapcase`
pub(super) fn swap(s: &str) -> String {
    let mut out = String::new();
    with_lower(s, |c, lower| {
        if c.is_uppercase() {
            out.push_str(lower);
        } else if c.is_lowercase() {
            out.extend(c.to_uppercase());
        } else {
            out.push(c);
        }
    });
    out
}

/// `str.istitle`
pub(super) fn is_title(s: &str) -> bool {
    let (mut inside, mut any) = (false, false);
    for c in s.chars() {
        if c.is_uppercase() || is_title_letter(c) {
            if inside {
                return false;
            }
            (inside, any) = (true, true);
        } else if c.is_lowercase() {
            if !inside {
                return false;
            }
            any = true;
        } else {
            inside = false;
        }
    }
    any
}

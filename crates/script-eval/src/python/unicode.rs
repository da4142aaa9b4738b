//! Unicode properties of characters, as Python defines them.

use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// Ideographs that stand for numbers. All other numeric characters have a numeric category.
const NUMERIC_LETTERS: &str = "㐅㒃㠪㭍一七万三九二五亖亿什仟仨伍佰億兆兩八六十千卄卅卌叁参參叄四壱壹幺廾廿弌弍弎弐拾捌柒漆玖百肆萬貮貳贰阡陆陌陸零\
    \u{f96b}\u{f973}\u{f978}\u{f9b2}\u{f9d1}\u{f9d3}\u{f9fd}\u{20001}\u{20064}\u{200e2}\u{20121}\
    \u{2092a}\u{20983}\u{2098c}\u{2099c}\u{20aea}\u{20afd}\u{20b19}\u{22390}\u{22998}\u{23b1b}\
    \u{2626d}\u{2f890}";

/// `str.casefold`
pub(crate) fn casefold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            // Their capital letters are older, or have another small letter.
            '\u{131}' | '\u{13a0}'..='\u{13f5}' => out.push(c),
            '\u{ab70}'..='\u{abbf}' => out.extend(c.to_uppercase()),
            c => out.extend(c.to_uppercase().flat_map(char::to_lowercase)),
        }
    }
    out
}

/// `str.isalpha` of a character.
pub(crate) fn is_alpha(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphabetic();
    }
    c.general_category_group() == GeneralCategoryGroup::Letter
}

/// `str.isdecimal` of a character.
pub(crate) fn is_decimal(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_digit();
    }
    c.general_category() == GeneralCategory::DecimalNumber
}

/// `str.isdigit` of a character: decimal digits, superscripts, circled digits and their like (`Numeric_Type=Digit`).
#[rustfmt::skip]
pub(crate) fn is_digit(c: char) -> bool {
    is_decimal(c) || matches!(c,
        '\u{b2}'..='\u{b3}' | '\u{b9}' | '\u{1369}'..='\u{1371}' | '\u{19da}'
        | '\u{2070}' | '\u{2074}'..='\u{2079}' | '\u{2080}'..='\u{2089}' | '\u{2460}'..='\u{2468}'
        | '\u{2474}'..='\u{247c}' | '\u{2488}'..='\u{2490}' | '\u{24ea}' | '\u{24f5}'..='\u{24fd}'
        | '\u{24ff}' | '\u{2776}'..='\u{277e}' | '\u{2780}'..='\u{2788}' | '\u{278a}'..='\u{2792}'
        | '\u{10a40}'..='\u{10a43}' | '\u{10e60}'..='\u{10e68}' | '\u{11052}'..='\u{1105a}' | '\u{1f100}'..='\u{1f10a}')
}

/// `str.isnumeric` of a character.
pub(crate) fn is_numeric(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_digit();
    }
    c.general_category_group() == GeneralCategoryGroup::Number || NUMERIC_LETTERS.contains(c)
}

/// `str.isalnum` of a character.
pub(crate) fn is_alnum(c: char) -> bool {
    is_alpha(c) || is_numeric(c) || is_digit(c)
}

/// `str.isspace` of a character, as `split` and `strip` use it.
pub(crate) fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\x1c'..='\x1f').contains(&c)
}

/// Tests for a line break of `str.splitlines`.
pub(crate) fn is_line_break(c: char) -> bool {
    matches!(c, '\n'..='\r' | '\x1c'..='\x1e' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// `str.isprintable` of a character: `repr` does not escape it.
pub(crate) fn is_printable(c: char) -> bool {
    if c.is_ascii() {
        return matches!(c, ' '..='~');
    }
    !matches!(c.general_category_group(), GeneralCategoryGroup::Other | GeneralCategoryGroup::Separator)
}

/// Tests for a titlecase letter such as `ǅ`.
pub(crate) fn is_title(c: char) -> bool {
    !c.is_ascii() && c.general_category() == GeneralCategory::TitlecaseLetter
}

/// Tests for a cased letter.
pub(crate) fn is_cased(c: char) -> bool {
    c.is_lowercase() || c.is_uppercase() || is_title(c)
}

/// Appends the titlecase mapping of a character.
pub(crate) fn push_title(c: char, out: &mut String) {
    let code = c as u32;
    let one = |code: u32| char::from_u32(code).unwrap_or(c);
    match code {
        0x149 => out.push_str("\u{2bc}N"),
        // Digraphs and Greek letters with titlecase forms; Georgian has none.
        0x1c4..=0x1cc => out.push(one((code - 0x1c4) / 3 * 3 + 0x1c5)),
        0x1f1..=0x1f3 => out.push(one(0x1f2)),
        0x10d0..=0x10ff => out.push(c),
        0x1f80..=0x1faf => out.push(one(code | 8)),
        0x1fb3 | 0x1fc3 | 0x1ff3 => out.push(one(code + 9)),
        0x1fbc | 0x1fcc | 0x1ffc => out.push(c),
        _ => {
            let mut upper = c.to_uppercase();
            out.extend(upper.next());
            for rest in upper {
                match rest {
                    // An iota subscript stays a subscript.
                    '\u{399}' => out.push('\u{345}'),
                    rest => out.extend(rest.to_lowercase()),
                }
            }
        }
    }
}

/// Trims white space and converts decimal digits of any script to ASCII, for `int` and `float`.
pub(crate) fn numeral(text: &str) -> std::borrow::Cow<'_, str> {
    let text = text.trim_matches(is_space);
    if text.is_ascii() {
        return text.into();
    }
    text.chars().map(|c| decimal_value(c).map_or(c, |digit| char::from(b'0' + digit))).collect()
}

/// The value of a decimal digit. The ten digits of a script are contiguous.
fn decimal_value(c: char) -> Option<u8> {
    if !is_decimal(c) {
        return None;
    }
    let mut first = c as u32;
    while char::from_u32(first.wrapping_sub(1)).is_some_and(is_decimal) {
        first -= 1;
    }
    Some(((c as u32 - first) % 10) as u8)
}

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
pub(crate) fn capitalize(s: &str) -> String {
    let mut out = String::new();
    with_lower(s, |c, lower| match out.is_empty() {
        true => push_title(c, &mut out),
        false => out.push_str(lower),
    });
    out
}

/// `str.title`
pub(crate) fn title(s: &str) -> String {
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
pub(crate) fn swap_case(s: &str) -> String {
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
pub(crate) fn is_title_case(s: &str) -> bool {
    let (mut inside, mut any) = (false, false);
    for c in s.chars() {
        if c.is_uppercase() || is_title(c) {
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

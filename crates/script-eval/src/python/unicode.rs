//! What Python knows about single characters.

use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// Characters that are digits without being decimal: superscripts, circled digits and their like (`Numeric_Type=Digit`).
const DIGITS: &[(u32, u32)] = &[
    (0xb2, 0xb3),
    (0xb9, 0xb9),
    (0x1369, 0x1371),
    (0x19da, 0x19da),
    (0x2070, 0x2070),
    (0x2074, 0x2079),
    (0x2080, 0x2089),
    (0x2460, 0x2468),
    (0x2474, 0x247c),
    (0x2488, 0x2490),
    (0x24ea, 0x24ea),
    (0x24f5, 0x24fd),
    (0x24ff, 0x24ff),
    (0x2776, 0x277e),
    (0x2780, 0x2788),
    (0x278a, 0x2792),
    (0x10a40, 0x10a43),
    (0x10e60, 0x10e68),
    (0x11052, 0x1105a),
    (0x1f100, 0x1f10a),
];

/// Ideographs that stand for numbers; all other numeric characters have a numeric category.
const NUMERIC_LETTERS: &[(u32, u32)] = &[
    (0x3405, 0x3405),
    (0x3483, 0x3483),
    (0x382a, 0x382a),
    (0x3b4d, 0x3b4d),
    (0x4e00, 0x4e00),
    (0x4e03, 0x4e03),
    (0x4e07, 0x4e07),
    (0x4e09, 0x4e09),
    (0x4e5d, 0x4e5d),
    (0x4e8c, 0x4e8c),
    (0x4e94, 0x4e94),
    (0x4e96, 0x4e96),
    (0x4ebf, 0x4ec0),
    (0x4edf, 0x4edf),
    (0x4ee8, 0x4ee8),
    (0x4f0d, 0x4f0d),
    (0x4f70, 0x4f70),
    (0x5104, 0x5104),
    (0x5146, 0x5146),
    (0x5169, 0x5169),
    (0x516b, 0x516b),
    (0x516d, 0x516d),
    (0x5341, 0x5341),
    (0x5343, 0x5345),
    (0x534c, 0x534c),
    (0x53c1, 0x53c4),
    (0x56db, 0x56db),
    (0x58f1, 0x58f1),
    (0x58f9, 0x58f9),
    (0x5e7a, 0x5e7a),
    (0x5efe, 0x5eff),
    (0x5f0c, 0x5f0e),
    (0x5f10, 0x5f10),
    (0x62fe, 0x62fe),
    (0x634c, 0x634c),
    (0x67d2, 0x67d2),
    (0x6f06, 0x6f06),
    (0x7396, 0x7396),
    (0x767e, 0x767e),
    (0x8086, 0x8086),
    (0x842c, 0x842c),
    (0x8cae, 0x8cae),
    (0x8cb3, 0x8cb3),
    (0x8d30, 0x8d30),
    (0x9621, 0x9621),
    (0x9646, 0x9646),
    (0x964c, 0x964c),
    (0x9678, 0x9678),
    (0x96f6, 0x96f6),
    (0xf96b, 0xf96b),
    (0xf973, 0xf973),
    (0xf978, 0xf978),
    (0xf9b2, 0xf9b2),
    (0xf9d1, 0xf9d1),
    (0xf9d3, 0xf9d3),
    (0xf9fd, 0xf9fd),
    (0x20001, 0x20001),
    (0x20064, 0x20064),
    (0x200e2, 0x200e2),
    (0x20121, 0x20121),
    (0x2092a, 0x2092a),
    (0x20983, 0x20983),
    (0x2098c, 0x2098c),
    (0x2099c, 0x2099c),
    (0x20aea, 0x20aea),
    (0x20afd, 0x20afd),
    (0x20b19, 0x20b19),
    (0x22390, 0x22390),
    (0x22998, 0x22998),
    (0x23b1b, 0x23b1b),
    (0x2626d, 0x2626d),
    (0x2f890, 0x2f890),
];

fn in_table(table: &[(u32, u32)], c: char) -> bool {
    let at = table.partition_point(|(_, last)| *last < c as u32);
    table.get(at).is_some_and(|(first, _)| *first <= c as u32)
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

/// `str.isdigit` of a character.
pub(crate) fn is_digit(c: char) -> bool {
    is_decimal(c) || in_table(DIGITS, c)
}

/// `str.isnumeric` of a character.
pub(crate) fn is_numeric(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_digit();
    }
    c.general_category_group() == GeneralCategoryGroup::Number || in_table(NUMERIC_LETTERS, c)
}

/// `str.isalnum` of a character.
pub(crate) fn is_alnum(c: char) -> bool {
    is_alpha(c) || is_numeric(c) || is_digit(c)
}

/// `str.isspace` of a character, which is what `split` and `strip` go by.
pub(crate) fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\x1c'..='\x1f').contains(&c)
}

/// Whether `str.splitlines` ends a line here.
pub(crate) fn is_line_break(c: char) -> bool {
    matches!(c, '\n'..='\r' | '\x1c'..='\x1e' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// `str.isprintable` of a character: what `repr` shows as it is.
pub(crate) fn is_printable(c: char) -> bool {
    if c.is_ascii() {
        return matches!(c, ' '..='~');
    }
    !matches!(c.general_category_group(), GeneralCategoryGroup::Other | GeneralCategoryGroup::Separator)
}

/// Whether the character is a title case of its own (`ǅ`).
pub(crate) fn is_title(c: char) -> bool {
    !c.is_ascii() && c.general_category() == GeneralCategory::TitlecaseLetter
}

/// Whether the character has a case.
pub(crate) fn is_cased(c: char) -> bool {
    c.is_lowercase() || c.is_uppercase() || is_title(c)
}

/// Writes the character as the first of a word in title case.
pub(crate) fn push_title(c: char, out: &mut String) {
    let code = c as u32;
    let one = |code: u32| char::from_u32(code).unwrap_or(c);
    match code {
        0x149 => out.push_str("\u{2bc}N"),
        // Digraphs and Greek letters with a title case of their own; Georgian keeps its letters.
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
                    // The iota of a Greek vowel stays below it.
                    '\u{399}' => out.push('\u{345}'),
                    rest => out.extend(rest.to_lowercase()),
                }
            }
        }
    }
}

/// The text with decimal digits of any script as ASCII, spaces around it cut; for `int` and `float`.
pub(crate) fn numeral(text: &str) -> std::borrow::Cow<'_, str> {
    let text = text.trim_matches(is_space);
    if text.is_ascii() {
        return text.into();
    }
    text.chars().map(|c| decimal_value(c).map_or(c, |digit| char::from(b'0' + digit))).collect()
}

/// The value of a decimal digit. Digits of a script follow each other, tens of them where scripts do.
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

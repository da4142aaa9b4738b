//! Mutation of single tokens.

use crate::{Random, Token, tokens};

/// A mutated text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// The new text.
    pub text: String,
    /// The changed token of the original text.
    pub token: Token,
    /// Description of the change.
    pub how: &'static str,
}

/// Deletes, duplicates or misspells a token, or swaps it with the next one on its line. `None` if there are less than
/// two tokens.
#[must_use]
pub fn change_token(text: &str, random: &mut Random) -> Option<Changed> {
    let tokens = tokens(text);
    let last = tokens.len().checked_sub(1).filter(|last| *last > 0)?;
    let index = random.below(last);
    let (token, next) = (&tokens[index], &tokens[index + 1]);
    let (before, this, after) =
        (&text[..token.range.start], &text[token.range.clone()], &text[token.range.end..]);
    let between = &text[token.range.end..next.range.start];
    let (text, how) = match random.below(4) {
        0 => (format!("{before}{after}"), "deleted"),
        1 => (format!("{before}{this}{}{this}{after}", if token.is_word { " " } else { "" }), "doubled"),
        2 if !between.contains('\n') => {
            let other = &text[next.range.clone()];
            (format!("{before}{other}{between}{this}{}", &text[next.range.end..]), "swapped with the next")
        }
        _ => (format!("{before}{}{after}", misspelt(this, random)), "misspelt"),
    };
    Some(Changed { text, token: token.clone(), how })
}

/// Swaps two characters of a token or replaces one.
fn misspelt(token: &str, random: &mut Random) -> String {
    let mut chars: Vec<char> = token.chars().collect();
    let at = random.below(chars.len());
    if chars.len() > 1 && random.below(2) == 0 {
        let other = (at + 1) % chars.len();
        chars.swap(at, other);
    } else {
        let signs = ['x', '(', '.', '"', ':', '7', '$'];
        chars[at] = match chars[at] {
            'a'..='y' | 'A'..='Y' | '0'..='8' if random.below(2) == 0 => {
                char::from_u32(chars[at] as u32 + 1).unwrap_or('q')
            }
            '(' => '[',
            ')' => ']',
            ':' => ';',
            _ => signs[random.below(signs.len())],
        };
    }
    chars.into_iter().collect()
}

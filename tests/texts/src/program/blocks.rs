//! Blocks: pieces of programs about one part of Python each, with holes.
//!
//! The files `blocks/*.txt` hold them; `## ` starts one with its name. `⟨a¦b⟩` is one of the texts between the bars, `§` a
//! number that makes names unique, and `$` and `#` are holes as in all templates; a `#` before a letter, a digit, a point or
//! an underscore is itself. Blocks append what they see to `out`, as the rest of the program does.

use std::sync::OnceLock;

use super::Maker;

struct Block {
    name: &'static str,
    code: &'static str,
}

/// All blocks.
fn blocks() -> &'static [Block] {
    static BLOCKS: OnceLock<Vec<Block>> = OnceLock::new();
    BLOCKS.get_or_init(|| {
        let files = [
            include_str!("blocks/calls.txt"),
            include_str!("blocks/classes.txt"),
            include_str!("blocks/data.txt"),
            include_str!("blocks/exceptions.txt"),
            include_str!("blocks/generators.txt"),
            include_str!("blocks/library.txt"),
            include_str!("blocks/match.txt"),
            include_str!("blocks/values.txt"),
        ];
        let parts =
            files.into_iter().flat_map(|file| file.strip_prefix("## ").unwrap_or(file).split("\n## "));
        parts.filter_map(|part| part.split_once('\n')).map(|(name, code)| Block { name, code }).collect()
    })
}

/// The names of all blocks.
pub fn block_names() -> impl Iterator<Item = &'static str> {
    blocks().iter().map(|block| block.name)
}

/// A `#` that no number replaces.
const LITERAL_HASH: char = '\u{1}';

impl Maker<'_> {
    /// A block: at the level of the module, below `try`, or in a function.
    pub(super) fn part(&mut self) {
        let all = blocks();
        let Some(block) = all.get(self.random.below(all.len())) else { return };
        let number = self.name("");
        let code = self.choose(block.code.trim_end()).replace('§', &number);
        match self.random.below(3) {
            0 => self.part_lines(&code),
            1 => {
                self.line("try:");
                self.indented(|m| m.part_lines(&code));
                self.line("except Exception as e:\n    out.append((type(e).__name__, str(e)))");
            }
            _ => {
                self.line(&format!("def run{number}():"));
                self.indented(|m| m.part_lines(&code));
                self.line(&format!("out.append(attempt(run{number}))"));
            }
        }
    }

    fn part_lines(&mut self, code: &str) {
        let text = self.fill(&literal_hashes(code), 2);
        self.line(&text.replace(LITERAL_HASH, "#"));
    }

    fn indented(&mut self, body: impl FnOnce(&mut Self)) {
        self.indent += 1;
        body(self);
        self.indent -= 1;
    }

    /// Replaces each `⟨a¦b⟩` by one of its texts.
    fn choose(&mut self, code: &str) -> String {
        let mut out = String::new();
        let mut rest = code;
        while let Some((before, behind)) = rest.split_once('⟨') {
            let (options, after) = behind.split_once('⟩').unwrap_or((behind, ""));
            let options: Vec<&str> = options.split('¦').collect();
            out.push_str(before);
            out.push_str(self.one_of(&options));
            rest = after;
        }
        out + rest
    }
}

fn literal_hashes(code: &str) -> String {
    let mut out = String::new();
    let mut chars = code.chars().peekable();
    while let Some(c) = chars.next() {
        let is_literal = c == '#'
            && chars.peek().is_some_and(|next| next.is_ascii_alphanumeric() || ['.', '_'].contains(next));
        out.push(if is_literal { LITERAL_HASH } else { c });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::whole_program;
    use super::*;
    use crate::Random;

    #[test]
    fn names_of_blocks_are_unique() {
        let mut names: Vec<_> = block_names().collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        assert!(count > 80, "{count}");
    }

    #[test]
    fn no_mark_of_a_template_remains() {
        for seed in 0..300 {
            let text = whole_program(&mut Random::new(seed));
            assert!(!text.contains(['⟨', '¦', '⟩', '§', LITERAL_HASH]), "{text}");
        }
    }
}

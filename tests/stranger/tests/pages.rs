//! The code of the pages for authors is that of this crate.

use std::fs;
use std::path::Path;

/// The fenced blocks of a page, each with its language.
fn blocks(page: &str) -> Vec<(&str, &str)> {
    let fenced = page.split("```").skip(1).step_by(2);
    fenced.filter_map(|block| block.split_once('\n')).collect()
}

#[test]
fn pages_quote_this_crate() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |file: &str| fs::read_to_string(root.join(file)).expect("a text");
    let sources: String =
        ["src/shader.rs", "src/robot.rs", "src/passes.rs", "tests/stranger.rs"].map(read).concat();
    for page in ["print-my-ir.md", "parse-my-dialect.md", "write-a-pass.md"] {
        let page = read(&format!("../../docs/{page}"));
        let blocks = blocks(&page);
        assert!(blocks.len() >= 4, "{page}");
        for (language, code) in blocks {
            assert!(["rust,ignore", "python", "text"].contains(&language), "{language}");
            assert!(sources.contains(code.trim_end()), "not in the sources:\n{code}");
        }
    }
}

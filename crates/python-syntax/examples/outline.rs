//! Lists the functions, classes, comments and syntax errors of a Python file.
//!
//! `cargo run -p tvmscript-python-syntax --example outline -- FILE`

use tvmscript_python_syntax::ast::{List, Stmt, StmtId};
use tvmscript_python_syntax::{ParsedPython, PythonOptions, parse_python};

const SAMPLE: &str = "\
# Tiles a matrix.
class Tile:
    def size(self, n): # in elements
        return n // 2

def main(a, b, *rest):
    return a +
";

/// A line of the outline and its position in the text.
type Entry = (u32, String);

fn definitions(parsed: &ParsedPython, body: &[StmtId], depth: usize, out: &mut Vec<Entry>) {
    let ast = &parsed.ast;
    let indent = "  ".repeat(depth);
    for id in body {
        let start = ast.range(*id).start;
        let inner: List<StmtId> = match ast.stmt(*id) {
            Stmt::FunctionDef(def) => {
                let params: Vec<&str> = ast.list(def.params).iter().map(|p| ast.name(p.name)).collect();
                out.push((start, format!("{indent}def {}({})", ast.name(def.name), params.join(", "))));
                def.body
            }
            Stmt::ClassDef(def) => {
                out.push((start, format!("{indent}class {}", ast.name(def.name))));
                def.body
            }
            _ => continue,
        };
        definitions(parsed, ast.list(inner), depth + 1, out);
    }
}

fn main() -> std::io::Result<()> {
    let text = match std::env::args().nth(1) {
        Some(path) => std::fs::read_to_string(path)?,
        None => SAMPLE.to_owned(),
    };
    let parsed = parse_python(&text, &PythonOptions::default());
    let mut entries = Vec::new();
    definitions(&parsed, parsed.ast.module_body(), 0, &mut entries);
    let comments = parsed.comments.iter().map(|c| (c.range.start, text[c.range.to_usize()].to_owned()));
    let errors = parsed.errors.iter().map(|e| (e.range.start, format!("error: {}", e.kind)));
    entries.extend(comments.chain(errors));
    entries.sort();
    for (start, entry) in entries {
        let line = text[..start as usize].matches('\n').count() + 1;
        println!("{line:>4}  {entry}");
    }
    Ok(())
}

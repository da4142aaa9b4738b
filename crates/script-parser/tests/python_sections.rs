//! Reading in sections gives the tree, the places and the errors of reading as a whole.

mod support;

use std::path::{Path, PathBuf};

use tvmscript_script_parser::python::{ParsedPython, PythonOptions, parse_python};

fn read(text: &str, section_bytes: usize) -> ParsedPython {
    let mut options = PythonOptions::default();
    options.section_bytes = section_bytes;
    parse_python(text, &options)
}

/// Compares reading as a whole with reading in sections of several sizes.
fn check(name: &str, text: &str) {
    let whole = read(text, usize::MAX);
    let tree = support::dump(&whole.ast);
    for section_bytes in [0, 30, 100, 300] {
        let parts = read(text, section_bytes);
        assert_eq!(parts.errors, whole.errors, "{name}, sections of {section_bytes} bytes");
        let dump = support::dump(&parts.ast);
        let difference = dump.lines().zip(tree.lines()).find(|(a, b)| a != b);
        assert_eq!(difference, None, "{name}, sections of {section_bytes} bytes");
        assert_eq!(dump.len(), tree.len(), "{name}, sections of {section_bytes} bytes");
        assert_eq!(parts.ast.stmt_count(), whole.ast.stmt_count(), "{name}");
    }
}

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "py"));
    files.sort();
    files
}

#[test]
fn files_read_the_same_in_sections() {
    let folders = ["tests/python_files", "../../tests/fixtures/ok", "../../tests/fixtures/err"];
    for path in folders.iter().flat_map(|folder| files(folder)) {
        check(&path.display().to_string(), &std::fs::read_to_string(&path).unwrap());
    }
}

#[test]
fn every_statement_with_a_block_is_cut() {
    check(
        "blocks",
        "@a\n@b(\n    1)\nclass C(\n    D, e=1\n): # why\n    x = 1\n\n    @f\n    # said\n    def g(self, y=lambda: 0) -> T:\n        \
         while y:\n            y -= 1\n            pass; pass\n        for i, j in z:\n            k(i,\n  j)\n        with p as q, r:\n            \
         return '''\nx: '''\n        if a:\n            b\n        elif c:\n            d\n        else:\n            e\n        \
         for i in j:\n            k\n        else:\n            l\n        try:\n            m\n        except N as n:\n            o\n        \
         finally:\n            p\n        async def h(): pass\n    def f[T](x): pass\n    match x:\n        case 1:\n            pass\n",
    );
}

#[test]
fn odd_layout_is_read_as_a_whole() {
    for text in [
        "class A:\n\tx = 1\n\tdef f():\n\t\ty\n",
        "class A:\n        x = 1\n\tdef f(): pass\n",
        "class A:\n       \tx = 1\n        y = 2\n",
        "class A:\n    def f():\n            x\n        y\n",
        "class A:\n    x\n  y\n",
        "class A:\n    x\n      y\n",
        "class A:\nx = 1\n",
        "class A:\n    @a\n    x = 1\n    def f(:\n        y\n    z\n",
        "class A:\n    f(x=1, 2)\n    1 = 2\n    (a, b + 1) = c\n    x = = 3\n    y\n",
        "class A:\r\n    x = 1\r\n    def f():\r\n        return\r\n",
        "class A:\n    else:\n        x\n    y\n",
        "class A:\n    1 = 2\n    for f() in x:\n        for y in z:\n            1 += 2\n",
        "\u{feff}class A:\n    x = 'ä'\n    for i in y:\n        1 = x\n",
        "class A:\n    x \\\n  = 3\n    # c\n# d\n    y = (\n1)\n",
    ] {
        check(text, text);
    }
}

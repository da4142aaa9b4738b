//! Sources of TileLang: Python that TileLang traces, not text of scripts.
//!
//! Their kernels are calls (`T.Kernel`, `T.copy`) that TileLang runs to build a function. The text of that function is
//! read here.

/// Tests for a file that defines kernels in TileLang's language: it imports the language, and a line names a kernel.
pub(crate) fn is_source(text: &str) -> bool {
    let mut imports = false;
    let mut has_kernel = false;
    for line in text.lines().map(str::trim_start) {
        imports |=
            ["import tilelang.language", "from tilelang.language import", "from tilelang import language"]
                .iter()
                .any(|import| line.starts_with(import));
        imports |= line.starts_with("from tilelang import ") && names_language(line);
        has_kernel |= line.starts_with('@') && (line.contains("prim_func") || line.contains("tilelang.jit"))
            || line.contains(".Kernel(");
    }
    imports && has_kernel
}

/// `from tilelang import language as T, autotune`
fn names_language(line: &str) -> bool {
    let names = line.split_once(" import ").map_or("", |(_, names)| names);
    names.split(',').any(|name| name.trim_matches([' ', '(', ')']).split(' ').next() == Some("language"))
}

#[cfg(test)]
mod tests {
    use super::is_source;

    #[test]
    fn the_language_and_a_kernel() {
        let kernel = "@T.prim_func\ndef main():\n    with T.Kernel(4) as bx:\n        pass\n";
        for import in [
            "import tilelang.language as T\n",
            "from tilelang import language as T\n",
            "from tilelang import autotune, language as T\n",
            "from tilelang.language import *\n",
        ] {
            assert!(is_source(&format!("{import}{kernel}")), "{import}");
        }
        assert!(!is_source(kernel));
        assert!(!is_source(&format!("# import tilelang.language as T\n{kernel}")));
        assert!(!is_source("import tilelang.language as T\nx = 1\n"));
    }
}

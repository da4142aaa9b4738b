//! Fixtures of `fragments/`: each file parses as a fragment and prints to itself.

use tvmscript::{PrinterConfig, print, registry};
use tvmscript_tests::{check_all, fragments};

#[test]
fn the_texts_of_nodes_alone_print_again() {
    check_all("fragments", |fixture| {
        let (head, text) = fixture.text.split_once('\n').ok_or("no text")?;
        let dialect = match head.strip_prefix("# fragment: ") {
            Some("tir") => "tir",
            Some("relax") => "relax",
            _ => return Err("the first line says the dialect: `# fragment: tir`".to_owned()),
        };
        let node = fragments::read(dialect, text)?;
        let config = PrinterConfig { verbose_expr: true, ..PrinterConfig::default() };
        let printed = print(&node, registry(), &config).map_err(|e| e.to_string())?;
        if printed.trim_end() != text.trim_end() {
            return Err(format!("read as {}, it prints\n{printed}", node.info().key()));
        }
        fragments::check(dialect, &node)
    });
}

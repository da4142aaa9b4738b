//! Every node that the parser builds satisfies the invariants of its dialect, as nodes loaded from JSON do.

use tvmscript::ir_core::invariants::violations;
use tvmscript::{ParseOptions, parse, registry};
use tvmscript_tests::fixtures;

#[test]
fn parsed_nodes_hold_their_invariants() {
    let mut found = Vec::new();
    let mut scripts = 0;
    for folder in ["ok", "kernels", "programs"] {
        for fixture in fixtures(folder) {
            let parsed = parse(&fixture.name, &fixture.text, registry(), &ParseOptions::default());
            scripts += parsed.scripts.len();
            for script in parsed.scripts {
                let violations = violations(&script.node, 3);
                found.extend(violations.iter().map(|violation| format!("{}: {violation}", fixture.name)));
            }
        }
    }
    assert!(scripts > 300, "{scripts} scripts");
    assert_eq!(found, [] as [String; 0]);
}

//! Copies with fresh definitions: the same program with other variables.

use tvmscript::ir_core::{EqKind, PtrSet};
use tvmscript::{Object, ParseOptions, copy_fresh, free_variables, parse, post_order_visit, registry};
use tvmscript::{ir, relax, structural_equal, tir};
use tvmscript_tests::fixtures;

/// The variables of any dialect and the buffers below a node.
fn defined(root: &Object) -> PtrSet {
    let mut found = PtrSet::default();
    post_order_visit(root, |node| {
        if node.info().eq_kind() == EqKind::FreeVar || node.is::<tir::Buffer>() {
            found.insert(node.clone());
        }
    });
    found
}

fn errors(node: &Object) -> usize {
    tir::check::well_formed(node).len() + relax::check::well_formed(node).len()
}

#[test]
fn a_copy_is_the_same_program_in_other_variables() {
    let mut wrong = Vec::new();
    let mut functions = 0;
    for folder in ["ok", "kernels", "programs"] {
        for fixture in fixtures(folder) {
            let parsed = parse(&fixture.name, &fixture.text, registry(), &ParseOptions::default());
            for script in parsed.scripts {
                let node = script.node;
                let is_function = node.is::<tir::PrimFunc>() || node.is::<relax::Function>();
                // A variable used outside its scope is two variables for the parser and one for a copy.
                if !is_function || errors(&node) > 0 {
                    continue;
                }
                functions += 1;
                let copy = copy_fresh(&node).unwrap_or_else(|error| panic!("{}: {error}", fixture.name));
                // Free variables are not copied.
                let free: PtrSet = free_variables(&node).into_iter().collect();
                let shared: Vec<Object> = defined(&node).intersection(&defined(&copy)).cloned().collect();
                let is_wrong = |object: &Object| !free.contains(object) && !object.is::<ir::GlobalVar>();
                let shared = shared.iter().filter(|object| is_wrong(object)).count();
                if shared > 0 || (free.is_empty() && !structural_equal(&node, &copy)) {
                    wrong.push(format!("{}: {shared} definitions shared", fixture.name));
                }
                if errors(&copy) > 0 {
                    wrong.push(format!("{}: the copy is not well-formed", fixture.name));
                }
            }
        }
    }
    assert!(functions > 200, "{functions} functions");
    assert_eq!(wrong, [] as [String; 0]);
}

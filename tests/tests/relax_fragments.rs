//! Parts of functions printed by themselves: the text reads back, with the variables that it declares in the place of those
//! that were free.

use tvmscript::ir_core::equal::StructuralEqual;
use tvmscript::ir_core::visit::{Visitor, Walk};
use tvmscript::relax::{BindingBlock, Function, SeqExpr};
use tvmscript::{Object, ParseOptions, PrinterConfig, ir, parse, print, registry};

fn read(text: &str) -> Result<Object, String> {
    let mut options = ParseOptions::default();
    options.fragment_of = Some("relax");
    let parsed = parse("fragment", text, registry(), &options);
    match parsed.errors.first() {
        Some(error) => Err(tvmscript_tests::describe(text, error)),
        None => parsed.scripts.into_iter().next().map(|script| script.node).ok_or("nothing".to_owned()),
    }
}

/// The text of a fragment reads back to the same; the difference in words.
fn check(fragment: &Object) -> Result<(), String> {
    let config = PrinterConfig { verbose_expr: true, ..PrinterConfig::default() };
    let text = print(fragment, registry(), &config).map_err(|e| e.to_string())?;
    let again = read(&text).map_err(|e| format!("{e}\n{text}"))?;
    let equal = StructuralEqual { map_free_vars: true, ..StructuralEqual::default() };
    if !equal.compare(fragment, &again) {
        return Err(format!("another program\n{text}"));
    }
    let twice = print(&again, registry(), &config).map_err(|e| e.to_string())?;
    if twice == text { Ok(()) } else { Err(format!("printed again:\n{twice}\nbefore:\n{text}")) }
}

/// Names of the module's functions and devices have no meaning in a fragment, and functions inside of it declare its free
/// variables again.
fn stands_alone(body: &Object) -> bool {
    let is_foreign = |object: &Object| {
        object.is::<ir::GlobalVar>() || object.is::<ir::VDevice>() || object.is::<Function>()
    };
    let walk = Visitor::new().pre_order(body, |object| match is_foreign(object) {
        true => Walk::Stop,
        false => Walk::Advance,
    });
    !walk.is_break()
}

#[test]
fn bodies_and_blocks_read_back() {
    let mut checked = 0;
    let mut failed = Vec::new();
    for folder in ["ok", "programs"] {
        for fixture in tvmscript_tests::fixtures(folder) {
            if !fixture.text.contains("R.function") {
                continue;
            }
            let Ok(objects) = tvmscript_tests::parse(&fixture.name, &fixture.text) else { continue };
            let mut functions = Vec::new();
            for object in &objects {
                let _ = Visitor::new().pre_order(object, |object| {
                    if object.is::<Function>() {
                        functions.push(object.clone());
                        return Walk::Skip;
                    }
                    Walk::Advance
                });
            }
            for function in &functions {
                let Some(function) = function.as_node::<Function>() else { continue };
                if !stands_alone(function.body.object()) {
                    continue;
                }
                let body: &SeqExpr = &function.body;
                let mut fragments: Vec<Object> = vec![function.body.clone().into()];
                fragments.extend(
                    body.blocks.iter().map(|block: &tvmscript::Ref<BindingBlock>| block.clone().into()),
                );
                for fragment in fragments {
                    checked += 1;
                    if let Err(why) = check(&fragment) {
                        failed.push(format!("{}: {}: {why}", fixture.name, fragment.info().key()));
                    }
                }
            }
        }
    }
    println!("{checked} fragments");
    assert!(checked > 100, "{checked}");
    assert!(failed.is_empty(), "{} of {checked}\n{}", failed.len(), failed.join("\n\n"));
}

#[test]
fn free_variables_are_declared() {
    let text = "n = T.int64()\nx: R.Tensor((n, 3), dtype=\"float32\")\ny: R.Tensor((n, 3), dtype=\"float32\") = R.add(x, x)\ny";
    let node = read(text).expect("it reads");
    assert!(node.is::<SeqExpr>());
    let printed = print(&node, registry(), &PrinterConfig::default()).expect("it prints");
    assert!(printed.ends_with(text), "{printed}");
}

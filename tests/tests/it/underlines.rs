//! Underlined text for each part in which two programs can differ.
//!
//! Each part that equality compares must have text other than a whole function. The parts for which only the name of
//! the function is underlined are listed here: they have no text if they have their default value.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use tvmscript::doc::MapEntry;
use tvmscript::docsifier::{MappedText, print_mapped};
use tvmscript::ir_core::containers::{ArrayNode, MapNode};
use tvmscript::ir_core::type_table::Shape;
use tvmscript::ir_core::{AccessPath, FieldRef, PathStep};
use tvmscript::relax::Function;
use tvmscript::tir::PrimFunc;
use tvmscript::{Object, Value, registry};
use tvmscript_tests::{canonical_options, fixtures, parse_ok};

/// Parts for which the name of the enclosing function is underlined, with the reason.
const BY_NAME_OF_FUNCTION: &[(&str, &str)] = &[
    ("relax.expr.Function.attrs", "no attributes"),
    ("relax.expr.Function.is_pure", "a pure function"),
    ("relax.expr.Function.params", "no parameters"),
    (
        "relax.expr.Function.ret_struct_info",
        "left out where a function without a result is bound to a variable",
    ),
    ("relax.expr.SeqExpr.blocks", "no bindings"),
    ("relax.expr.VarBinding.var", "bound to a function, it has the function's name"),
    ("tir.Block.alloc_buffers", "none, in a root block"),
    ("tir.Block.annotations", "none, in a root block"),
    ("tir.Block.init", "none, in a root block"),
    ("tir.Block.iter_vars", "none, in a root block"),
    ("tir.Block.match_buffers", "none, in a root block"),
    ("tir.Block.reads", "none, in a root block"),
    ("tir.Block.writes", "none, in a root block"),
    ("tir.BlockRealize.iter_values", "none, of a root block"),
    ("tir.BlockRealize.predicate", "true, of a root block"),
    ("tir.PrimFunc.attrs", "no attributes"),
    ("tir.PrimFunc.buffer_map", "no buffers"),
    ("tir.PrimFunc.params", "no parameters"),
    ("tir.PrimFunc.ret_type", "no result"),
];

/// Larger texts contain no further kinds of parts.
const MAX_TEXT_BYTES: usize = 1500;

/// A part of a program with its class and field.
struct Part {
    path: AccessPath,
    holder: String,
}

/// All parts of a node that equality compares, each node by the first path to it.
fn parts(root: &Object) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut met: HashSet<usize> = HashSet::new();
    let mut stack = vec![(AccessPath::root(), root.clone())];
    while let Some((path, node)) = stack.pop() {
        if !met.insert(node.address()) {
            continue;
        }
        let class = node.info().key();
        let mut add = |step: PathStep, holder: String, value: Value| {
            let path = path.clone().then(step);
            parts.push(Part { path: path.clone(), holder });
            if let Value::Node(node) = value {
                stack.push((path, node));
            }
        };
        match node.info().shape() {
            Shape::Fields => {
                for (index, field) in node.info().fields().iter().enumerate().filter(|(_, f)| !f.skip_eq) {
                    if !matches!(node.field(index), FieldRef::Span(_)) {
                        let value = node.field(index).to_value();
                        add(PathStep::Field(field.name), format!("{class}.{}", field.name), value);
                    }
                }
            }
            Shape::Array => {
                let items = node.as_node::<ArrayNode>().expect("an array").items().iter().enumerate();
                items
                    .for_each(|(i, item)| add(PathStep::Index(i as u32), "element".to_owned(), item.clone()));
            }
            Shape::Map => {
                let entries = node.as_node::<MapNode>().expect("a map").entries();
                for (key, value) in entries {
                    add(PathStep::Key(key.value().clone()), "entry".to_owned(), value.clone());
                }
            }
            Shape::Str | Shape::Tensor => {}
        }
    }
    parts
}

fn is_function(value: &Value) -> bool {
    value.as_object().is_some_and(|node| node.is::<PrimFunc>() || node.is::<Function>())
}

/// A function of a program: its path, its range and the range of its name.
struct Definition {
    path: AccessPath,
    range: Range<usize>,
    name: Range<usize>,
}

fn definitions(mapped: &MappedText) -> Vec<Definition> {
    let definition = |entry: &MapEntry| {
        let name = entry.head.clone()?;
        let (path, part) = mapped.part_of(entry)?;
        is_function(&part).then(|| Definition { path, range: entry.range.clone(), name })
    };
    mapped.map().entries().iter().filter_map(definition).collect()
}

#[test]
fn p74_14_every_part_is_underlined_at_a_place_smaller_than_its_function() {
    let mut by_name: BTreeMap<String, String> = BTreeMap::new();
    let mut checked = 0;
    let mut wrong = Vec::new();
    for folder in ["ok", "kernels", "programs"] {
        for fixture in fixtures(folder) {
            let Ok(objects) = parse_ok(&fixture.name, &fixture.text) else { continue };
            for root in objects {
                let mapped = print_mapped(&root, registry(), &canonical_options())
                    .unwrap_or_else(|e| panic!("{}: {e}", fixture.name));
                if mapped.text().len() > MAX_TEXT_BYTES {
                    continue;
                }
                let definitions = definitions(&mapped);
                // Parts without text, whose children have none either.
                let mut without: HashSet<String> = HashSet::new();
                for Part { path, holder } in parts(&root) {
                    checked += 1;
                    let ranges = mapped.ranges_of(&path);
                    // A node that contains a function is printed as a whole.
                    let is_whole = |range: &Range<usize>| {
                        definitions.iter().any(|d| d.range == *range && !path.is_prefix_of(&d.path))
                    };
                    let is_name = |range: &Range<usize>| definitions.iter().any(|d| d.name == *range);
                    let of = format!("{}: {path} ({holder})", fixture.name);
                    if ranges.is_empty() || ranges.iter().any(is_whole) {
                        wrong.push(of);
                    } else if ranges.iter().any(is_name) {
                        let text = path.to_string();
                        let around = AccessPath { steps: path.steps[..path.steps.len() - 1].to_vec() };
                        let is_inside = without.contains(&around.to_string());
                        if !is_inside && !text.contains("name_hint") && !text.contains("global_symbol") {
                            by_name.entry(holder).or_insert(of);
                        }
                        without.insert(text);
                    }
                }
            }
        }
    }
    assert!(checked > 40_000, "only {checked} parts");
    let listed: Vec<&str> = BY_NAME_OF_FUNCTION.iter().map(|(part, _)| *part).collect();
    let unlisted: Vec<_> = by_name.iter().filter(|(part, _)| !listed.contains(&part.as_str())).collect();
    let idle: Vec<_> = listed.iter().filter(|part| !by_name.contains_key(**part)).collect();
    let some: Vec<_> = wrong.iter().take(40).collect();
    assert!(
        wrong.is_empty() && unlisted.is_empty() && idle.is_empty(),
        "without a place of their own ({}): {some:#?}\nby the name of the function: {unlisted:#?}\nlisted, but never so: {idle:?}",
        wrong.len()
    );
}

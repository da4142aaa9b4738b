//! Affine maps as TVM's `arith` functions find them, on recorded calls.
//!
//! Each line of the vectors is one call with its result; `null` is a refusal. A mark is written once and meant by its
//! number. With `TVMSCRIPT_SHOW_FAILURES` set, lines that differ are printed; `TVMSCRIPT_ITER_MAP` names another file.

use std::collections::BTreeMap;

use crate::common::{self, Vars};
use serde_json::{Value, json};
use tvmscript_arith::{
    Analyzer, IntSet, IterMap, IterMapErrors, IterMapLevel, IterMark, IterSource, IterSplit, IterSum,
    VarRange, detect_iter_map, estimate_region_lower_bound, estimate_region_strict_bound,
    estimate_region_upper_bound, inverse_affine_iter_map, inverse_index_map, iter_map_simplify,
    non_surjective_inverse, normalize_iter_map_to_expr, normalize_to_iter_sum, subspace_divide,
};
use tvmscript_ir_core::{Array, Ref};
use tvmscript_prim::{Expr, IndexMap, Var};

/// A recorded call.
struct Case {
    line: Value,
    vars: Vars,
    ranges: Vec<VarRange>,
}

impl Case {
    fn read(line: &str) -> Case {
        let line: Value = serde_json::from_str(line).unwrap();
        let mut vars = Vars::new();
        for (name, dtype) in line["vars"].as_object().unwrap() {
            let dtype = dtype.as_str().unwrap();
            let var = match dtype.strip_prefix("size ") {
                Some(dtype) => Var::size_var(name.as_str(), dtype.parse().unwrap()),
                None => Var::new(name.as_str(), dtype.parse().unwrap()),
            };
            vars.insert(name.clone(), var);
        }
        let ranges = line["ranges"].as_array().unwrap().iter().map(|range| VarRange {
            var: vars[range[0].as_str().unwrap()].clone(),
            min: common::read(range[1].as_str().unwrap(), &vars),
            extent: common::read(range[2].as_str().unwrap(), &vars),
        });
        let ranges = ranges.collect();
        Case { ranges, vars, line }
    }

    fn expr(&self, text: &Value) -> Expr {
        common::read(text.as_str().unwrap(), &self.vars)
    }

    fn indices(&self) -> Vec<Expr> {
        self.line["indices"].as_array().unwrap().iter().map(|index| self.expr(index)).collect()
    }

    fn predicate(&self) -> Expr {
        self.expr(&self.line["predicate"])
    }

    fn level(&self) -> IterMapLevel {
        match self.line["level"].as_str().unwrap() {
            "bijective" => IterMapLevel::Bijective,
            "surjective" => IterMapLevel::Surjective,
            _ => IterMapLevel::NoCheck,
        }
    }

    fn trivial(&self) -> bool {
        self.line["trivial"].as_bool().unwrap()
    }

    fn detect(&self) -> Result<IterMap, IterMapErrors> {
        let (indices, analyzer) = (self.indices(), &mut Analyzer::new());
        detect_iter_map(&indices, &self.ranges, &self.predicate(), self.level(), self.trivial(), analyzer)
    }

    fn index_map(&self) -> (IndexMap, Vec<(Expr, Expr)>) {
        let parameters = self.ranges.iter().map(|range| range.var.clone());
        let map = IndexMap {
            initial_indices: Array::new(parameters),
            final_indices: Array::new(self.indices()),
            inverse_index_map: None,
        };
        (map, self.ranges.iter().map(|range| (range.min.clone(), range.extent.clone())).collect())
    }

    fn region(&self) -> Vec<(Expr, Expr)> {
        let region = self.line["region"].as_array().unwrap().iter();
        region.map(|range| (self.expr(&range[0]), self.expr(&range[1]))).collect()
    }

    /// The result of the call as the vectors write it.
    fn result(&self) -> Value {
        let (ranges, analyzer) = (&self.ranges, &mut Analyzer::new());
        match self.line["kind"].as_str().unwrap() {
            "detect" => self.detect().map_or(Value::Null, |map| {
                let mut marks = Marks::default();
                let sums: Vec<Value> = map.sums().iter().map(|sum| marks.sum(sum)).collect();
                let exprs: Vec<Expr> =
                    map.sums().iter().map(|sum| normalize_iter_map_to_expr(sum).unwrap()).collect();
                json!({
                    "sums": sums, "marks": marks.written, "padding": common::write(map.padding_predicate()),
                    "exprs": texts(&exprs),
                })
            }),
            "simplify" => {
                let (indices, predicate) = (self.indices(), self.predicate());
                texts(&iter_map_simplify(
                    &indices,
                    ranges,
                    &predicate,
                    self.level(),
                    self.trivial(),
                    analyzer,
                ))
            }
            "normalize_sum" => {
                normalize_to_iter_sum(&self.indices()[0], ranges, analyzer).map_or(Value::Null, |sum| {
                    let mut marks = Marks::default();
                    let sum = marks.sum(&sum);
                    json!({"sums": [sum], "marks": marks.written})
                })
            }
            "subspace" => self.subspace(),
            "inverse" => {
                let map = self.detect().unwrap();
                let outputs: Vec<Expr> =
                    (0..map.sums().len()).map(|i| self.vars[&format!("o{i}")].clone().upcast()).collect();
                inverse_affine_iter_map(map.sums(), &outputs).map_or(Value::Null, |values| {
                    let values = values.iter().map(|(var, value)| (name(var), common::write(value)));
                    json!(values.collect::<BTreeMap<_, _>>())
                })
            }
            "index_inverse" => {
                let (map, ranges) = self.index_map();
                let inverse = inverse_index_map(&map, &ranges, analyzer);
                inverse.map_or(Value::Null, |inverse| json!({"map": outputs(&inverse)}))
            }
            "non_surjective" => {
                let (map, ranges) = self.index_map();
                let inverse = non_surjective_inverse(&map, &ranges, analyzer);
                inverse.map_or(Value::Null, |(inverse, padding)| {
                    json!({"map": outputs(&inverse), "padding": common::write(&padding)})
                })
            }
            "region_lower" => {
                sets(estimate_region_lower_bound(&self.region(), ranges, &self.predicate(), analyzer))
            }
            "region_strict" => {
                sets(estimate_region_strict_bound(&self.region(), ranges, &self.predicate(), analyzer))
            }
            "region_upper" => {
                sets(Some(estimate_region_upper_bound(&self.region(), ranges, &self.predicate(), analyzer)))
            }
            other => panic!("kind `{other}`"),
        }
    }

    fn subspace(&self) -> Value {
        let inner: Vec<Ref<Var>> = self.line["sub"]
            .as_array()
            .unwrap()
            .iter()
            .map(|name| self.vars[name.as_str().unwrap()].clone())
            .collect();
        let (indices, predicate, analyzer) = (self.indices(), self.predicate(), &mut Analyzer::new());
        let divided = subspace_divide(
            &indices,
            &self.ranges,
            &inner,
            &predicate,
            self.level(),
            self.trivial(),
            analyzer,
        );
        divided.map_or(Value::Null, |division| {
            let mut marks = Marks::default();
            let parts: Vec<Value> = division
                .parts()
                .iter()
                .map(|(outer, inner)| {
                    let (outer_extent, inner_extent) =
                        (common::write(outer.extent()), common::write(inner.extent()));
                    let outer = marks.source(outer.source());
                    json!([outer, outer_extent, marks.source(inner.source()), inner_extent])
                })
                .collect();
            json!({
                "parts": parts, "marks": marks.written, "outer": common::write(division.outer_predicate()),
                "inner": common::write(division.inner_predicate()),
            })
        })
    }
}

fn name(var: &Ref<Var>) -> String {
    var.name.get().as_str().to_owned()
}

fn texts(exprs: &[Expr]) -> Value {
    exprs.iter().map(common::write).collect::<Vec<_>>().into()
}

fn outputs(map: &IndexMap) -> Value {
    texts(&map.final_indices.iter().cloned().collect::<Vec<_>>())
}

fn sets(sets: Option<Vec<IntSet>>) -> Value {
    let set = |set: &IntSet| match set.is_nothing() {
        true => json!("nothing"),
        false => json!([set.min().map(common::write), set.max().map(common::write)]),
    };
    sets.map_or(Value::Null, |sets| sets.iter().map(set).collect::<Vec<_>>().into())
}

/// Writes marks once.
#[derive(Default)]
struct Marks {
    known: Vec<IterMark>,
    written: Vec<Value>,
}

impl Marks {
    fn sum(&mut self, sum: &IterSum) -> Value {
        let base = json!(common::write(sum.base()));
        let parts = sum.args().iter().map(|part| self.split(part));
        std::iter::once(base).chain(parts).collect::<Vec<_>>().into()
    }

    fn split(&mut self, split: &IterSplit) -> Value {
        let mark = self.mark(split.source());
        let [lower, extent, scale] = [split.lower_factor(), split.extent(), split.scale()].map(common::write);
        json!([mark, lower, extent, scale])
    }

    fn source(&mut self, source: &IterSource) -> Value {
        match source {
            IterSource::Split(split) => json!({"split": self.split(split)}),
            IterSource::Sum(sum) => json!({"sum": self.sum(sum)}),
            variable @ IterSource::Variable { .. } => {
                json!(common::write(&variable.to_expr(&mut Analyzer::new()).unwrap()))
            }
        }
    }

    fn mark(&mut self, mark: &IterMark) -> usize {
        if let Some(known) = self.known.iter().position(|known| known.is_same(mark)) {
            return known;
        }
        let source = self.source(mark.source());
        self.known.push(mark.clone());
        self.written.push(json!([source, common::write(mark.extent())]));
        self.known.len() - 1
    }
}

#[test]
fn the_vectors_agree() {
    let other = std::env::var_os("TVMSCRIPT_ITER_MAP").map(|path| std::fs::read_to_string(path).unwrap());
    let lines = other.as_deref().unwrap_or(include_str!("../../../../tests/vectors/iter_map.jsonl"));
    let show_failures = std::env::var_os("TVMSCRIPT_SHOW_FAILURES").is_some();
    let mut table: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for line in lines.lines() {
        let case = Case::read(line);
        let found = case.result();
        let (good, all) = table.entry(case.line["kind"].as_str().unwrap().to_owned()).or_default();
        *all += 1;
        if found == case.line["want"] {
            *good += 1;
        } else if show_failures {
            println!("{line}\n  have {found}");
        }
    }
    for (kind, (good, all)) in &table {
        println!("{kind:16} {good:5} of {all:5}");
        assert!(*good as f64 >= 0.98 * *all as f64, "{kind}: {good} of {all} agree");
    }
}

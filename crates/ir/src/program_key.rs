//! Keys of programs, for caches of compiled code: 128 bits that do not depend on the names of functions and variables.
//!
//! `docs/program-keys.md` specifies the bytes. A module has the key of the set of its functions: each function has a
//! label, first that of its own nodes, in which other functions of the module are numbers, then in each round one that
//! includes the labels of the functions that it refers to. So the order and the names of functions do not count, but what
//! they call does.

use std::collections::{HashMap, HashSet};

use tvmscript_ir_core::Object;
use tvmscript_ir_core::digest::{Bytes, Digest, DigestRules, Digester};
use tvmscript_ir_core::type_table::FieldInfo;

use crate::{BaseFunc, GLOBAL_SYMBOL, GlobalVar, IRModule};

/// Maximum number of rounds that carry labels along calls. Functions that differ only in what they call over more calls
/// than that have one label; the module's key still has the labels of all functions.
const MAX_ROUNDS: usize = 32;

/// Options of keys.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ProgramKey {
    /// Leaves out the attributes of functions and modules.
    pub skip_attributes: bool,
}

impl ProgramKey {
    /// The key of a program: a module, a function or any other node.
    pub fn of(self, program: &Object) -> Digest {
        let digest = match program.as_node::<IRModule>() {
            Some(module) => self.module(module),
            None => {
                let mut rules = Rules::new(self, None);
                Digester::new(&mut rules).node(program)
            }
        };
        let mut key = Bytes::default();
        key.text("tvmscript program 1");
        key.digest(digest);
        key.finish()
    }

    fn module(self, module: &IRModule) -> Digest {
        let own: HashMap<usize, usize> = module
            .functions
            .iter()
            .enumerate()
            .map(|(index, (var, _))| (var.object().address(), index))
            .collect();
        let mut labels = Vec::with_capacity(own.len());
        let mut references = Vec::with_capacity(own.len());
        for (_, function) in module.functions.iter() {
            let mut rules = Rules::new(self, Some(&own));
            labels.push(Digester::new(&mut rules).node(function.object()));
            references.push(rules.referenced);
        }
        refine(&mut labels, &references);
        labels.sort_unstable();
        let mut rules = Rules::new(self, Some(&own));
        let mut parts = Digester::new(&mut rules);
        let mut out = Bytes::tagged(b'm');
        if !self.skip_attributes {
            out.digest(parts.node(module.attrs.object()));
        }
        out.digest(parts.node(module.global_infos.object()));
        out.number(labels.len() as u64);
        labels.into_iter().for_each(|label| out.digest(label));
        out.finish()
    }
}

/// Adds to each label those of the functions that it refers to, until that tells no more functions apart.
fn refine(labels: &mut Vec<Digest>, references: &[Vec<usize>]) {
    let count = |labels: &[Digest]| labels.iter().collect::<HashSet<_>>().len();
    let mut known = count(labels);
    for _ in 0..MAX_ROUNDS {
        let next: Vec<Digest> = labels
            .iter()
            .zip(references)
            .map(|(label, references)| {
                let mut out = Bytes::tagged(b'r');
                out.digest(*label);
                references.iter().filter_map(|index| labels.get(*index)).for_each(|label| out.digest(*label));
                out.finish()
            })
            .collect();
        *labels = next;
        let now = count(labels);
        if now == known {
            break;
        }
        known = now;
    }
}

/// The rules of modules: references to functions, their names, and attributes.
struct Rules<'m> {
    options: ProgramKey,
    /// The functions of the module, by the address of their global variable.
    own: Option<&'m HashMap<usize, usize>>,
    /// The functions referred to, in the order of their first occurrence.
    referenced: Vec<usize>,
    /// The number of each in that order.
    numbers: HashMap<usize, u64>,
}

impl<'m> Rules<'m> {
    fn new(options: ProgramKey, own: Option<&'m HashMap<usize, usize>>) -> Rules<'m> {
        Rules { options, own, referenced: Vec::new(), numbers: HashMap::new() }
    }
}

impl DigestRules for Rules<'_> {
    fn known(&mut self, node: &Object) -> Option<Digest> {
        let var = node.as_node::<GlobalVar>()?;
        let own = self.own.and_then(|own| own.get(&node.address()));
        let mut out = Bytes::tagged(b'g');
        match own {
            Some(index) => {
                let next = self.numbers.len() as u64;
                let number = *self.numbers.entry(*index).or_insert(next);
                if number == next {
                    self.referenced.push(*index);
                }
                out.number(number);
            }
            // A function of another module has its name only.
            None => out.text(var.name_hint.as_str()),
        }
        Some(out.finish())
    }

    fn skips(&self, node: &Object, field: &FieldInfo) -> bool {
        self.options.skip_attributes && field.name == "attrs" && node.downcast_ref::<BaseFunc>().is_some()
    }

    fn skips_value(&self, key: &str) -> bool {
        key == GLOBAL_SYMBOL
    }
}

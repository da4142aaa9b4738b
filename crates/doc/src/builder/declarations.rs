//! Variables that are used after the block that assigns them.

use std::collections::HashMap;

use crate::arena::DocArena;
use crate::error::PrintError;
use crate::expr::{Expr, ExprDoc};
use crate::sym::Sym;

use super::names::names_of;
use super::{Part, Program, part};

/// The names that a target assigns.
pub(super) fn targets(docs: &DocArena, target: Option<ExprDoc>) -> Result<Vec<Sym>, PrintError> {
    let Some(target) = target else { return Ok(Vec::new()) };
    let items = match docs.expr(target) {
        Expr::Tuple(items) | Expr::List(items) => docs.items(items),
        _ => &[target],
    };
    let name = |item: &ExprDoc| docs.sym_of(*item).ok_or(PrintError::NotInProgram { kind: "target" });
    items.iter().map(name).collect()
}

/// The blocks in which variables are declared before they are assigned, by the number of the block.
pub(super) fn declarations(
    docs: &DocArena,
    program: &Program<'_>,
) -> Result<HashMap<usize, Vec<Sym>>, PrintError> {
    let mut scan = Scan { parents: vec![0], depths: vec![0], open: vec![true], assigned: HashMap::new() };
    let mut order = Vec::new();
    // The lists that are being read: block, list, position.
    let mut lists = vec![(0, program.body, 0)];
    while let Some((block, list, position)) = lists.pop() {
        let Some(stmt) = docs.stmts(list).get(position) else {
            scan.close(block);
            continue;
        };
        lists.push((block, list, position + 1));
        match part(docs, *stmt)? {
            Part::Run { target, value } | Part::Open { target, scope: value } => {
                scan.use_names(docs, value);
                for name in targets(docs, target)? {
                    scan.assign(name, block, &mut order);
                }
            }
            Part::Scope { target, scope, body } => {
                scan.use_names(docs, scope);
                let inner = scan.begin(block);
                for name in targets(docs, target)? {
                    scan.assign(name, inner, &mut order);
                }
                lists.push((inner, body, 0));
            }
        }
    }
    scan.open = vec![true];
    scan.use_names_in(docs, program.result, 0);
    let mut declared: HashMap<usize, Vec<Sym>> = HashMap::new();
    for name in order {
        if let Some(Assigned { block, declared_in: Some(outer) }) = scan.assigned.get(&name)
            && outer != block
        {
            declared.entry(*outer).or_default().push(name);
        }
    }
    Ok(declared)
}

/// The block that assigns a variable, and the one that declares it if that is another one.
#[derive(Debug, Clone, Copy)]
struct Assigned {
    block: usize,
    declared_in: Option<usize>,
}

/// The search for uses outside of the block of an assignment. Blocks have numbers in the order of their begin.
struct Scan {
    parents: Vec<usize>,
    depths: Vec<usize>,
    open: Vec<bool>,
    assigned: HashMap<Sym, Assigned>,
}

impl Scan {
    fn begin(&mut self, parent: usize) -> usize {
        self.parents.push(parent);
        self.depths.push(self.depths.get(parent).copied().unwrap_or_default() + 1);
        self.open.push(true);
        self.parents.len() - 1
    }

    fn close(&mut self, block: usize) {
        if let Some(open) = self.open.get_mut(block) {
            *open = false;
        }
    }

    fn is_open(&self, block: usize) -> bool {
        self.open.get(block).copied().unwrap_or_default()
    }

    fn assign(&mut self, name: Sym, block: usize, order: &mut Vec<Sym>) {
        self.assigned.entry(name).or_insert_with(|| {
            order.push(name);
            Assigned { block, declared_in: None }
        });
    }

    fn use_names(&mut self, docs: &DocArena, value: ExprDoc) {
        let mut names = Vec::new();
        names_of(docs, &mut vec![value], &mut |name| names.push(name));
        for name in names {
            self.use_name(name);
        }
    }

    /// Uses names in a block when all others are closed.
    fn use_names_in(&mut self, docs: &DocArena, value: ExprDoc, block: usize) {
        self.open = (0..self.parents.len()).map(|other| other == block).collect();
        self.use_names(docs, value);
    }

    fn use_name(&mut self, name: Sym) {
        let Some(Assigned { block, declared_in }) = self.assigned.get(&name).copied() else { return };
        // The innermost block around the assignment that is open at the use.
        let mut outer = declared_in.unwrap_or(block);
        while !self.is_open(outer) && outer != 0 {
            outer = self.parents.get(outer).copied().unwrap_or_default();
        }
        self.assigned.insert(name, Assigned { block, declared_in: Some(outer) });
    }
}

//! Pointers that may point to the same memory, and the elements that are accessed through them.
//!
//! C assumes that memory has elements of one type. Memory with one type of elements gets typed pointers. Any other is
//! accessed through pointers without a type, by copying bytes.

use tvmscript_ir::GlobalVar;
use tvmscript_ir_core::ptr_map::AddressMap;
use tvmscript_ir_core::{DataType, Object, Ref, pre_order_visit};
use tvmscript_prim::{Expr, PrimExpr, PrimExprExt as _, Var};
use tvmscript_tir::node::{Allocate, AllocateConst, Buffer, LetStmt, MatchBufferRegion};
use tvmscript_tirx::Bind;

use super::CInput;
use super::types::storage_type;
use crate::compile::{call_of, pointee};
use crate::intrinsics::{Intrinsic, PointerOperator, intrinsic};

/// Groups of pointers.
#[derive(Debug, Default)]
pub(super) struct Aliases {
    numbers: AddressMap<usize>,
    parents: Vec<usize>,
    /// The number of pointers of each group, at its root.
    sizes: Vec<usize>,
    /// The elements of each group, at its root.
    elements: Vec<Vec<&'static str>>,
}

impl Aliases {
    /// The pointers of functions that may call each other.
    pub(super) fn of(functions: &[CInput]) -> Aliases {
        let mut aliases = Aliases::default();
        for input in functions {
            let function = &input.function;
            for (param, buffer) in function.buffer_map.iter() {
                aliases.unite(param, &buffer.data);
            }
            pre_order_visit(function, |node| {
                aliases.visit(node, input.module, functions);
                true
            });
        }
        aliases
    }

    /// The C type of the elements of a pointer's memory, if it is one.
    pub(super) fn element_of(&self, pointer: &Ref<Var>) -> Option<&'static str> {
        let number = *self.numbers.get(&pointer.object().address())?;
        match self.elements.get(self.root(number))?.as_slice() {
            [one] => Some(one),
            _ => None,
        }
    }

    /// The number of the group of a pointer.
    pub(super) fn group_of(&self, pointer: &Ref<Var>) -> Option<usize> {
        self.numbers.get(&pointer.object().address()).map(|number| self.root(*number))
    }

    fn visit(&mut self, node: &Object, module: usize, functions: &[CInput]) {
        if let Some(buffer) = node.as_node::<Buffer>() {
            self.add(&buffer.data, buffer.dtype);
        } else if let Some(s) = node.as_node::<Allocate>() {
            self.add(&s.buffer_var, s.dtype);
        } else if let Some(s) = node.as_node::<AllocateConst>() {
            self.add(&s.buffer_var, s.dtype);
        } else if let Some(s) = node.as_node::<LetStmt>() {
            self.unite_with(&s.var, &s.value);
        } else if let Some(s) = node.as_node::<Bind>() {
            self.unite_with(&s.var, &s.value);
        } else if let Some(s) = node.as_node::<tvmscript_tirx::DeclBuffer>() {
            if let Some(data) = &s.data {
                self.unite_with(&s.buffer.data, data);
            }
        } else if let Some(s) = node.as_node::<MatchBufferRegion>() {
            self.unite(&s.buffer.data, &s.source.buffer.data);
        } else if let Some(expr) = node.downcast_ref::<PrimExpr>()
            && let Some((callee, args)) = call_of(expr)
        {
            if let Some(global) = callee.as_node::<GlobalVar>() {
                let name = global.name_hint.as_str();
                let called = functions.iter().find(|input| input.module == module && input.name == name);
                for (param, arg) in
                    called.iter().flat_map(|input| input.function.params.iter().zip(args.iter()))
                {
                    self.unite_with(param, arg);
                }
            } else if let Some(Intrinsic::Pointer(operator)) = intrinsic(callee) {
                let words = matches!(operator, PointerOperator::LoadWords | PointerOperator::StoreWords);
                for arg in args.iter().filter(|arg| arg.dtype().is_handle()) {
                    let element = if words { Some(DataType::uint(32)) } else { pointee(arg) };
                    for pointer in pointers(arg) {
                        element.into_iter().for_each(|element| self.add(&pointer, element));
                    }
                }
            }
        }
    }

    fn add(&mut self, pointer: &Ref<Var>, dtype: DataType) {
        let number = self.number(pointer);
        let root = self.root(number);
        if let (Ok(element), Some(known)) = (storage_type(dtype.element()), self.elements.get_mut(root))
            && !known.contains(&element)
        {
            known.push(element);
        }
    }

    fn unite_with(&mut self, var: &Ref<Var>, value: &Expr) {
        if var.dtype.is_handle() {
            pointers(value).iter().for_each(|pointer| self.unite(var, pointer));
        }
    }

    fn unite(&mut self, a: &Ref<Var>, b: &Ref<Var>) {
        let (a, b) = (self.number(a), self.number(b));
        let (a, b) = (self.root(a), self.root(b));
        if a == b {
            return;
        }
        // The larger group keeps its root, so that roots stay near.
        let size = |root: usize| self.sizes.get(root).copied().unwrap_or_default();
        let (a, b) = if size(a) < size(b) { (b, a) } else { (a, b) };
        let sum = size(a) + size(b);
        if let Some(size) = self.sizes.get_mut(a) {
            *size = sum;
        }
        if let Some(parent) = self.parents.get_mut(b) {
            *parent = a;
        }
        let moved = self.elements.get_mut(b).map(std::mem::take).unwrap_or_default();
        if let Some(known) = self.elements.get_mut(a) {
            let new: Vec<&'static str> =
                moved.into_iter().filter(|element| !known.contains(element)).collect();
            known.extend(new);
        }
    }

    fn number(&mut self, pointer: &Ref<Var>) -> usize {
        let (parents, sizes, elements) = (&mut self.parents, &mut self.sizes, &mut self.elements);
        *self.numbers.entry(pointer.object().address()).or_insert_with(|| {
            parents.push(parents.len());
            sizes.push(1);
            elements.push(Vec::new());
            parents.len() - 1
        })
    }

    fn root(&self, number: usize) -> usize {
        let mut at = number;
        while let Some(parent) = self.parents.get(at).copied().filter(|parent| *parent != at) {
            at = parent;
        }
        at
    }
}

/// The pointers that an expression computes with.
pub(super) fn pointers(expr: &Expr) -> Vec<Ref<Var>> {
    let mut found = Vec::new();
    pre_order_visit(expr, |node| {
        if let Some(buffer) = node.as_node::<Buffer>() {
            found.push(buffer.data.clone());
            return false;
        }
        found.extend(node.downcast_ref::<Var>().filter(|var| var.dtype.is_handle()).cloned());
        true
    });
    found
}

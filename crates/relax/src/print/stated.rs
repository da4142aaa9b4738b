//! What a signature must state so that types that depend on it read back.
//!
//! While its body is read, a function has the type that its signature states, and the inferred one only afterwards. Where
//! the body or an earlier function takes the function as a value, the stated type is visible in the program.

use hashbrown::{HashMap, HashSet};
use tvmscript_arith::Analyzer;
use tvmscript_docsifier::Docsifier;
use tvmscript_ir::print::ModuleFrame;
use tvmscript_ir::{BaseFunc, GlobalVar};
use tvmscript_ir_core::visit::{Visitor, Walk};
use tvmscript_ir_core::{Object, Ref, any_node, structural_equal};
use tvmscript_prim as prim;

use crate::analysis::{BaseCheck, base_check};
use crate::node::{Expr, FuncStructInfo, Function, StructInfo, Tuple, TupleStructInfo};

/// The stated results of the functions of a module that differ from the inferred ones, by the function's address.
struct OfModule(Option<HashMap<usize, Ref<StructInfo>>>);

/// The result that a function of a module states, if it is not the inferred one.
pub(super) fn of_member(function: &Ref<Function>, d: &mut Docsifier<'_>) -> Option<Ref<StructInfo>> {
    if d.state(|_| OfModule(None)).0.is_none() {
        let module = d.frame_data::<ModuleFrame>();
        let found = module.map(|module| of_module(&module.functions)).unwrap_or_default();
        d.state(|_| OfModule(None)).0 = Some(found);
    }
    d.state(|_| OfModule(None)).0.as_ref()?.get(&function.object().address()).cloned()
}

/// The results that references state in results of functions before the referenced one, or in its own.
fn of_module(functions: &[(Ref<GlobalVar>, Ref<BaseFunc>)]) -> HashMap<usize, Ref<StructInfo>> {
    let mut stated = HashMap::new();
    let mut members: HashMap<usize, (usize, &Ref<BaseFunc>)> = HashMap::new();
    for (index, (_, function)) in functions.iter().enumerate() {
        let Some(function) = function.as_node::<Function>() else { continue };
        for (var, info) in references(&function.body.body, &function.ret_struct_info) {
            if members.is_empty() {
                let entries = functions.iter().enumerate();
                members = entries.map(|(i, (var, of))| (var.object().address(), (i, of))).collect();
            }
            let Some((at, member)) = members.get(&var.object().address()) else { continue };
            let Some(inferred) = member.as_node::<Function>() else { continue };
            // A function that is read before has its inferred type.
            if *at >= index
                && let Some(info) = info.as_node::<FuncStructInfo>()
                && !structural_equal(info.ret.object(), inferred.ret_struct_info.object())
                && base_check(&info.ret, &inferred.ret_struct_info, &mut Analyzer::new()) == BaseCheck::Pass
            {
                stated.entry(member.object().address()).or_insert_with(|| info.ret.clone());
            }
        }
    }
    stated
}

/// The functions of the module that a result names, each with its type there.
fn references<'e>(
    value: &'e Expr,
    info: &'e Ref<StructInfo>,
) -> Vec<(&'e Ref<GlobalVar>, &'e Ref<StructInfo>)> {
    let mut found = Vec::new();
    let mut work = vec![(value, info)];
    while let Some((value, info)) = work.pop() {
        if let Some(var) = value.downcast_ref::<GlobalVar>() {
            found.push((var, info));
        } else if let (Some(tuple), Some(infos)) =
            (value.as_node::<Tuple>(), info.as_node::<TupleStructInfo>())
        {
            work.extend(tuple.fields.iter().zip(infos.fields.iter()));
        }
    }
    found.reverse();
    found
}

/// The result that a function bound to a variable of this type states, if it is not the inferred one.
pub(super) fn of_bound(bound: &Object, function: &Function) -> Option<Ref<StructInfo>> {
    let own = function.struct_info_.as_ref()?;
    if structural_equal(bound, own) {
        return None;
    }
    let [stated, inferred] = [bound, own].map(|info| info.as_node::<FuncStructInfo>().map(|info| &info.ret));
    let (stated, inferred) = (stated?, inferred?);
    let has_variables = |info: &Ref<StructInfo>| any_node(info, |node| node.is::<prim::Var>());
    let differs = !has_variables(stated)
        && !has_variables(inferred)
        && !structural_equal(stated.object(), inferred.object());
    differs.then(|| stated.clone())
}

/// The scalar variables of a signature, by address, that the type of the variable which holds the function lacks: a
/// recursive function has other ones in its body. Empty for the type that is inferred from the function.
pub(super) fn own_variables(bound: &Object, function: &Function) -> HashSet<usize> {
    let of_type = scalars([bound]);
    if of_type.is_empty() {
        return HashSet::new();
    }
    let mut own = scalars(function.params.iter().filter_map(|param| param.struct_info_.as_ref()));
    own.retain(|variable| !of_type.contains(variable));
    own
}

/// Addresses of the scalar variables in struct info.
fn scalars<'o>(infos: impl IntoIterator<Item = &'o Object>) -> HashSet<usize> {
    let mut found = HashSet::new();
    for info in infos {
        let _ = Visitor::new().pre_order(info, |node| {
            if node.is::<prim::Var>() {
                found.insert(node.address());
            }
            Walk::Advance
        });
    }
    found
}

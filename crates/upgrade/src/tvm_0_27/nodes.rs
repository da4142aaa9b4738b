//! Rewrites of single nodes.

use tvmscript_ir::DictAttrs;
use tvmscript_ir_core::release::{NameChange, Renames};
use tvmscript_ir_core::{
    Array, Mutator, Object, ObjectLike as _, PtrSet, Str, Value, Visitor, Walk, any_node,
};
use tvmscript_prim::{And, Call, CommReducer, IntImm, Not, Op, Or, Select, Var, size_var_type};
use tvmscript_relax::{Call as RelaxCall, Function, MatchCast, PrimStructInfo};
use tvmscript_tir::op::thread::TVM_STORAGE_SYNC;
use tvmscript_tir::{AllocateConst, BlockRealize, Buffer, BufferRealize, BufferType, PrimFunc, ProducerLoad};
use tvmscript_tirx::tvm_0_27::SCHEDULABLE;
use tvmscript_tirx::tvm_0_27::calls::storage_sync;

use crate::finding::{Finding, codes};
use crate::keys::Prefix;
use crate::{Level, Step};

/// Rewrites nodes, children first.
pub(super) struct Nodes<'f> {
    from: Level,
    to: Level,
    /// Names in the release.
    renames: &'static Renames,
    keys: Option<Prefix>,
    findings: &'f mut Vec<Finding>,
    /// Types of scalars that the text states, which no value tells.
    stated: PtrSet,
}

impl Nodes<'_> {
    pub(super) fn new<'f>(
        root: &Object,
        step: &Step,
        (from, to): (Level, Level),
        findings: &'f mut Vec<Finding>,
    ) -> Nodes<'f> {
        let (renames, keys, stated) = (&step.to.renames, step.key_prefix(), stated(root));
        Nodes { from, to, renames, keys, findings, stated }
    }

    /// Returns `true` if the level begins between the two releases.
    fn reaches(&self, level: Level) -> bool {
        self.from < level && level <= self.to
    }
}

/// The types of scalars in signatures, in matches and in calls that state their results.
fn stated(root: &Object) -> PtrSet {
    let mut places: Vec<Object> = Vec::new();
    let _ = Visitor::new().pre_order(root, |node| {
        if let Some(function) = node.as_node::<Function>() {
            places.extend(function.params.iter().filter_map(|param| param.struct_info_.clone()));
            places.push(function.ret_struct_info.object().clone());
        } else if let Some(call) = node.as_node::<RelaxCall>() {
            places.extend(call.sinfo_args.iter().map(|info| info.object().clone()));
        } else if let Some(matched) = node.as_node::<MatchCast>() {
            places.push(matched.struct_info.object().clone());
        }
        Walk::Advance
    });
    let mut stated = PtrSet::default();
    for place in places {
        let _ = Visitor::new().pre_order(&place, |node| {
            if node.is::<PrimStructInfo>() {
                stated.insert(node.clone());
            }
            Walk::Advance
        });
    }
    stated
}

impl Mutator for Nodes<'_> {
    fn leave(&mut self, node: Object) -> Object {
        self.variable(&node)
            .or_else(|| self.buffer(&node))
            .or_else(|| self.keys.and_then(|keys| keys.rename(&node)))
            .or_else(|| self.function(&node))
            .or_else(|| self.known_value(&node))
            .or_else(|| barrier(&node).filter(|_| self.reaches(Level::Flagged)))
            .unwrap_or_else(|| {
                self.call(&node);
                self.old(&node);
                node
            })
    }
}

/// A barrier with all arguments that the release has.
fn barrier(node: &Object) -> Option<Object> {
    let call = node.as_node::<Call>()?;
    let is_short = call.is_op(TVM_STORAGE_SYNC.op.get()) && call.args.len() == 1;
    let scope = call.args.first().filter(|_| is_short)?;
    Some(storage_sync(scope.clone(), None, None).into_object())
}

impl Nodes<'_> {
    /// A variable that is known not to be negative.
    fn variable(&mut self, node: &Object) -> Option<Object> {
        if !self.reaches(Level::Current) || !std::ptr::eq(node.info(), size_var_type()) {
            return None;
        }
        let Var { span, dtype: _, name, type_annotation } = node.as_node::<Var>()?;
        let name = name.get();
        self.findings.push(Finding::loss(
            &codes::SIZE_VARIABLE,
            format!("it is lost that `{name}` is not negative"),
            "write `T.assume(n >= 0)` where it matters",
            node,
        ));
        let mut variable = Var::with_type(name, type_annotation.clone());
        variable.make_mut().span = *span;
        Some(variable.into_object())
    }

    /// A buffer with axis separators, or one that broadcasts.
    fn buffer(&mut self, node: &Object) -> Option<Object> {
        let buffer = node.downcast_ref::<Buffer>().filter(|_| self.reaches(Level::Current))?;
        let broadcasts = buffer.buffer_type != BufferType::Default;
        if buffer.axis_separators.is_empty() && !broadcasts {
            return None;
        }
        let what = if broadcasts { "broadcasts its dimensions" } else { "has axis separators" };
        self.findings.push(Finding::loss(
            &codes::BUFFER_KIND,
            format!("the buffer `{}` {what}, which the release does not have", buffer.name),
            "flatten or broadcast the buffer in the older release",
            node,
        ));
        let mut buffer = buffer.clone();
        let changed = buffer.make_mut();
        changed.axis_separators = Array::default();
        changed.buffer_type = BufferType::Default;
        Some(buffer.into_object())
    }

    /// Reports a call of an operator that has other arguments or no equivalent.
    fn call(&mut self, node: &Object) {
        let Some(call) = node.as_node::<Call>() else { return };
        let Some(op) = call.op.as_node::<Op>() else { return };
        let name = op.name.as_str();
        if name == "tir.if_then_else" && call.dtype.is_handle() {
            return self.pointer(node);
        }
        if matches!(name, "tir.call_llvm_intrin" | "tir.call_llvm_pure_intrin") {
            let is_number = self.reaches(Level::Flagged)
                && call.args.first().is_some_and(|intrinsic| intrinsic.is::<IntImm>());
            if is_number {
                self.findings.push(Finding::loss(
                    &codes::LLVM_NUMBER,
                    "the number of this intrinsic depends on the version of LLVM",
                    "write the intrinsic by name, such as `\"llvm.fabs\"`",
                    node,
                ));
            }
            return;
        }
        // `return` has another form in texts only.
        let Some(text) = name.strip_prefix("tir.").filter(|text| *text != "ret") else { return };
        // A new name is one of the text.
        let Some(NameChange::Removed(next)) = self.renames.function("tir", text) else { return };
        let message = match next.is_empty() {
            true => format!("the release has no operator `T.{text}`"),
            false => format!("the release has no operator `T.{text}`; the closest is {next}"),
        };
        self.findings.push(Finding::loss(
            &codes::OPERATOR,
            message,
            "write the call for the release by hand",
            node,
        ));
    }

    /// A function, which keeps buffers without layouts.
    fn function(&mut self, node: &Object) -> Option<Object> {
        let function = node.downcast_ref::<PrimFunc>().filter(|_| self.reaches(Level::Flagged))?;
        if function.attrs.dict.get_str(SCHEDULABLE).is_some() {
            return None;
        }
        let has_blocks = any_node(&function.body, |node| node.is::<BlockRealize>());
        if !has_blocks && any_node(function.object(), |node| node.is::<Buffer>()) {
            self.findings.push(Finding::choice(
                &codes::SCHEDULABLE,
                "this function has no blocks; `s_tir=True` keeps its buffers without layouts",
                "remove `s_tir=True` if the release shall give them layouts",
                node,
            ));
        }
        let entries = function.attrs.dict.iter().map(|(key, value)| (key.clone(), value.clone()));
        let attrs = DictAttrs::new(entries.chain([(Str::new(SCHEDULABLE), Value::Bool(true))]));
        let mut function = function.clone();
        function.make_mut().attrs = attrs;
        Some(function.into_object())
    }

    /// A scalar type of Relax with a value.
    fn known_value(&mut self, node: &Object) -> Option<Object> {
        let info = node.downcast_ref::<PrimStructInfo>().filter(|_| self.reaches(Level::Current))?;
        info.value.as_ref().filter(|_| self.stated.contains(node))?;
        self.findings.push(Finding::loss(
            &codes::KNOWN_VALUE,
            "the type of this scalar states its value, which the release does not have",
            "match the value where it is needed",
            node,
        ));
        let mut info = info.clone();
        info.make_mut().value = None;
        Some(info.into_object())
    }

    /// Reports a choice of pointers.
    fn pointer(&mut self, node: &Object) {
        if !self.reaches(Level::Flagged) {
            return;
        }
        self.findings.push(Finding::loss(
            &codes::POINTER,
            "the release prints a choice of pointers, but does not read it",
            "bind the pointer in both branches of an `if`",
            node,
        ));
    }

    /// Reports nodes that stay.
    fn old(&mut self, node: &Object) {
        if node.as_node::<Select>().is_some_and(|select| select.dtype.is_handle()) {
            self.pointer(node);
        }
        if !self.reaches(Level::Current) && !self.reaches(Level::Flat) {
            return;
        }
        let is_logic = |node: &Object| node.is::<And>() || node.is::<Or>() || node.is::<Not>();
        if node
            .as_node::<CommReducer>()
            .is_some_and(|reducer| reducer.result.iter().any(|result| any_node(result, is_logic)))
        {
            self.findings.push(Finding::loss(
                &codes::REDUCER,
                "the release prints a reducer with logic operators, but does not read it",
                "write the reducer with `T.Select`",
                node,
            ));
        }
        if node.is::<AllocateConst>() {
            self.findings.push(Finding::loss(
                &codes::CONSTANT_ARRAY,
                "the release has no constant arrays in functions",
                "pass the array as a parameter, or write its elements with stores",
                node,
            ));
        } else if node.is::<BufferRealize>() || node.is::<ProducerLoad>() {
            self.findings.push(Finding::loss(
                &codes::OLD_STATEMENT,
                "the release has no realization of producers",
                "lower the function in the older release first",
                node,
            ));
        }
    }
}

//! Devices of tensors: an argument of their allocation, where the older release takes the device of the storage.

use std::collections::HashMap;

use tvmscript_ir_core::{
    Array, Object, ObjectLike as _, Ref, RewriteError, Visitor, Walk, post_order_mutate, structural_equal,
};
use tvmscript_prim::IntImm;
use tvmscript_relax::{Call, Expr, PrimValue, VarBinding};

use crate::finding::{Finding, codes};

/// Allocations of tensors, and the number of their arguments without a device.
const TENSORS: [&str; 2] = ["relax.memory.alloc_tensor", "relax.vm.alloc_tensor"];
const ARGUMENTS: usize = 4;

/// Allocations of storage; their second argument is the device.
const STORAGE: [&str; 2] = ["relax.memory.alloc_storage", "relax.vm.alloc_storage"];

/// Values of variables by the address of the variable.
struct Values(HashMap<usize, Expr>);

impl Values {
    fn of(root: &Object) -> Values {
        let mut values = HashMap::new();
        let _ = Visitor::new().pre_order(root, |node| {
            if let Some(VarBinding { var, value, .. }) = node.as_node::<VarBinding>() {
                values.insert(var.object().address(), value.clone());
            }
            Walk::Advance
        });
        Values(values)
    }

    /// The device of storage, if its allocation is known.
    fn device(&self, storage: &Expr) -> Option<Expr> {
        let mut storage = storage.clone();
        for _ in 0..=self.0.len() {
            if let Some(call) = storage.as_node::<Call>() {
                call.op_name().filter(|name| STORAGE.contains(name))?;
                return call.args.iter().nth(1).cloned();
            }
            storage = self.0.get(&storage.object().address())?.clone();
        }
        None
    }
}

/// Returns the allocation of a tensor, its storage and its device, if it has one.
fn allocation(node: &Object) -> Option<(&Ref<Call>, &Expr, Option<&Expr>)> {
    let call = node.downcast_ref::<Call>()?;
    call.op_name().filter(|name| TENSORS.contains(name))?;
    let storage = call.args.iter().next()?;
    Some((call, storage, call.args.iter().nth(ARGUMENTS)))
}

/// Adds the devices of tensors.
pub(crate) fn add(node: Object, findings: &mut Vec<Finding>) -> Result<Object, RewriteError> {
    let values = Values::of(&node);
    post_order_mutate(node, |node| {
        let (call, storage, device) = allocation(node)?;
        if device.is_some() || call.args.len() != ARGUMENTS {
            return None;
        }
        let device = values.device(storage).unwrap_or_else(|| {
            findings.push(Finding::choice(
                &codes::DEVICE,
                "the device of this storage is not known; the tensor is allocated for device 0",
                "write the index of the device of the storage as the last argument",
                node,
            ));
            PrimValue::new(IntImm::int64(0)).upcast()
        });
        let args = Array::new(call.args.iter().cloned().chain([device]));
        let mut call = call.clone();
        call.make_mut().args = args;
        Some(call.into_object())
    })
}

/// Leaves the devices of tensors out.
pub(crate) fn remove(node: Object, findings: &mut Vec<Finding>) -> Result<Object, RewriteError> {
    let values = Values::of(&node);
    post_order_mutate(node, |node| {
        let (call, storage, device) = allocation(node)?;
        let device = device?;
        let is_same = match values.device(storage) {
            Some(other) => structural_equal(other.as_object(), device.as_object()),
            None => false,
        };
        if !is_same {
            findings.push(Finding::loss(
                &codes::DEVICE,
                "this device is left out: it is not known to be that of the storage",
                "allocate the storage on this device",
                node,
            ));
        }
        let args = Array::new(call.args.iter().take(ARGUMENTS).cloned());
        let mut call = call.clone();
        call.make_mut().args = args;
        Some(call.into_object())
    })
}

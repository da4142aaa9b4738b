ib = rx.Builder()
with ib.function("main", num_inputs=1):
    ib.emit_call("vm.builtin.check_tensor_info", args=[ib.r(0), ib.imm(2), ib.c(0), ib.c(1)])
    ib.emit_call("vm.builtin.match_shape", args=[ib.r(0), ib.r(18014398509481984), ib.imm(2), ib.imm(0), ib.imm(2), ib.imm(0), ib.imm(3), ib.c(1)])
    ib.emit_call("vm.builtin.alloc_storage", args=[ib.r(vm), ib.c(2), ib.imm(0), ib.c(3), ib.c(4)], dst=ib.r(1))
    ib.emit_call("vm.builtin.alloc_tensor", args=[ib.r(1), ib.imm(0), ib.c(5), ib.c(0)], dst=ib.r(2))
    ib.emit_call("vm.builtin.null_value", args=[], dst=ib.r(1))
    ib.emit_call("addone", args=[ib.r(0), ib.r(2)])
    ib.emit_ret(ib.r(2))

ib = rx.Builder()
with ib.function("main", num_inputs=1):
    ib.emit_call("test.vm.alloc", args=[ib.c(0), ib.c(1), ib.imm(7)], dst=ib.r(1))
    ib.emit_call("test.vm.fill", args=[ib.r(1), ib.c(2), ib.c(3)])
    ib.emit_ret(ib.r(1))

ib = rx.Builder()
with ib.function("main", num_inputs=0):
    ib.emit_call("test.vm.nothing", args=[])
    ib.emit_call("test.vm.make", args=[ib.imm(0)], dst=ib.r(0))
    ib.emit_ret(ib.r(0))

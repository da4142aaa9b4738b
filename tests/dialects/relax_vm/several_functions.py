ib = rx.Builder()
with ib.function("first", num_inputs=0):
    ib.emit_call("test.vm.make", args=[ib.imm(0)], dst=ib.r(0))
    ib.emit_ret(ib.r(0))
with ib.function("second", num_inputs=1):
    ib.emit_call("test.vm.make", args=[ib.imm(1)], dst=ib.r(1))
    ib.emit_ret(ib.r(1))
with ib.function("third", num_inputs=2):
    ib.emit_call("test.vm.make", args=[ib.imm(2)], dst=ib.r(2))
    ib.emit_ret(ib.r(2))

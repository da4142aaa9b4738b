ib = rx.Builder()
with ib.function("repeat", num_inputs=2):
    ib.emit_call("test.vm.dec", args=[ib.r(0), ib.imm(-1)], dst=ib.r(0))
    ib.emit_if(ib.r(0), 3)
    ib.emit_call("test.vm.step", args=[ib.r(1)], dst=ib.r(1))
    ib.emit_goto(-3)
    ib.emit_ret(ib.r(1))

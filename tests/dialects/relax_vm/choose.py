ib = rx.Builder()
with ib.function("choose", num_inputs=3):
    ib.emit_if(ib.r(0), 3)
    ib.emit_call("test.vm.add", args=[ib.r(1), ib.r(2)], dst=ib.r(3))
    ib.emit_goto(2)
    ib.emit_call("test.vm.mul", args=[ib.r(2), ib.r(1)], dst=ib.r(3))
    ib.emit_ret(ib.r(3))

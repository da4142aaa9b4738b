ib = rx.Builder()
with ib.function("main", num_inputs=1):
    ib.emit_call("test.vm.print", args=[ib.r(vm), ib.r(0)])
    ib.emit_ret(ib.r(0))

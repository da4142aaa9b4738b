ib = rx.Builder()
with ib.function("helper", num_inputs=1):
    ib.emit_ret(ib.r(0))
with ib.function("main", num_inputs=1):
    ib.emit_call("vm.builtin.invoke_closure", args=[ib.r(vm), ib.f("helper"), ib.r(0)], dst=ib.r(1))
    ib.emit_ret(ib.r(1))

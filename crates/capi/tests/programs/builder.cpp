// Builds functions by name: the program that `tvmscript emit --target cpp-builder` writes for a function, one with every kind of value,
// and one with errors.
#include <iostream>
#include <tvmscript.hpp>

static tvmscript::Object scale() {
    using namespace tvmscript::builder;
    Program program;
    program.import("tvm.script.ir_builder", "IRBuilder", "IRBuilder");
    program.import("tvm.script.ir_builder", "tir", "T");
    Value b;
    {
        Scope scope_1 = with(call("IRBuilder", {}));
        b = scope_1.value();
        {
            Scope scope_2 = with(call("T.prim_func", {}));
            call("T.func_name", {"scale"});
            Value A = call("T.arg", {"A", call("T.Buffer", {tuple({16}), "float32"})});
            Value n = call("T.arg", {"n", call("T.int32", {})});
            {
                Scope scope_3 = with(call("T.serial", {16, kw("annotations", dict({"pragma", 1}))}));
                Value i = scope_3.value();
                call("IRBuilder.name", {"i", i});
                call("T.buffer_store", {A, A.at({i}) * call("T.float32", {2.0}), list({i})});
            }
            call("T.evaluate", {(n + 1).floordiv(2) - val(3) * n % 5});
        }
    }
    return program.finish(b.method("get", {}));
}

static tvmscript::Object wrong() {
    using namespace tvmscript::builder;
    Program program;
    program.import("tvm.script.ir_builder", "IRBuilder", "IRBuilder");
    program.import("tvm.script.ir_builder", "tir", "T");
    Scope scope = with(call("IRBuilder", {}));
    Scope function = with(call("T.prim_func", {}));
    call("T.func_name", {1});
    call("T.no_such_function", {}).attr("x");
    return program.finish(scope.value().method("get", {}));
}

int main() {
    tvmscript::Object function = scale();
    std::cout << function.print() << '\n';
    if (!tvmscript::Object::parse(function.print()).equals(function)) return 3;
    try {
        wrong();
        return 4;
    } catch (const tvmscript::Error &error) {
        std::cout << error.what() << '\n';
    }
    // Without a builder, values cannot be made.
    try {
        tvmscript::builder::val(1);
        return 5;
    } catch (const tvmscript::Error &error) {
        std::cout << error.what() << '\n';
    }
    return 0;
}

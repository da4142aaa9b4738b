// Counts the nodes of each type in a module from standard input by a visitor, and simplifies the module.
#include <iostream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tvmscript.h>

namespace {

tvmscript_str str(std::string_view text) { return {text.data(), text.size()}; }

void check(tvmscript_status status) {
    if (status == TVMSCRIPT_STATUS_OK) return;
    throw std::runtime_error(tvmscript_status_text(static_cast<int32_t>(status)));
}

// A handle that is freed at the end of its scope.
template <typename Handle, tvmscript_status (*Free)(Handle)>
struct Owned {
    Handle handle{};
    Owned() = default;
    Owned(const Owned &) = delete;
    Owned &operator=(const Owned &) = delete;
    ~Owned() { Free(handle); }
};
using Registry = Owned<tvmscript_registry, tvmscript_registry_free>;
using Program = Owned<tvmscript_program, tvmscript_program_free>;
using Object = Owned<tvmscript_object, tvmscript_object_free>;
using Errors = Owned<tvmscript_errors, tvmscript_errors_free>;
using Function = Owned<tvmscript_function, tvmscript_function_free>;

std::string take(tvmscript_text text) {
    tvmscript_str view;
    check(tvmscript_text_get(text, &view));
    std::string copy(view.data, view.len);
    check(tvmscript_text_free(text));
    return copy;
}

using Counts = std::map<std::string, int>;

// A callback must not throw through the library.
int32_t count(void *user, tvmscript_object node) noexcept {
    tvmscript_str key;
    if (tvmscript_object_type(node, &key) != TVMSCRIPT_STATUS_OK) return TVMSCRIPT_VISIT_RESULT_STOP;
    ++(*static_cast<Counts *>(user))[std::string(key.data, key.len)];
    return TVMSCRIPT_VISIT_RESULT_ADVANCE;
}

int32_t leave(void *user, const tvmscript_value *, size_t, tvmscript_value *) noexcept {
    ++*static_cast<int *>(user);
    return TVMSCRIPT_STATUS_OK;
}

void run() {
    std::string text{std::istreambuf_iterator<char>(std::cin), {}};
    Registry registry;
    Program program;
    Errors errors;
    Object module, simple;
    check(tvmscript_registry_default(&registry.handle));
    tvmscript_parse_options options{};
    options.size = sizeof options;
    options.check = 1;
    check(tvmscript_parse(registry.handle, str("<stdin>"), str(text), &options, &program.handle, &errors.handle));
    check(tvmscript_program_object(program.handle, &module.handle));

    Counts counts;
    check(tvmscript_visit(module.handle, count, nullptr, &counts));
    for (const auto &[key, number] : counts) std::cout << key << ' ' << number << '\n';

    // The same walk by a function of the library that calls one of this program.
    int left = 0;
    Function visit, callback;
    check(tvmscript_function_get(registry.handle, str("_PrePostOrderVisit"), &visit.handle));
    check(tvmscript_function_new(leave, &left, nullptr, &callback.handle));
    tvmscript_value args[3] = {};
    args[0].kind = TVMSCRIPT_VALUE_KIND_OBJECT;
    args[0].object = module.handle;
    args[2].kind = TVMSCRIPT_VALUE_KIND_FUNCTION;
    args[2].function = callback.handle;
    check(tvmscript_function_call(visit.handle, args, 3, nullptr, nullptr));
    std::cout << left << " nodes\n";

    tvmscript_str passes[] = {str("tir.Simplify")};
    check(tvmscript_run_passes(module.handle, passes, 1, str(""), &simple.handle, nullptr));
    tvmscript_text printed;
    check(tvmscript_print(registry.handle, simple.handle, nullptr, &printed, nullptr));
    std::cout << take(printed) << '\n';
}

} // namespace

int main() {
    try {
        run();
    } catch (const std::exception &error) {
        std::cerr << "error: " << error.what() << '\n';
        return 1;
    }
    return tvmscript_live_handles() == 0 ? 0 : 2;
}

// A plugin in C++: a dialect whose function adds up the integers of a list, and whose exceptions are errors of calls.
#define TVMSCRIPT_IS_PLUGIN
#include <stdexcept>
#include <string>
#include <tvmscript.h>

namespace {

const tvmscript_host *host;

void check(tvmscript_status status) {
    if (status != TVMSCRIPT_STATUS_OK) throw std::runtime_error(host->status_text(static_cast<int32_t>(status)));
}

// A value that is freed at the end of its scope.
struct Value {
    tvmscript_value value{};
    Value() = default;
    Value(const Value &) = delete;
    Value &operator=(const Value &) = delete;
    ~Value() { host->value_free(&value); }
};

void total(const tvmscript_value &list, tvmscript_value &result) {
    if (list.kind != TVMSCRIPT_VALUE_KIND_OBJECT) throw std::runtime_error("a list is expected");
    size_t count = 0;
    check(host->object_count(list.object, &count));
    for (size_t i = 0; i < count; i++) {
        Value item;
        check(host->object_item(list.object, i, &item.value));
        if (item.value.kind != TVMSCRIPT_VALUE_KIND_INT) throw std::runtime_error("element " + std::to_string(i) + " is no integer");
        result.int_value += item.value.int_value;
    }
    result.kind = TVMSCRIPT_VALUE_KIND_INT;
}

// Runs code; an exception is the reason of the failure. The text lives until the next call on the thread.
template <void (*Code)(const tvmscript_value &, tvmscript_value &)>
int32_t call(void *, const tvmscript_value *args, size_t, tvmscript_value *result) noexcept {
    static thread_local std::string reason;
    try {
        Code(args[0], *result);
        return TVMSCRIPT_STATUS_OK;
    } catch (const std::exception &error) {
        reason = error.what();
    } catch (...) {
        reason = "an unknown exception";
    }
    *result = {};
    result->kind = TVMSCRIPT_VALUE_KIND_TEXT;
    result->text = {reason.data(), reason.size()};
    return TVMSCRIPT_STATUS_STOPPED;
}

const char description[] = "[dialect]\nname = 'sums'\nprefix = 'Sums'\n";

} // namespace

const tvmscript_plugin_table *tvmscript_plugin(const tvmscript_host *given) {
    host = given;
    static const tvmscript_plugin_item items[] = {
        {TVMSCRIPT_PLUGIN_ITEM_KIND_FUNCTION, tvmscript_cstr("total"), tvmscript_cstr("values"),
         tvmscript_cstr("Adds up integers."), call<total>, nullptr},
    };
    static const tvmscript_plugin_table table = {sizeof table, TVMSCRIPT_PLUGIN_VERSION, tvmscript_cstr(description), items, 1};
    return &table;
}

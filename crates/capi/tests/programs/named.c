/* Calls functions by their names, with callbacks, and lets callbacks fail. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tvmscript.h>

static tvmscript_registry registry;

static void must(tvmscript_status status, int line) {
    if (status == TVMSCRIPT_STATUS_OK) return;
    fprintf(stderr, "line %d: %s\n", line, tvmscript_status_text((int32_t)status));
    exit(1);
}
#define MUST(call) must(call, __LINE__)

static tvmscript_status call(const char *name, const tvmscript_value *args, size_t count, tvmscript_value *result, tvmscript_errors *errors) {
    tvmscript_function function;
    MUST(tvmscript_function_get(registry, tvmscript_cstr(name), &function));
    tvmscript_status status = tvmscript_function_call(function, args, count, result, errors);
    MUST(tvmscript_function_free(function));
    return status;
}

static tvmscript_value of_text(const char *text) {
    tvmscript_value value = {0};
    value.kind = TVMSCRIPT_VALUE_KIND_TEXT;
    value.text = tvmscript_cstr(text);
    return value;
}

struct Seen {
    char order[1024];
    int released;
};

static int32_t note(struct Seen *seen, char mark, const tvmscript_value *args, tvmscript_value *result) {
    tvmscript_str key;
    MUST(tvmscript_object_type(args[0].object, &key));
    size_t length = strlen(seen->order);
    if (length + key.len + 3 < sizeof seen->order)
        snprintf(seen->order + length, sizeof seen->order - length, "%c%.*s ", mark, (int)key.len, key.data);
    result->kind = TVMSCRIPT_VALUE_KIND_BOOL;
    result->int_value = strncmp(key.data, "tir.Evaluate", key.len) != 0; /* its children are left out */
    return TVMSCRIPT_STATUS_OK;
}
static int32_t pre(void *user, const tvmscript_value *args, size_t count, tvmscript_value *result) {
    return count == 1 ? note(user, '+', args, result) : TVMSCRIPT_STATUS_INVALID_ARGUMENT;
}
static int32_t post(void *user, const tvmscript_value *args, size_t count, tvmscript_value *result) {
    return count == 1 ? note(user, '-', args, result) : TVMSCRIPT_STATUS_INVALID_ARGUMENT;
}
static int32_t fail(void *user, const tvmscript_value *args, size_t count, tvmscript_value *result) {
    (void)user, (void)args, (void)count;
    *result = of_text("enough");
    return TVMSCRIPT_STATUS_STOPPED;
}
static void release(void *user) { ((struct Seen *)user)->released++; }

int main(void) {
    struct Seen seen = {"", 0};
    tvmscript_value source = of_text("@T.prim_func\ndef f(x: T.int32):\n    T.evaluate(x)\n"), node, text, json, loaded, args[3];
    tvmscript_errors errors;
    tvmscript_error error;
    tvmscript_text list;
    tvmscript_str view;
    MUST(tvmscript_registry_default(&registry));
    MUST(call("script.parser.Parse", &source, 1, &node, NULL));
    MUST(call("script.printer.Script", &node, 1, &text, NULL));
    printf("%s\n", text.text.data);
    MUST(call("node.SaveJSON", &node, 1, &json, NULL));
    MUST(call("node.LoadJSON", &json, 1, &loaded, NULL));
    args[0] = node, args[1] = loaded;
    tvmscript_value is_equal;
    MUST(call("node.StructuralEqual", args, 2, &is_equal, NULL));
    printf("equal: %d\n", (int)is_equal.int_value);

    tvmscript_value callbacks[3] = {{0}};
    tvmscript_call_callback functions[3] = {pre, post, fail};
    for (int i = 0; i < 3; i++) {
        callbacks[i].kind = TVMSCRIPT_VALUE_KIND_FUNCTION;
        MUST(tvmscript_function_new(functions[i], &seen, release, &callbacks[i].function));
    }
    args[0] = node, args[1] = callbacks[0], args[2] = callbacks[1];
    MUST(call("_PrePostOrderVisit", args, 3, NULL, NULL));
    printf("%s\n", seen.order);
    args[1] = callbacks[2];
    tvmscript_status status = call("_PrePostOrderVisit", args, 3, NULL, &errors);
    MUST(tvmscript_errors_get(errors, 0, &error));
    printf("%s: %.*s\n", tvmscript_status_text((int32_t)status), (int)error.message.len, error.message.data);
    for (int i = 0; i < 3; i++) MUST(tvmscript_value_free(&callbacks[i]));
    printf("released: %d\n", seen.released);

    MUST(tvmscript_functions(&list));
    MUST(tvmscript_text_get(list, &view));
    if (strstr(view.data, "script.printer.Script(node") == NULL) return 3;
    MUST(tvmscript_text_free(list));
    MUST(tvmscript_errors_free(errors));
    MUST(tvmscript_value_free(&node));
    MUST(tvmscript_value_free(&text));
    MUST(tvmscript_value_free(&json));
    MUST(tvmscript_value_free(&loaded));
    MUST(tvmscript_registry_free(registry));
    return tvmscript_live_handles() == 0 ? 0 : 2;
}

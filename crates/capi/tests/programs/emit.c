/* Writes programs that build a module, reads the one in Python, and compares. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tvmscript.h>

static void must(tvmscript_status status, int line) {
    if (status == TVMSCRIPT_STATUS_OK) return;
    fprintf(stderr, "line %d: %s\n", line, tvmscript_status_text((int32_t)status));
    exit(1);
}
#define MUST(call) must(call, __LINE__)

static tvmscript_registry registry;

static tvmscript_object parse(tvmscript_str text) {
    tvmscript_program program;
    tvmscript_object object;
    MUST(tvmscript_parse(registry, tvmscript_cstr("text"), text, NULL, &program, NULL));
    MUST(tvmscript_program_object(program, &object));
    MUST(tvmscript_program_free(program));
    return object;
}

/* Prints the line of a program that begins with this text, up to a comma. */
static void show(tvmscript_object object, const char *target, const char *wanted) {
    tvmscript_text text;
    tvmscript_str view;
    MUST(tvmscript_emit(registry, object, tvmscript_cstr(target), 0, &text, NULL));
    MUST(tvmscript_text_get(text, &view));
    size_t begin = 0, length = strlen(wanted);
    while (begin + length < view.len && memcmp(view.data + begin, wanted, length) != 0) begin++;
    size_t end = begin;
    while (end < view.len && view.data[end] != '\n' && view.data[end] != ',') end++;
    printf("%s: %.*s\n", target, (int)(end - begin), view.data + begin);
    MUST(tvmscript_text_free(text));
}

int main(void) {
    char source[4096];
    size_t length = fread(source, 1, sizeof source, stdin);
    tvmscript_text text;
    tvmscript_str view = {source, length};
    tvmscript_errors errors;
    bool equal = false;

    MUST(tvmscript_registry_default(&registry));
    tvmscript_object module = parse(view);
    MUST(tvmscript_emit(registry, module, tvmscript_cstr("python-builder"), 0, &text, NULL));
    MUST(tvmscript_text_get(text, &view));
    tvmscript_object again = parse(view);
    MUST(tvmscript_equal(module, again, 0, &equal, NULL));
    printf("equal: %d\n", equal);
    show(module, "python-builder", "def build");
    show(module, "rust-builder", "pub fn build");
    show(module, "cpp-builder", "tvmscript::Object build");
    show(module, "doc-json", "\"kind\"");
    tvmscript_status status = tvmscript_emit(registry, module, tvmscript_cstr("java"), 0, &text, &errors);
    printf("%s\n", tvmscript_status_text((int32_t)status));
    MUST(tvmscript_object_free(again));
    MUST(tvmscript_object_free(module));
    MUST(tvmscript_registry_free(registry));
    return 0;
}

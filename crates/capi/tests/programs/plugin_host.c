/* plugin_host [pass:NAME] PLUGIN ..: reads a text with the dialects of plugins, prints it, its JSON read back, and its text after a pass of the
 * dialect. Errors are printed with their codes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tvmscript.h>

static char input[1 << 16];

static void put(tvmscript_text text) {
    tvmscript_str view;
    if (tvmscript_text_get(text, &view) != TVMSCRIPT_STATUS_OK) exit(3);
    printf("%s\n", view.data);
    tvmscript_text_free(text);
}

static void must(tvmscript_status status, tvmscript_errors errors) {
    tvmscript_error error;
    size_t count = 0;
    if (status == TVMSCRIPT_STATUS_OK) return;
    tvmscript_errors_count(errors, &count);
    for (size_t i = 0; i < count; i++) {
        if (tvmscript_errors_get(errors, i, &error) != TVMSCRIPT_STATUS_OK) exit(4);
        printf("%.*s %u:%u %.*s\n", (int)error.code.len, error.code.data, error.start.line, error.start.column,
               (int)error.message.len, error.message.data);
    }
    if (count == 0) printf("%s\n", tvmscript_status_text((int32_t)status));
    exit(1);
}

int main(int argc, char **argv) {
    tvmscript_str paths[16], view, source = {input, fread(input, 1, sizeof input, stdin)}, pass = tvmscript_cstr("toy.DropTwice");
    size_t count = 0;
    tvmscript_registry registry;
    tvmscript_errors errors;
    tvmscript_program program;
    tvmscript_object object, loaded, passed;
    tvmscript_text text;
    bool is_equal;
    for (int i = 1; i < argc && count < 16; i++) {
        if (strncmp(argv[i], "pass:", 5) == 0) pass = tvmscript_cstr(argv[i] + 5);
        else paths[count++] = tvmscript_cstr(argv[i]);
    }
    must(tvmscript_registry_new(NULL, 0, paths, count, &registry, &errors), errors);
    must(tvmscript_parse(registry, tvmscript_cstr("toy.py"), source, NULL, &program, &errors), errors);
    tvmscript_errors_free(errors);
    must(tvmscript_program_object(program, &object), errors);
    must(tvmscript_print(registry, object, NULL, &text, &errors), errors);
    put(text);
    must(tvmscript_to_json(object, TVMSCRIPT_JSON_FORMAT_TVM, tvmscript_cstr(""), 1, &text, &errors), errors);
    must(tvmscript_text_get(text, &view), errors);
    must(tvmscript_from_json(registry, tvmscript_cstr("toy.json"), view, &loaded, &errors), errors);
    tvmscript_text_free(text);
    must(tvmscript_equal(object, loaded, 0, &is_equal, NULL), errors);
    printf("--- JSON: %s\n", is_equal ? "equal" : "different");
    must(tvmscript_run_passes(object, &pass, 1, tvmscript_cstr(""), &passed, &errors), errors);
    must(tvmscript_print(registry, passed, NULL, &text, &errors), errors);
    put(text);
    tvmscript_object_free(object);
    tvmscript_object_free(loaded);
    tvmscript_object_free(passed);
    tvmscript_program_free(program);
    tvmscript_registry_free(registry);
    return tvmscript_live_handles() == 0 ? 0 : 2;
}

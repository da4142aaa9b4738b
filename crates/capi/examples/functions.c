/* functions SECOND < FIRST: lists the functions of a module with their parameters, and how a second module differs. */
#include <stdio.h>
#include <stdlib.h>
#include <tvmscript.h>

static void check(tvmscript_status status) {
    if (status != TVMSCRIPT_STATUS_OK) fprintf(stderr, "error: %s\n", tvmscript_status_text((int32_t)status)), exit(1);
}
static void put(FILE *file, const char *before, tvmscript_text text) { /* Writes a text and frees it. */
    tvmscript_str view;
    check(tvmscript_text_get(text, &view));
    fprintf(file, "%s%s", before, view.data);
    check(tvmscript_text_free(text));
}
static void put_part(const char *before, tvmscript_object object, const char *path) {
    tvmscript_text text;
    check(tvmscript_object_text(object, tvmscript_cstr(path), &text));
    put(stdout, before, text);
}
static tvmscript_object read_module(tvmscript_registry registry, FILE *file, const char *name) {
    static char bytes[1 << 22];
    tvmscript_str source = {bytes, fread(bytes, 1, sizeof bytes, file)};
    tvmscript_program program;
    tvmscript_errors errors;
    tvmscript_text rendered;
    tvmscript_object module;
    tvmscript_status status = tvmscript_parse(registry, tvmscript_cstr(name), source, NULL, &program, &errors);
    check(tvmscript_errors_render(errors, &rendered));
    put(stderr, "", rendered);
    check(status);
    check(tvmscript_program_object(program, &module));
    check(tvmscript_errors_free(errors));
    check(tvmscript_program_free(program));
    return module;
}
int main(int argc, char **argv) {
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    tvmscript_registry registry;
    if (file == NULL || tvmscript_registry_default(&registry) != TVMSCRIPT_STATUS_OK) return 2;
    tvmscript_object first = read_module(registry, stdin, "<stdin>"), second = read_module(registry, file, argv[1]);
    tvmscript_value functions, item, buffers, buffer;
    tvmscript_text edits;
    check(tvmscript_object_field(first, tvmscript_cstr("functions"), &functions));
    for (size_t i = 0; tvmscript_object_key(functions.object, i, &item) == TVMSCRIPT_STATUS_OK; i++) {
        put_part("", item.object, "name_hint");
        check(tvmscript_value_free(&item));
        check(tvmscript_object_item(functions.object, i, &item));
        check(tvmscript_object_field(item.object, tvmscript_cstr("buffer_map"), &buffers));
        for (size_t j = 0; tvmscript_object_item(buffers.object, j, &buffer) == TVMSCRIPT_STATUS_OK; j++) {
            put_part(j == 0 ? ": " : ", ", buffer.object, "name");
            put_part("", buffer.object, "shape");
            check(tvmscript_value_free(&buffer));
        }
        check(tvmscript_value_free(&buffers));
        check(tvmscript_value_free(&item));
        puts("");
    }
    check(tvmscript_diff(registry, first, second, TVMSCRIPT_DIFF_FORMAT_UNIFIED, 0, &edits, NULL));
    put(stdout, "", edits);
    return fclose(file) != 0;
}

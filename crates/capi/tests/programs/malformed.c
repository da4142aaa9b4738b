/* Makes 10,000 calls with one bad argument each; every one has to return an error code. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tvmscript.h>

#define S(literal) ((tvmscript_str){literal, sizeof literal - 1})

static uint64_t state = 0x9e3779b97f4a7c15u;

static uint64_t next(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static void must(tvmscript_status status, const char *what) {
    if (status == TVMSCRIPT_STATUS_OK) return;
    fprintf(stderr, "%s: %s\n", what, tvmscript_status_text((int32_t)status));
    exit(1);
}

enum { KINDS = 7 };
static uint64_t good[KINDS]; /* registry, object, text, errors, program, differences, function */
static uint64_t freed[KINDS];

static void make(uint64_t *ids) {
    static const char text[] = "@T.prim_func\ndef f(A: T.Buffer(4)):\n    A[0] = B\n@T.prim_func\ndef g(x: T.int32):\n    T.evaluate(x)\n";
    tvmscript_registry registry;
    tvmscript_program program;
    tvmscript_errors errors;
    tvmscript_object object, zero;
    tvmscript_text printed;
    tvmscript_differences differences;
    tvmscript_function function;
    tvmscript_value value;
    bool is_equal;
    must(tvmscript_registry_default(&registry), "registry");
    if (tvmscript_parse(registry, S("f.py"), S(text), NULL, &program, &errors) != TVMSCRIPT_STATUS_ERRORS) exit(1);
    must(tvmscript_program_object(program, &object), "object");
    must(tvmscript_object_field(object, S("body"), &value), "body");
    must(tvmscript_print(registry, object, NULL, &printed, NULL), "print");
    zero = value.object;
    must(tvmscript_equal(object, zero, 0, &is_equal, &differences), "equal");
    must(tvmscript_object_free(zero), "free");
    must(tvmscript_function_get(registry, S("script.printer.Script"), &function), "function");
    uint64_t made[KINDS] = {registry.id, object.id, printed.id, errors.id, program.id, differences.id, function.id};
    memcpy(ids, made, sizeof made);
}

static void release(const uint64_t *ids) {
    must(tvmscript_registry_free((tvmscript_registry){ids[0]}), "free");
    must(tvmscript_object_free((tvmscript_object){ids[1]}), "free");
    must(tvmscript_text_free((tvmscript_text){ids[2]}), "free");
    must(tvmscript_errors_free((tvmscript_errors){ids[3]}), "free");
    must(tvmscript_program_free((tvmscript_program){ids[4]}), "free");
    must(tvmscript_differences_free((tvmscript_differences){ids[5]}), "free");
    must(tvmscript_function_free((tvmscript_function){ids[6]}), "free");
}

/* A handle that is not one of this kind. */
static uint64_t bad_handle(int kind) {
    switch (next() % 5) {
    case 0: return 0;
    case 1: return freed[next() % KINDS];
    case 2: return good[(kind + 1 + (int)(next() % (KINDS - 1))) % KINDS];
    case 3: return good[kind] ^ (UINT64_C(1) << (next() % 64));
    default: return next();
    }
}

static tvmscript_str bad_text(void) {
    static const char wrong[] = "a\xff";
    switch (next() % 3) {
    case 0: return (tvmscript_str){NULL, 1 + next() % 100};
    case 1: return (tvmscript_str){wrong, (size_t)PTRDIFF_MAX + 1 + next() % 100};
    default: return (tvmscript_str){wrong, 2};
    }
}

static union {
    uint64_t words[64];
    char bytes[512];
} memory;

static void *bad_pointer(void) { return next() % 2 ? NULL : (void *)(memory.bytes + 1); }

static tvmscript_status call(void) {
    tvmscript_registry registry = {good[0]};
    tvmscript_object object = {good[1]};
    tvmscript_text text = {good[2]};
    tvmscript_errors errors = {good[3]};
    tvmscript_program program = {good[4]};
    tvmscript_differences differences = {good[5]};
    tvmscript_function function = {good[6]};
    tvmscript_str word = S("body");
    tvmscript_value value = {0};
    tvmscript_parse_options parsing = {0};
    tvmscript_print_options printing = {0};
    void *out = memory.words;
    size_t index = 0;
    int32_t format = 0;
    int which = (int)(next() % 51);
    /* One bad argument per call. */
    switch (which) {
    case 0: return tvmscript_registry_default(bad_pointer());
    case 1: return tvmscript_registry_free((tvmscript_registry){bad_handle(0) | 1});
    case 2: return tvmscript_registry_releases((tvmscript_registry){bad_handle(0)}, out);
    case 3: return tvmscript_parse((tvmscript_registry){bad_handle(0)}, word, word, NULL, out, NULL);
    case 4: return tvmscript_parse(registry, bad_text(), word, NULL, out, NULL);
    case 5: return tvmscript_parse(registry, word, bad_text(), NULL, out, NULL);
    case 6: return tvmscript_parse(registry, word, word, NULL, bad_pointer(), NULL);
    case 7: parsing.size = next() % 2 ? next() % 8 : 5000 + next(); return tvmscript_parse(registry, word, word, &parsing, out, NULL);
    case 8: parsing.size = sizeof parsing; parsing.release = bad_text(); return tvmscript_parse(registry, word, word, &parsing, out, NULL);
    case 9: parsing.size = sizeof parsing; parsing.fragment_of = S("no dialect"); return tvmscript_parse(registry, word, word, &parsing, out, NULL);
    case 10: return tvmscript_parse(registry, word, word, (void *)(memory.bytes + 1), out, NULL);
    case 11: return tvmscript_program_count((tvmscript_program){bad_handle(4)}, out);
    case 12: return tvmscript_program_get(program, 1 + next(), NULL, out);
    case 13: return tvmscript_program_object(program, bad_pointer());
    case 14: return tvmscript_print(registry, (tvmscript_object){bad_handle(1)}, NULL, out, NULL);
    case 15: printing.size = sizeof printing; printing.indent = 65; return tvmscript_print(registry, object, &printing, out, NULL);
    case 16: printing.size = sizeof printing; printing.name = S("not a name"); return tvmscript_print(registry, object, &printing, out, NULL);
    case 17: printing.size = sizeof printing; printing.dialect_options = S("none=1"); return tvmscript_print(registry, object, &printing, out, NULL);
    case 18: return tvmscript_check((tvmscript_object){bad_handle(1)}, NULL);
    case 19: return tvmscript_check(object, (void *)(memory.bytes + 1));
    case 20: return tvmscript_object_clone((tvmscript_object){bad_handle(1)}, out);
    case 21: return tvmscript_text_get((tvmscript_text){bad_handle(2)}, out);
    case 22: return tvmscript_text_get(text, bad_pointer());
    case 23: return tvmscript_errors_get(errors, 1 + next(), out);
    case 24: return tvmscript_errors_json((tvmscript_errors){bad_handle(3) | 1}, out);
    case 25: return tvmscript_differences_get(differences, (size_t)1 << 40, out);
    case 26: return tvmscript_differences_get((tvmscript_differences){bad_handle(5)}, index, out);
    case 27: return tvmscript_equal(object, (tvmscript_object){bad_handle(1)}, 0, out, NULL);
    case 28: return tvmscript_equal((tvmscript_object){bad_handle(1)}, object, 0, out, NULL);
    case 29: format = 3 + (int32_t)(next() % 1000); return tvmscript_diff(registry, object, object, format, 0, out, NULL);
    case 30: return tvmscript_hash((tvmscript_object){bad_handle(1)}, out);
    case 31: return tvmscript_object_item(object, 1000 + next(), out);
    case 32: return tvmscript_object_field(object, next() % 2 ? bad_text() : S("no field"), out);
    case 33: return tvmscript_object_at(object, next() % 2 ? bad_text() : S("<root>.body[1]"), out);
    case 34: format = -1 - (int32_t)(next() % 1000); return tvmscript_to_json(object, format, S(""), 1, out, NULL);
    case 35: return tvmscript_from_json(registry, word, next() % 2 ? bad_text() : S("{\"root\": 1}"), out, NULL);
    case 36: return tvmscript_run_passes(object, next() % 2 ? NULL : &word, 1 + (next() % 2 ? 0 : (size_t)0), S("x"), out, NULL);
    case 37: return tvmscript_function_get(registry, next() % 2 ? bad_text() : S("no function"), out);
    case 38: value.kind = 8 + (int32_t)(next() % 1000); return tvmscript_function_call(function, &value, 1, NULL, NULL);
    case 39: value.kind = TVMSCRIPT_VALUE_KIND_OBJECT; value.object.id = bad_handle(1); return tvmscript_function_call(function, &value, 1, NULL, NULL);
    case 40: return tvmscript_function_call(function, &value, SIZE_MAX / 8, NULL, NULL);
    case 41: return tvmscript_builder_begin((tvmscript_registry){bad_handle(0)});
    case 42: return tvmscript_builder_call(next() % 2 ? bad_text() : word, NULL, 0, out);
    case 43: return tvmscript_builder_call(word, NULL, 1 + (size_t)(next() % 9), out);
    case 44: return tvmscript_builder_operate(next() % 2 ? 99 : 0, out, 2, out);
    case 45: return tvmscript_builder_finish(0, out, NULL);
    case 46: return next() % 2 ? tvmscript_builder_leave() : tvmscript_builder_cancel();
    case 47: return tvmscript_builder_lambda(&word, 1, NULL, NULL, NULL, out);
    case 48: word = bad_text(); return tvmscript_registry_new(NULL, 0, next() % 2 ? NULL : &word, 1, out, NULL);
    case 49: return tvmscript_object_rewrite(object, NULL, NULL, out, NULL);
    default: return tvmscript_object_new(registry, S("no.Type"), NULL, NULL, 0, out, NULL);
    }
}

int main(void) {
    make(good);
    make(freed);
    release(freed);
    size_t live = tvmscript_live_handles();
    int counts[16] = {0};
    for (int i = 0; i < 10000; i++) {
        uint64_t before = state;
        tvmscript_status status = call();
        if (status <= TVMSCRIPT_STATUS_OK || status >= TVMSCRIPT_STATUS_INTERNAL_ERROR) {
            fprintf(stderr, "call %d (state %llx): status %d\n", i, (unsigned long long)before, (int)status);
            return 1;
        }
        counts[status]++;
    }
    if (tvmscript_live_handles() != live) return 2;
    release(good);
    for (int i = 1; i < TVMSCRIPT_STATUS_INTERNAL_ERROR; i++)
        printf("%s: %s\n", tvmscript_status_text(i), counts[i] > 0 ? "yes" : "no");
    return tvmscript_live_handles() == 0 ? 0 : 3;
}

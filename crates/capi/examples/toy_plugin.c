/* A plugin: the toy dialect with a node that code makes and prints, and a pass.
 * cc -shared -fPIC -o libtoy.so toy_plugin.c; tvmscript print --plugin libtoy.so script.py */
#define TVMSCRIPT_IS_PLUGIN
#include <tvmscript.h>

static const tvmscript_host *host;

static const char description[] =
    "[dialect]\n"
    "name = 'toy'\n"
    "prefix = 'Toy'\n"
    "expressions = 'ir.PrimExpr'\n"
    "statements = 'tir.Stmt'\n"
    "[op.clamp]\n"
    "doc = 'Clamps a value to bounds.'\n"
    "variables = { T = 'any' }\n"
    "parameters = { value = 'T', low = 'int', high = 'int' }\n"
    "result = 'T'\n"
    "checks = [{ rule = 'low <= high', message = 'the bounds {low} and {high} are the wrong way round' }]\n"
    "[op.twice]\n"
    "variables = { T = 'any' }\n"
    "parameters = { value = 'T' }\n"
    "result = 'T'\n"
    "[statement.trace]\n"
    "fields = { label = 'str', value = 'expr' }\n"
    "assembly = 'Toy.trace({label}, {value})'\n"
    "[statement.region]\n"
    "fields = { label = 'str', body = 'list of node' }\n"
    "assembly = 'with Toy.region({label}): {body}'\n"
    "[node.Pair]\n"
    "parent = 'ir.PrimExpr'\n"
    "fields = { dtype = 'dtype', first = 'node', second = 'node' }\n";

/* Toy.pair(first, second): a node made in code. */
static int32_t pair(void *user, const tvmscript_value *args, size_t count, tvmscript_value *result) {
    tvmscript_str names[3] = {tvmscript_cstr("dtype"), tvmscript_cstr("first"), tvmscript_cstr("second")};
    tvmscript_value values[3] = {{0}};
    tvmscript_registry any = {0};
    tvmscript_status status;
    (void)user;
    if (count != 2 || args[0].kind != TVMSCRIPT_VALUE_KIND_OBJECT) return TVMSCRIPT_STATUS_INVALID_ARGUMENT;
    status = host->object_field(args[0].object, tvmscript_cstr("dtype"), &values[0]);
    values[1] = args[0];
    values[2] = args[1];
    result->kind = TVMSCRIPT_VALUE_KIND_OBJECT;
    if (status == TVMSCRIPT_STATUS_OK)
        status = host->object_new(any, tvmscript_cstr("toy.Pair"), names, values, 3, &result->object, NULL);
    host->value_free(&values[0]);
    return status;
}

/* The text of toy.Pair: the name of the function and its arguments. */
static int32_t print_pair(void *user, const tvmscript_value *args, size_t count, tvmscript_value *result) {
    tvmscript_value parts[3] = {{0}};
    tvmscript_registry any = {0};
    (void)user, (void)count;
    parts[0].kind = TVMSCRIPT_VALUE_KIND_TEXT;
    parts[0].text = tvmscript_cstr("pair");
    host->object_field(args[0].object, tvmscript_cstr("first"), &parts[1]);
    host->object_field(args[0].object, tvmscript_cstr("second"), &parts[2]);
    result->kind = TVMSCRIPT_VALUE_KIND_OBJECT;
    tvmscript_status status = host->array_new(any, parts, 3, &result->object);
    host->value_free(&parts[1]);
    host->value_free(&parts[2]);
    return status;
}

/* Toy.twice(x) becomes x. */
static int32_t once(void *user, const tvmscript_value *args, size_t count, tvmscript_value *result) {
    bool is_twice = false;
    (void)user, (void)count;
    host->object_is(args[0].object, tvmscript_cstr("toy.Twice"), &is_twice);
    if (!is_twice) return TVMSCRIPT_STATUS_OK;
    return host->object_field(args[0].object, tvmscript_cstr("value"), result);
}
static int32_t drop_twice(void *user, const tvmscript_value *args, size_t count, tvmscript_value *result) {
    (void)count;
    result->kind = TVMSCRIPT_VALUE_KIND_OBJECT;
    return host->object_rewrite(args[0].object, once, user, &result->object, NULL);
}

#define TEXT(literal) {literal, sizeof literal - 1}
static const tvmscript_plugin_item items[] = {
    {TVMSCRIPT_PLUGIN_ITEM_KIND_FUNCTION, TEXT("pair"), TEXT("first, second"), TEXT("Pairs two values."), pair, NULL},
    {TVMSCRIPT_PLUGIN_ITEM_KIND_PRINTER, TEXT("toy.Pair"), TEXT(""), TEXT(""), print_pair, NULL},
    {TVMSCRIPT_PLUGIN_ITEM_KIND_PASS, TEXT("toy.DropTwice"), TEXT(""), TEXT("Replaces `Toy.twice(x)` by x."), drop_twice, NULL},
};
static const tvmscript_plugin_table table = {
    sizeof table, TVMSCRIPT_PLUGIN_VERSION, TEXT(description), items, sizeof items / sizeof items[0],
};

const tvmscript_plugin_table *tvmscript_plugin(const tvmscript_host *given) {
    host = given;
    return given->version == TVMSCRIPT_PLUGIN_VERSION ? &table : NULL;
}

/* Plugins that are broken in one way each: BROKEN says which. */
#define TVMSCRIPT_IS_PLUGIN
#include <string.h>
#include <tvmscript.h>

#ifndef BROKEN
#define BROKEN 0
#endif

#define TEXT(literal) {literal, sizeof literal - 1}
#define HEAD "[dialect]\nname = 'broken'\nprefix = 'B'\nexpressions = 'ir.PrimExpr'\n"
#define NODE "[node.Box]\nparent = 'ir.PrimExpr'\nfields = { dtype = 'dtype', value = 'node' }\n"

static const tvmscript_host *host;

static int32_t fail(void *user, const tvmscript_value *args, size_t count, tvmscript_value *result) {
    (void)user, (void)args, (void)count, (void)result;
    return TVMSCRIPT_STATUS_STOPPED;
}

static int32_t box(void *user, const tvmscript_value *args, size_t count, tvmscript_value *result) {
    tvmscript_str names[2] = {tvmscript_cstr("dtype"), tvmscript_cstr("value")};
    tvmscript_value values[2] = {{0}};
    tvmscript_registry any = {0};
    (void)user, (void)count;
    host->object_field(args[0].object, names[0], &values[0]);
    values[1] = args[0];
    result->kind = TVMSCRIPT_VALUE_KIND_OBJECT;
    tvmscript_status status = host->object_new(any, tvmscript_cstr("broken.Box"), names, values, 2, &result->object, NULL);
    host->value_free(&values[0]);
    return status;
}

static int32_t garbage(void *user, const tvmscript_value *args, size_t count, tvmscript_value *result) {
    (void)user, (void)count;
    switch (BROKEN) {
    case 20: result->kind = 99; break;                                                            /* an unknown kind */
    case 21: result->kind = TVMSCRIPT_VALUE_KIND_OBJECT; result->object.id = 0x1234; break;       /* an invented handle */
    case 22: host->object_free(args[0].object); *result = args[0]; break;                         /* a freed handle */
    case 23: result->kind = TVMSCRIPT_VALUE_KIND_TEXT; result->text = (tvmscript_str)TEXT("\xff"); break;
    case 24: return 4711;                                                                         /* an unknown status */
    case 25: *result = args[0]; break;                                                            /* no array */
    default: return TVMSCRIPT_STATUS_STOPPED;
    }
    return TVMSCRIPT_STATUS_OK;
}

static const char description[] =
#if BROKEN == 5
    "[dialect]\nname = 'broken'\nprefix = 'B'\n[op.f]\nparameters = { x = 'no kind' }\n";
#elif BROKEN == 6
    "not TOML";
#elif BROKEN == 7
    "[dialect]\nname = 'broken'\nprefix = 'B'\n\xff";
#elif BROKEN == 8
    "[dialect]\nname = 'tir'\nprefix = 'B'\n";
#elif BROKEN == 9
    "[dialect]\nname = 'broken'\nprefix = 'B'\n[node.X]\nparent = 'no.Class'\n";
#elif BROKEN == 10
    "";
#else
    HEAD NODE;
#endif

static const tvmscript_plugin_item items[] = {
    {TVMSCRIPT_PLUGIN_ITEM_KIND_FUNCTION, TEXT("box"), TEXT("value"), TEXT(""), box, NULL},
#if BROKEN == 11
    {42, TEXT("f"), TEXT(""), TEXT(""), fail, NULL},
#elif BROKEN == 12
    {TVMSCRIPT_PLUGIN_ITEM_KIND_FUNCTION, TEXT("not a name"), TEXT(""), TEXT(""), fail, NULL},
#elif BROKEN == 13
    {TVMSCRIPT_PLUGIN_ITEM_KIND_FUNCTION, TEXT("f"), TEXT("1x"), TEXT(""), fail, NULL},
#elif BROKEN == 14
    {TVMSCRIPT_PLUGIN_ITEM_KIND_FUNCTION, TEXT("box"), TEXT(""), TEXT(""), fail, NULL},
#elif BROKEN == 15
    {TVMSCRIPT_PLUGIN_ITEM_KIND_PRINTER, TEXT("broken.None"), TEXT(""), TEXT(""), fail, NULL},
#elif BROKEN == 16
    {TVMSCRIPT_PLUGIN_ITEM_KIND_FUNCTION, TEXT("f"), TEXT(""), TEXT(""), NULL, NULL},
#elif BROKEN == 17
    {TVMSCRIPT_PLUGIN_ITEM_KIND_FUNCTION, {NULL, 5}, TEXT(""), TEXT(""), fail, NULL},
#elif BROKEN == 18
    {TVMSCRIPT_PLUGIN_ITEM_KIND_PASS, TEXT("tir.Simplify"), TEXT(""), TEXT(""), fail, NULL},
#endif
    {TVMSCRIPT_PLUGIN_ITEM_KIND_PRINTER, TEXT("broken.Box"), TEXT(""), TEXT(""), garbage, NULL},
};

static tvmscript_plugin_table table = {
    sizeof table, TVMSCRIPT_PLUGIN_VERSION, TEXT(description), items, sizeof items / sizeof items[0],
};

#if BROKEN == 1
int tvmscript_no_plugin;
#else
const tvmscript_plugin_table *tvmscript_plugin(const tvmscript_host *given) {
    host = given;
    switch (BROKEN) {
    case 2: return NULL;
    case 3: table.version = 999; break;
    case 4: table.size = 8; break;
    case 19: table.item_count = (size_t)-1; break;
    default: break;
    }
    return &table;
}
#endif

/* Parses, prints and frees on several threads, which share handles. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tvmscript.h>

#define S(literal) ((tvmscript_str){literal, sizeof literal - 1})
enum { THREADS = 8, ROUNDS = 30 };

static tvmscript_registry registry;
static tvmscript_object shared;

static void must(tvmscript_status status) {
    if (status == TVMSCRIPT_STATUS_OK) return;
    fprintf(stderr, "%s\n", tvmscript_status_text((int32_t)status));
    exit(1);
}

static tvmscript_object parse(void) {
    tvmscript_program program;
    tvmscript_object object;
    must(tvmscript_parse(registry, S("f.py"), S("@T.prim_func\ndef f(x: T.int32):\n    T.evaluate(x + 1)\n"), NULL, &program, NULL));
    must(tvmscript_program_object(program, &object));
    must(tvmscript_program_free(program));
    return object;
}

static int32_t count(void *user, tvmscript_object node) {
    (void)node;
    ++*(int *)user;
    return TVMSCRIPT_VISIT_RESULT_ADVANCE;
}

static void *work(void *unused) {
    for (int i = 0; i < ROUNDS; i++) {
        tvmscript_object own = parse();
        tvmscript_text a, b;
        tvmscript_str text_a, text_b;
        bool is_equal;
        int nodes = 0;
        must(tvmscript_print(registry, own, NULL, &a, NULL));
        must(tvmscript_print(registry, shared, NULL, &b, NULL));
        must(tvmscript_text_get(a, &text_a));
        must(tvmscript_text_get(b, &text_b));
        must(tvmscript_equal(own, shared, 0, &is_equal, NULL));
        must(tvmscript_visit(shared, count, NULL, &nodes));
        if (!is_equal || nodes == 0 || text_a.len != text_b.len || memcmp(text_a.data, text_b.data, text_a.len) != 0) exit(4);
        must(tvmscript_text_free(a));
        must(tvmscript_text_free(b));
        must(tvmscript_object_free(own));
    }
    return unused;
}

/* One handle that several threads free: it is freed once. */
static void *free_shared(void *sum) {
    *(int *)sum = tvmscript_object_free(shared) == TVMSCRIPT_STATUS_OK;
    return sum;
}

int main(void) {
    pthread_t threads[THREADS];
    int freed[THREADS], sum = 0;
    must(tvmscript_registry_default(&registry));
    shared = parse();
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, work, NULL) != 0) return 5;
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, free_shared, &freed[i]) != 0) return 5;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        sum += freed[i];
    }
    must(tvmscript_registry_free(registry));
    printf("freed %d times\n", sum);
    return tvmscript_live_handles() == 0 ? 0 : 2;
}

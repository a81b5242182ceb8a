/* Keeps running statistics for plant historian tags, addressed by name.
 *
 * What is wrong: the hash of a name is the plain sum of its letters, so that 12,000 names share some hundreds of values.
 * First screen should say: the walk along the chains, and the hash beside it.
 * Mend: FNV-1a.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TAGS 12000
#define SAMPLES 3000000
#define NAME_MAX_LEN 40
#define FILTER 120

struct tag {
    struct tag *next;
    char name[NAME_MAX_LEN];
    double mean, m2, low, high;
    long count;
    double taps[4];
};

struct store {
    struct tag **slots;
    size_t nslots;
    size_t used;
};

static uint32_t rng_state = 2463534242u;

static double looking_up;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

static uint32_t rng(void)
{
    rng_state ^= rng_state << 13;
    rng_state ^= rng_state >> 17;
    rng_state ^= rng_state << 5;
    return rng_state;
}

static uint32_t name_hash(const char *s)
{
    uint32_t h = 2166136261u;
    for (; *s; s++)
        h = h + (unsigned char)*s; /* FAULT equal-hashes */
    return h;
}

static void store_init(struct store *st, size_t nslots)
{
    st->nslots = nslots;
    st->used = 0;
    st->slots = calloc(nslots, sizeof *st->slots);
}

static struct tag *store_get(struct store *st, const char *name)
{
    size_t at = name_hash(name) & (st->nslots - 1);
    struct tag *t;
    for (t = st->slots[at]; t; t = t->next)
        if (strcmp(t->name, name) == 0) /* FAULT equal-hashes */
            return t;
    t = calloc(1, sizeof *t);
    snprintf(t->name, sizeof t->name, "%s", name);
    t->low = INFINITY;
    t->high = -INFINITY;
    t->next = st->slots[at];
    st->slots[at] = t;
    st->used++;
    return t;
}

static double smooth(struct tag *t, double v)
{
    double out = v;
    for (int round = 0; round < FILTER; round++) {
        int k = round & 3;
        t->taps[k] += 0.12 * (out - t->taps[k]);
        out = 0.7 * out + 0.3 * t->taps[k];
    }
    return out;
}

static void record(struct tag *t, double v)
{
    double d = v - t->mean;
    t->count++;
    t->mean += d / (double)t->count;
    t->m2 += d * (v - t->mean);
    if (v < t->low)
        t->low = v;
    if (v > t->high)
        t->high = v;
}

static void tag_name(char *out, size_t len, uint32_t n)
{
    static const char *kinds[] = { "TEMP", "PRES", "FLOW", "LEVL" };
    snprintf(out, len, "PLANT%02u.U%03u.%s.%04u", n % 12, n / 7 % 300,
             kinds[n % 4], n);
}

static void summarize(const struct store *st)
{
    double spread = 0, range = 0;
    long total = 0;
    for (size_t i = 0; i < st->nslots; i++)
        for (const struct tag *t = st->slots[i]; t; t = t->next) {
            if (t->count > 1)
                spread += sqrt(t->m2 / (double)(t->count - 1));
            range += t->high - t->low;
            total += t->count;
        }
    printf("%zu tags, %ld samples, spread %.3f range %.3f\n", st->used, total,
           spread / (double)st->used, range / (double)st->used);
}

int main(void)
{
    struct store st;
    static char names[TAGS][NAME_MAX_LEN];
    store_init(&st, 1u << 15);
    for (uint32_t n = 0; n < TAGS; n++)
        tag_name(names[n], sizeof names[n], n);
    for (long i = 0; i < SAMPLES; i++) {
        const char *name = names[rng() % TAGS];
        double began = i % 64 == 0 ? now() : 0;
        struct tag *t = store_get(&st, name);
        if (i % 64 == 0)
            looking_up += 64 * (now() - began);
        double raw = 40.0 + (double)(rng() % 10000) / 500.0;
        record(t, smooth(t, raw));
    }
    summarize(&st);
    printf("truth %.3f\n", looking_up);
    return 0;
}

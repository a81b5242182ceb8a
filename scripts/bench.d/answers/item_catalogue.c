/* Loads a game's catalogue of items out of one long text and prices some baskets.
 *
 * What is wrong: the numbers are read by sscanf from the middle of the text; sscanf takes the length of the whole rest of
 * the text first, at every call, so that loading is quadratic.
 * First screen should say: the time is in strlen (rawmemchr) inside sscanf, called by parse_item once for each item: each
 * call scans the remaining megabytes - parse with strtol.
 * Mend: strtol, which stops at the number's end.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ITEMS = 110000, BASKETS = 1500000 };

struct item { int id, price, level; unsigned hash; };
struct catalogue { struct item *items; size_t n; int *slots; size_t mask; };

static double parsing;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

static unsigned hash_of(const char *from, const char *to) {
  unsigned h = 2166136261u;
  while (from < to) h = (h ^ (unsigned char)*from++) * 16777619u;
  return h;
}

static char *make_text(void) {
  char *text = (char *)malloc(ITEMS * 64 + 1), *at = text;
  for (int i = 0; i < ITEMS; ++i)
    at += sprintf(at, "item_%06d_of_set_%03d %d %d %d;", i * 31 % ITEMS, i % 211, i, 100 + i * 37 % 9000, i % 120);
  return text;
}

static void put(struct catalogue *c, struct item item) {
  size_t slot = item.hash & c->mask;
  while (c->slots[slot] >= 0) slot = (slot + 1) & c->mask;
  c->slots[slot] = (int)c->n;
  c->items[c->n++] = item;
}

static const struct item *find(const struct catalogue *c, unsigned hash) {
  for (size_t slot = hash & c->mask; c->slots[slot] >= 0; slot = (slot + 1) & c->mask)
    if (c->items[c->slots[slot]].hash == hash) return &c->items[c->slots[slot]];
  return NULL;
}

static int read_numbers(const char *text, int out[3]) {
  int used = 0;
  sscanf(text, "%d %d %d%n", &out[0], &out[1], &out[2], &used); /* FAULT string-lengths */
  return used;
}

__attribute__((unused)) static int read_numbers_fast(const char *text, int out[3]) {
  char *end = (char *)text;
  for (int k = 0; k < 3; ++k) out[k] = (int)strtol(end, &end, 10);
  return (int)(end - text);
}

static const char *parse_item(struct catalogue *c, const char *at) {
  const char *space = strchr(at, ' ');
  int numbers[3];
  double began = now();
  int used = read_numbers(space, numbers);
  parsing += now() - began;
  put(c, (struct item){numbers[0], numbers[1], numbers[2], hash_of(at, space)});
  return space + used + 1;
}

static long price_baskets(const struct catalogue *c) {
  unsigned state = 17;
  long total = 0;
  for (int b = 0; b < BASKETS; ++b) {
    long sum = 0;
    for (int k = 0; k < 24; ++k) {
      state = state * 1664525u + 1013904223u;
      const struct item *item = find(c, c->items[(state >> 8) % c->n].hash);
      sum += item->level > 60 ? item->price * 9 / 10 : item->price;
    }
    total += sum > 90000 ? sum - sum / 20 : sum;
  }
  return total;
}

int main(void) {
  struct catalogue c = {(struct item *)malloc(ITEMS * sizeof(struct item)), 0, (int *)malloc(262144 * sizeof(int)), 262143};
  memset(c.slots, -1, 262144 * sizeof(int));
  char *text = make_text();
  for (const char *at = text; *at;) at = parse_item(&c, at);
  printf("items %zu baskets %ld\n", c.n, price_baskets(&c));
  int numbers[3];
  double began = now();
  for (int i = 0; i < 1000; ++i) read_numbers(" 1234 5678 90;", numbers);
  printf("truth %.3f\n", parsing - (now() - began) * ITEMS / 1000);
  free(text);
  free(c.items);
  free(c.slots);
}

/* Tells how much a backup would save by deduplication: cuts a big file into chunks by content and counts equal ones. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK (1 << 20)
#define BLOCKS 600
#define LEAST 2048
#define MOST 65536
#define MASK 0x1fffu

static uint64_t gear[256];

static uint64_t mix(uint64_t *state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* The file: blocks of random bytes, of which some come again. */
static int write_file(const char *path) {
  FILE *out = fopen(path, "wb");
  uint64_t *block = malloc(BLOCK);
  if (!out || !block) return -1;
  for (int i = 0; i < BLOCKS; i++) {
    uint64_t seed = i % 3 == 0 ? i % 40 : i;
    for (size_t j = 0; j < BLOCK / 8; j++) block[j] = mix(&seed);
    if (fwrite(block, 1, BLOCK, out) != BLOCK) return -1;
  }
  free(block);
  return fclose(out);
}

/* Open addressing; a fingerprint of 0 means an empty place. */
struct table {
  uint64_t *places;
  size_t size, used;
};

static int insert(struct table *table, uint64_t print) {
  if (table->used * 2 >= table->size) {
    struct table larger = {calloc(table->size * 2, sizeof(uint64_t)), table->size * 2, 0};
    if (!larger.places) exit(1);
    for (size_t i = 0; i < table->size; i++)
      if (table->places[i]) insert(&larger, table->places[i]);
    free(table->places);
    *table = larger;
  }
  size_t at = print & (table->size - 1);
  while (table->places[at]) {
    if (table->places[at] == print) return 0;
    at = (at + 1) & (table->size - 1);
  }
  table->places[at] = print;
  table->used++;
  return 1;
}

struct cutter {
  uint64_t roll, print, second;
  size_t size;
  long chunks, new_chunks;
  uint64_t bytes, new_bytes;
  struct table table;
};

static void finish_chunk(struct cutter *cutter) {
  if (!cutter->size) return;
  int is_new = insert(&cutter->table, (cutter->print ^ cutter->second >> 7) | 1);
  cutter->chunks++;
  cutter->bytes += cutter->size;
  if (is_new) {
    cutter->new_chunks++;
    cutter->new_bytes += cutter->size;
  }
  cutter->roll = cutter->second = cutter->size = 0;
  cutter->print = 0xcbf29ce484222325u;
}

static void feed(struct cutter *cutter, const uint8_t *data, size_t count) {
  for (size_t i = 0; i < count; i++) {
    cutter->roll = (cutter->roll << 1) + gear[data[i]];
    cutter->print = (cutter->print ^ data[i]) * 0x100000001b3u;
    cutter->second = (cutter->second + data[i]) * 0x9fb21c651e98df25u;
    cutter->size++;
    if ((cutter->size >= LEAST && (cutter->roll >> 40 & MASK) == 0) || cutter->size >= MOST) finish_chunk(cutter);
  }
}

int main(void) {
  const char *path = "backup.img";
  uint64_t seed = 7;
  for (int i = 0; i < 256; i++) gear[i] = mix(&seed);
  if (write_file(path) != 0) return 1;
  FILE *in = fopen(path, "rb");
  uint8_t *buffer = malloc(BLOCK);
  struct cutter cutter = {.print = 0xcbf29ce484222325u, .table = {calloc(4096, sizeof(uint64_t)), 4096, 0}};
  if (!in || !buffer || !cutter.table.places) return 1;
  size_t count;
  while ((count = fread(buffer, 1, BLOCK, in)) > 0) feed(&cutter, buffer, count);
  finish_chunk(&cutter);
  fclose(in);
  remove(path);
  printf("chunks %ld new %ld\n", cutter.chunks, cutter.new_chunks);
  printf("bytes %llu new %llu (%.1f %%)\n", (unsigned long long)cutter.bytes, (unsigned long long)cutter.new_bytes,
         100.0 * cutter.new_bytes / cutter.bytes);
  free(buffer);
  free(cutter.table.places);
  return 0;
}

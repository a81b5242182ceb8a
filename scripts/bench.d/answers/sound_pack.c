/* Sound: packs text by matching earlier text through hash chains, unpacks it and compares.
 *
 * The search for matches is the work; there is nothing here that is worth mending.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 40 << 20, WINDOW = 1 << 15, CHAIN = 256, LEAST = 4, MOST = 255 };

static uint32_t head[1 << 16], chain[WINDOW];

static uint32_t hash4(const uint8_t *p) {
  uint32_t v;
  memcpy(&v, p, 4);
  return (v * 2654435761u) >> 16;
}

static size_t match(const uint8_t *a, const uint8_t *b, size_t most) {
  size_t n = 0;
  while (n < most && a[n] == b[n]) ++n;
  return n;
}

static size_t pack(const uint8_t *in, size_t n, uint8_t *out) {
  size_t o = 0, literals = 0;
  memset(head, 0xff, sizeof head);
  for (size_t i = 0; i < n;) {
    size_t best = 0, from = 0;
    if (i + MOST < n) {
      uint32_t h = hash4(in + i), at = head[h];
      for (int tries = 0; tries < CHAIN && at != UINT32_MAX && i - at < WINDOW; ++tries) {
        if (in[at + best] == in[i + best]) {
          size_t length = match(in + at, in + i, MOST);
          if (length > best) best = length, from = at;
        }
        uint32_t next = chain[at % WINDOW];
        if (next == UINT32_MAX || next >= at) break;
        at = next;
      }
      chain[i % WINDOW] = head[h];
      head[h] = (uint32_t)i;
    }
    if (best >= LEAST) {
      out[o++] = (uint8_t)best;
      out[o++] = (uint8_t)(i - from);
      out[o++] = (uint8_t)((i - from) >> 8);
      for (size_t k = 1; k < best && i + k + MOST < n; ++k) {
        uint32_t h = hash4(in + i + k);
        chain[(i + k) % WINDOW] = head[h];
        head[h] = (uint32_t)(i + k);
      }
      i += best;
    } else {
      out[o++] = 0;
      out[o++] = in[i++];
      ++literals;
    }
  }
  return o;
}

static size_t unpack(const uint8_t *in, size_t n, uint8_t *out) {
  size_t o = 0;
  for (size_t i = 0; i < n;) {
    size_t length = in[i];
    if (!length) {
      out[o++] = in[i + 1];
      i += 2;
      continue;
    }
    size_t back = in[i + 1] | (size_t)in[i + 2] << 8;
    for (size_t k = 0; k < length; ++k, ++o) out[o] = out[o - back];
    i += 3;
  }
  return o;
}

int main(void) {
  uint8_t *text = (uint8_t *)malloc(SIZE + 64), *packed = (uint8_t *)malloc(SIZE * 2), *again = (uint8_t *)malloc(SIZE + 64);
  static const char *const words[] = {"pack ", "window ", "match ", "chain ", "literal ", "of ", "the ", "a ", "length ", "and\n"};
  uint32_t state = 3;
  size_t n = 0;
  while (n < SIZE) {
    state = state * 1664525u + 1013904223u;
    const char *word = words[(state >> 20) % 10];
    size_t length = strlen(word);
    memcpy(text + n, word, length);
    n += length;
    if ((state >> 8) % 5 == 0) text[n++] = (uint8_t)('0' + (state >> 13) % 10);
  }
  size_t small = pack(text, n, packed), back = unpack(packed, small, again);
  printf("packed %zu of %zu: %s\n", small, n, back == n && !memcmp(text, again, n) ? "equal" : "different");
  free(text);
  free(packed);
  free(again);
}

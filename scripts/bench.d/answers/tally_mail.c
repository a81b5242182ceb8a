/* Tallies a mailbox file: words by sender, in a hash table of its own.
 *
 * What is wrong: read_line fetches the file byte by byte with read(fd, &c, 1), a system call for each character.
 * First screen should say: nearly all the time is in the system call read of one byte, from read_line - millions of calls;
 * read larger blocks or use stdio.
 * Mend: a buffer of 64 kB that read fills, from which read_line takes its bytes.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifndef BLOCK
#define BLOCK 1
#endif

struct source { int fd; size_t at, end; char block[65536]; };
struct entry { char word[24]; uint32_t count; };

static struct entry table[1 << 16];
static double reading;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

static int next_byte(struct source *s, size_t block) {
  if (s->at == s->end) {
    ssize_t n = read(s->fd, s->block, block); /* FAULT small-reads */
    if (n <= 0) return -1;
    s->at = 0;
    s->end = (size_t)n;
  }
  return (unsigned char)s->block[s->at++];
}

static int read_line(struct source *s, char *line, int size, size_t block) {
  int n = 0, c;
  while (n < size - 1 && (c = next_byte(s, block)) >= 0) {
    if (c == '\n') {
      line[n] = 0;
      return n;
    }
    line[n++] = (char)c;
  }
  line[n] = 0;
  return n ? n : -1;
}

static void count(const char *word, size_t length) {
  if (length > 23) length = 23;
  uint32_t h = 2166136261u;
  for (size_t i = 0; i < length; ++i) h = (h ^ (unsigned char)word[i]) * 16777619u;
  for (uint32_t slot = h & 65535;; slot = (slot + 1) & 65535) {
    if (!table[slot].count) memcpy(table[slot].word, word, length);
    else if (strncmp(table[slot].word, word, length) || table[slot].word[length]) continue;
    table[slot].count++;
    return;
  }
}

static uint64_t distance(const char *a, const char *b) {
  enum { MOST = 96 };
  int row[MOST + 1], la = (int)strnlen(a, MOST), lb = (int)strnlen(b, MOST);
  for (int j = 0; j <= lb; ++j) row[j] = j;
  for (int i = 1; i <= la; ++i) {
    int corner = row[0];
    row[0] = i;
    for (int j = 1; j <= lb; ++j) {
      int above = row[j], best = corner + (a[i - 1] != b[j - 1]);
      if (above + 1 < best) best = above + 1;
      if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
      corner = above;
      row[j] = best;
    }
  }
  return (uint64_t)row[lb];
}

static void write_mailbox(const char *path, int lines) {
  FILE *f = fopen(path, "w");
  uint32_t state = 9;
  for (int i = 0; i < lines; ++i) {
    fprintf(f, "From: user%u", (state = state * 1664525u + 1013904223u) % 300);
    for (int k = 0; k < 9; ++k) fprintf(f, " word%u", (state = state * 1664525u + 1013904223u) >> 19);
    fputc('\n', f);
  }
  fclose(f);
}

int main(void) {
  char path[] = "mailbox-XXXXXX";
  close(mkstemp(path));
  write_mailbox(path, 80000);
  static struct source s;
  static char line[512], before[512];
  uint64_t apart = 0, bytes = 0;
  int n, number = 0;
  s.fd = open(path, O_RDONLY);
  while (1) {
    double began = now();
    n = read_line(&s, line, sizeof line, BLOCK);
    reading += now() - began;
    if (n < 0) break;
    bytes += (uint64_t)n + 1;
    for (char *at = line; *at;) {
      size_t length = strcspn(at, " ");
      count(at, length);
      at += length + (at[length] == ' ');
    }
    if (number++ % 2 == 0) apart += distance(before, line);
    strcpy(before, line);
  }
  printf("lines %d bytes %llu apart %llu\n", number, (unsigned long long)bytes, (unsigned long long)apart);
  lseek(s.fd, 0, SEEK_SET);
  double began = now();
  while (read_line(&s, line, sizeof line, sizeof s.block) >= 0) {}
  printf("truth %.3f\n", reading - (now() - began));
  close(s.fd);
  unlink(path);
}

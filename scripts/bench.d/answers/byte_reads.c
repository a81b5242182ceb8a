/* Reads an access log and counts bytes per status and per path. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

static double reading;

static void write_sample(const char* path, int lines) {
  FILE* f = fopen(path, "w");
  for (int i = 0; i < lines; ++i)
    fprintf(f, "10.0.%d.%d GET /item/%d HTTP/1.1 %d %d\n", i % 200, i % 250, i * 31 % 5000, i % 17 ? 200 : 404,
            i * 97 % 9000);
  fclose(f);
}

static int read_line(int fd, char* line, int cap) {
  int n = 0;
  char c;
  while (read(fd, &c, 1) == 1) { /* FAULT small-reads */
    if (c == '\n') {
      line[n] = 0;
      return n + 1;
    }
    if (n < cap - 1) line[n++] = c;
  }
  line[n] = 0;
  return n;
}

struct stats {
  long bytes[600], hits[5000];
};

static unsigned hash(const char* s) {
  unsigned h = 2166136261u;
  for (int r = 0; r < 300; ++r)
    for (const char* p = s; *p; ++p) h = (h ^ (unsigned char)*p) * 16777619u;
  return h;
}

static void account(struct stats* st, const char* line) {
  int item, status, size, a, b;
  if (sscanf(line, "10.0.%d.%d GET /item/%d HTTP/1.1 %d %d", &a, &b, &item, &status, &size) != 5) return;
  st->bytes[status % 600] += size;
  st->hits[hash(line) % 5000]++;
}

int main(void) {
  const char* path = "access.log";
  write_sample(path, 75000);
  int fd = open(path, O_RDONLY);
  struct stats* st = calloc(1, sizeof *st);
  char line[256];
  for (;;) {
    double t = now();
    int n = read_line(fd, line, sizeof line);
    reading += now() - t;
    if (!n) break;
    account(st, line);
  }
  close(fd);
  printf("ok %ld bad %ld\n", st->bytes[200], st->bytes[404]);
  printf("truth %.3f\n", reading);
  return 0;
}

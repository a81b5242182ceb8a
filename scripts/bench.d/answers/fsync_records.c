/* A ledger that appends transactions to a journal, then settles balances. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct txn {
  int id, from, to;
  long amount;
  char memo[104];
};

static double syncing;
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

static void make_txn(struct txn* t, int i) {
  memset(t, 0, sizeof *t);
  t->id = i;
  t->from = i * 7919 % 1000;
  t->to = i * 104729 % 1000;
  t->amount = i * 31 % 5000;
  snprintf(t->memo, sizeof t->memo, "payment %d", i);
}

static unsigned checksum(const struct txn* t) {
  unsigned h = 1;
  const unsigned char* p = (const unsigned char*)t;
  for (int r = 0; r < 6000; ++r)
    for (size_t i = 0; i < sizeof *t; ++i) h = h * 33 + p[i];
  return h;
}

static void journal(int fd, const struct txn* t, unsigned sum) {
  if (write(fd, t, sizeof *t) < 0 || write(fd, &sum, sizeof sum) < 0) exit(1);
  double a = now();
  fsync(fd); /* FAULT synced-writes */
  syncing += now() - a;
}

static long settle(const struct txn* all, int n) {
  static long balance[1000];
  for (int i = 0; i < n; ++i) {
    balance[all[i].from] -= all[i].amount;
    balance[all[i].to] += all[i].amount;
  }
  long m = 0;
  for (int i = 0; i < 1000; ++i)
    if (balance[i] > m) m = balance[i];
  return m;
}

int main(int argc, char** argv) {
  int n = argc > 1 ? atoi(argv[1]) : 900;
  int fd = open("journal.bin", O_CREAT | O_TRUNC | O_WRONLY, 0644);
  struct txn* all = calloc(n, sizeof *all);
  for (int i = 0; i < n; ++i) {
    make_txn(&all[i], i);
    journal(fd, &all[i], checksum(&all[i]));
  }
  printf("max %ld\n", settle(all, n));
  printf("truth %.3f\n", syncing);
  return 0;
}

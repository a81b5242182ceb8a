/* SOUND: reads a file in large parts, and computes a checksum. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char part[1 << 20];

int main(void) {
  int made = open("made", O_CREAT | O_TRUNC | O_RDWR, 0644);
  for (int i = 0; i < 24; ++i) {
    memset(part, i, sizeof part);
    if (write(made, part, sizeof part) < 0) return 1;
  }
  unsigned sum = 0;
  for (int round = 0; round < 40; ++round) {
    lseek(made, 0, SEEK_SET);
    for (ssize_t got; (got = read(made, part, sizeof part)) > 0;)
      for (ssize_t i = 0; i < got; ++i) sum = sum * 31 + part[i];
  }
  printf("%u\n", sum);
  return 0;
}

// Moves much through pipes and sockets in single calls, and relies on what a program without signals may rely on: a
// blocking call moves everything.
#include <sys/socket.h>

#include "victim.h"

#define BYTES (24 << 20)

static char* block;

static void* read_all(void* fd) {
  static char part[4096];
  long sum = 0;
  for (ssize_t n; sum < BYTES && (n = read((int)(long)fd, part, sizeof part)) > 0;) sum += n;
  EXPECT(sum == BYTES);
  return NULL;
}

static void* write_all(void* fd) {
  for (long at = 0; at < BYTES; at += 4096) EXPECT(write((int)(long)fd, block, 4096) == 4096);
  return NULL;
}

int main(void) {
  block = malloc(BYTES);
  memset(block, 1, BYTES);
  for (int round = 0; round < 4; ++round) {
    int ends[2];
    pthread_t other;
    EXPECT(pipe(ends) == 0);
    EXPECT(pthread_create(&other, NULL, read_all, (void*)(long)ends[0]) == 0);
    burn_ms(3);
    EXPECT(write(ends[1], block, BYTES) == BYTES);
    pthread_join(other, NULL);
    close(ends[0]), close(ends[1]);

    EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    EXPECT(pthread_create(&other, NULL, write_all, (void*)(long)ends[1]) == 0);
    burn_ms(3);
    EXPECT(recv(ends[0], block, BYTES, MSG_WAITALL) == BYTES);
    pthread_join(other, NULL);
    close(ends[0]), close(ends[1]);
  }
  fact("bytes", 8LL * BYTES);
  return 0;
}

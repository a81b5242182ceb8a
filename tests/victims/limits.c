// Lives near a limit that it knows: a largest file, a largest address space.
#include <fcntl.h>

#include "victim.h"

// Many different stacks and large blocks, so that the agent has much to write.
static void deep(int depth, uint32_t path) {
  if (depth == 0) {
    free(malloc(3000000));
    return;
  }
  if (path & 1)
    deep(depth - 1, path >> 1);
  else
    deep(depth - 1, path >> 1);
}

static void much_to_record(void) {
  for (uint32_t path = 0; path < 20000; ++path) deep(15, path);
}

static volatile sig_atomic_t over_limit;
static void on_limit(int number) {
  (void)number;
  ++over_limit;
}

int main(int argc, char** argv) {
  EXPECT(argc > 1);
  if (strcmp(argv[1], "file") == 0) {
    // The default action of SIGXFSZ is death: nobody but this program may reach the limit.
    much_to_record();
    burn_ms(100);
    struct sigaction action = {.sa_handler = on_limit};
    EXPECT(sigaction(SIGXFSZ, &action, NULL) == 0);
    char text[512] = {0};
    const int fd = open(argv[2], O_RDWR | O_CREAT | O_TRUNC, 0600);
    EXPECT(fd >= 0);
    struct rlimit limit;
    EXPECT(getrlimit(RLIMIT_FSIZE, &limit) == 0);
    for (rlim_t at = 0; at < limit.rlim_cur; at += sizeof text) EXPECT(write(fd, text, sizeof text) == sizeof text);
    EXPECT(over_limit == 0);
    EXPECT(write(fd, text, sizeof text) == -1 && errno == EFBIG && over_limit == 1);
  } else if (strcmp(argv[1], "memory") == 0) {
    // 700 of 1024 MiB, as the program could have alone.
    for (int i = 0; i < 700; ++i) EXPECT(malloc(1 << 20) != NULL);
    much_to_record();
    burn_ms(100);
  } else {
    much_to_record();
    burn_ms(100);
  }
  dprintf(1, "done\n");
  return 0;
}

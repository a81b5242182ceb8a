// Closes every descriptor it knows nothing of, again and again, and uses the numbers for files of its own.
#include <fcntl.h>

#include "victim.h"

static void check_file(int fd, const char* text, size_t length) {
  char got[256];
  EXPECT(lseek(fd, 0, SEEK_END) == (off_t)length);
  EXPECT(pread(fd, got, sizeof got, 0) == (ssize_t)length);
  EXPECT(memcmp(got, text, length) == 0);
}

int main(int argc, char** argv) {
  const long rounds = argument(argc, argv, 1, 30);
  char path[] = "/tmp/close_fds-XXXXXX";
  const int first = mkstemp(path);
  EXPECT(first == 3);  // as in a program that nobody watches
  EXPECT(unlink(path) == 0);
  for (long round = 0; round < rounds; ++round) {
    if (round % 2 == 0) {
      EXPECT(close_range(3, ~0U, 0) == 0);
    } else {
      for (int fd = 3; fd < 1024; ++fd) close(fd);
    }
    int files[20];
    for (int i = 0; i < 20; ++i) {
      files[i] = memfd_create("own", 0);
      EXPECT(files[i] == 3 + i);
      EXPECT(write(files[i], "mine alone", 10) == 10);
    }
    burn_ms(15);
    for (int i = 0; i < 2000; ++i) free(malloc(1000 + (size_t)i * 10));
    const pid_t pid = fork();
    EXPECT(pid >= 0);
    if (pid == 0) {
      for (int i = 0; i < 2000; ++i) free(malloc(1000));
      for (int i = 0; i < 20; ++i) check_file(files[i], "mine alone", 10);
      _exit(0);
    }
    int status;
    EXPECT(waitpid(pid, &status, 0) == pid && status == 0);
    for (int i = 0; i < 20; ++i) check_file(files[i], "mine alone", 10);
    for (int i = 0; i < 20; ++i) EXPECT(close(files[i]) == 0);
    EXPECT(close(3) == -1 && errno == EBADF);
  }
  fact("rounds", rounds);
  return 0;
}

/* SOUND: a daemon that waits for commands on a socket and does housekeeping now and then. */
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>
static long housekeeping(long x) {
  for (int i = 0; i < 100000; ++i) x = x * 6364136223846793005L + 1;
  return x;
}
int main(void) {
  int sv[2];
  socketpair(AF_UNIX, SOCK_STREAM, 0, sv);
  long x = 1;
  for (int i = 0; i < 7; ++i) {
    struct pollfd p = {sv[0], POLLIN, 0};
    int n = poll(&p, 1, 500);
    if (n == 0) x = housekeeping(x);
  }
  printf("%ld\n", x);
  return 0;
}

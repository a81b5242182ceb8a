// Waits for a signal to the program, and tells which came, and how often until a while of quiet.
#include <fcntl.h>

#include "victim.h"

static volatile sig_atomic_t times, last;

static void handler(int number) {
  last = number;
  ++times;
}

int main(int argc, char** argv) {
  static const int kSignals[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
  EXPECT(argc > 1);
  int ignored = 0;
  for (unsigned i = 0; i < sizeof kSignals / sizeof *kSignals; ++i) {
    struct sigaction action = {.sa_handler = handler}, before;
    EXPECT(sigaction(kSignals[i], &action, &before) == 0);
    if (before.sa_handler == SIG_IGN) ignored = kSignals[i];
  }
  EXPECT(close(open(argv[1], O_CREAT | O_WRONLY, 0600)) == 0);
  for (int i = 0; i < 2000 && times == 0; ++i) usleep(10000);
  for (int quiet = 0; quiet < 30; ++quiet) usleep(10000);
  fact("signal", last);
  fact("times", times);
  fact("was_ignored", ignored);
  return 0;
}

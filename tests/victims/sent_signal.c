// A program that is sent a real-time signal that it has no handler for: it ends by it.
#include "victim.h"

int main(int argc, char** argv) {
  burn_ms(50);
  kill(getpid(), (int)argument(argc, argv, 1, 62));
  burn_ms(50);
  return 0;
}

// A child to be found again: says who it is, burns a little so that there is something to record, and ends as asked.
#include "victim.h"

extern char** environ;

int main(int argc, char** argv) {
  const char* label = argc > 1 ? argv[1] : "none";
  burn_ms(30);
  void* p = malloc(1 << 20);
  EXPECT(p != NULL);
  // One write, so that several children do not mix their lines.
  dprintf(1, "child %s %d %d\n", label, (int)getpid(), (int)getppid());
  for (char** e = environ; e != NULL && *e != NULL; ++e) dprintf(1, "env %s %s\n", label, *e);
  return (int)argument(argc, argv, 2, 0);
}

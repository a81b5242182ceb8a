// Copies before anything is ready: in the resolver of an indirect function, while the dynamic loader still relocates.
// To be preloaded behind the agent, which is then relocated after it.
#include <unistd.h>

#include "victim.h"

static char copied[64], text[64], moved[64];

static int one(void) { return 1; }
static int two(void) { return 2; }

static int (*choose(void))(void) {
  static const char words[] = "copied before the agent's own addresses were in place";
  memcpy(copied, words, sizeof words);
  strcpy(text, words);
  for (unsigned i = 0; i < sizeof moved; ++i) moved[i] = (char)i;
  memmove(moved + 3, moved, 50);
  return strcmp(copied, words) == 0 && strcmp(text, words) == 0 && moved[2] == 2 && moved[3] == 0 && moved[52] == 49
             ? one
             : two;
}
int chosen(void) __attribute__((ifunc("choose")));

__attribute__((constructor)) static void tell(void) { fact("early", chosen()); }

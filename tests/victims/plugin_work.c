// A library to be loaded and unloaded while it is on somebody's stack now and then.
#include "victim.h"

void plugin_work(void (*call_back)(void)) {
  BURN_NS(300000);
  call_back();
  free(malloc(600000));
}

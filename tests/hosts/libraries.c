// Libraries that are loaded, called and unloaded again, by several threads at a time.
#include <dlfcn.h>
#include <stdio.h>

#include "tests/hosts/host.h"

static _Thread_local struct step* caller;

static uint64_t back(uint64_t value) {
  burn_us((unsigned)(value % 50));
  fold(caller, value);
  return value;
}

void load_operation(struct step* s) {
  for (int i = 0; i < 4; ++i) {
    char path[600];
    snprintf(path, sizeof(path), "%s/plugin_host_%c.so", own_directory, once_in(s, 2) ? 'a' : 'b');
    void* library = dlopen(path, once_in(s, 2) ? RTLD_NOW : RTLD_LAZY);
    if (!library) say("host: %s\n", dlerror());
    CHECK(library != NULL);
    uint64_t (*work)(uint64_t, uint64_t(*)(uint64_t)) = 0;
    *(void**)&work = dlsym(library, "work");
    CHECK(work != 0);
    caller = s;
    for (int k = 0; k < 5; ++k) fold(s, work(below(s, 100000), back));
    CHECK(dlsym(library, "no_such_name") == NULL && dlerror() != NULL);
    Dl_info info;
    CHECK(dladdr(*(void**)&work, &info) != 0 && strcmp(info.dli_sname, "work") == 0);
    CHECK(dlclose(library) == 0);
  }
  CHECK(dlopen("/no/such/library.so", RTLD_NOW) == NULL && dlerror() != NULL);
}

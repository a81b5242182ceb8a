#include "agent/process/exchange.hpp"

#include <unistd.h>

#include <cstddef>

#include "agent/core/lock.hpp"
#include "agent/core/pages.hpp"
#include "agent/process/environment.hpp"

namespace prof {
namespace {

struct Exchange {
  SpinLock lock;
  unsigned users;
  char** programs;   // environment, while there are users
  char** childrens;  // null: the program's own will do
  void* room;
  std::size_t bytes;
};
PROF_WIPED constinit pages::Wiped<Exchange> g_exchange{};

// Null: the program's own environment will do, or there is no memory for another one.
char** build(Exchange& x) {
  const std::size_t bytes = child_environment_bytes(environ);
  if (bytes == 0) return nullptr;
  if (bytes > x.bytes) {
    void* larger = pages::map(2 * bytes, pages::InChild::Kept);
    if (larger == nullptr) return nullptr;
    x.room = larger;  // the old one stays where it is
    x.bytes = 2 * bytes;
  }
  return child_environment(environ, x.room);
}

}  // namespace

void exchange_environment() {
  Exchange& x = g_exchange.value;
  const Locked locked(x.lock);
  if (x.users++ != 0) return;
  x.programs = environ;
  x.childrens = build(x);
  if (x.childrens != nullptr) environ = x.childrens;
}

void restore_environment() {
  Exchange& x = g_exchange.value;
  const Locked locked(x.lock);
  if (--x.users == 0 && x.childrens != nullptr && environ == x.childrens) environ = x.programs;
}

void prepare_exchange() { pages::wipe_in_child(g_exchange); }

}  // namespace prof

#include "agent/life/exchange.hpp"

#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstring>

#include "agent/core/lock.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/life/environment.hpp"
#include "agent/log/conditions.hpp"

namespace prof {
namespace {

struct Exchange {
  Lock lock;
  std::atomic<unsigned> users;
  char** programs;   // environment, while ours stands in its place
  char** childrens;  // null: the program's own will do
  void* room;
  std::size_t bytes;
};
PROF_WIPED constinit pages::Wiped<Exchange> g_exchange{};

// Room for the environment as it is now, and for a larger one: null where it is there already.
class Larger {
 public:
  explicit Larger(const Exchange& x) : needed_(child_environment_bytes(environ)) {
    if (needed_ <= __atomic_load_n(&x.bytes, __ATOMIC_RELAXED)) return;
    bytes_ = 2 * needed_;
    room_ = pages::map(bytes_, pages::InChild::Kept);
  }
  ~Larger() {
    if (room_ != nullptr) pages::unmap(room_, bytes_);
  }
  Larger(const Larger&) = delete;
  Larger& operator=(const Larger&) = delete;

  void give(Exchange& x) {
    if (room_ == nullptr || bytes_ <= x.bytes) return;
    x.room = room_;  // the old one stays where it is
    x.bytes = bytes_;
    room_ = nullptr;
  }

 private:
  const std::size_t needed_;
  std::size_t bytes_ = 0;
  void* room_ = nullptr;
};

// Null: the program's own environment will do, or there is no memory for another one.
char** build(Exchange& x) {
  const std::size_t bytes = child_environment_bytes(environ);
  return bytes == 0 || bytes > x.bytes ? nullptr : child_environment(environ, x.room);
}

bool is_ours(const Exchange& x, const char* entry) {
  const auto* room = static_cast<const char*>(x.room);
  return is_added(entry) || (entry >= room && entry < room + x.bytes);
}

bool has_name_of(char* const* environment, const char* entry) {
  const char* equals = std::strchr(entry, '=');
  if (equals == nullptr) return true;
  const auto name = static_cast<std::size_t>(equals - entry) + 1;
  for (char* const* e = environment; *e != nullptr; ++e) {
    if (std::strncmp(*e, entry, name) == 0) return true;
  }
  return false;
}

// The program's own environment as it is now: libc changes and removes entries in the array that it finds. What it adds
// goes into another array, which is then the program's. False, and nothing is done, where there is no room for it.
bool take_back_changes(const Exchange& x) {
  constexpr std::size_t kMostReplaced = 8;
  char* replaced[kMostReplaced];
  std::size_t before = 0, kept = 0, count = 0;
  bool same = true;
  for (char** e = x.programs; e != nullptr && *e != nullptr; ++e) {
    ++before;
    if (!is_replaced(*e)) continue;
    if (!has_name_of(x.childrens, *e)) {  // removed by the program meanwhile
      same = false;
      continue;
    }
    if (kept == kMostReplaced) return false;
    replaced[kept++] = *e;
  }
  char** at = x.programs;
  const auto next_of_programs = [&] {
    while (at != nullptr && *at != nullptr && is_replaced(*at)) ++at;
    return at == nullptr || *at == nullptr ? nullptr : *at++;
  };
  for (char** e = x.childrens; *e != nullptr; ++e) {
    if (is_ours(x, *e)) continue;
    ++count;
    same = same && next_of_programs() == *e;
  }
  if (same && next_of_programs() == nullptr) return true;
  if (count + kept > before) return false;
  char** to = x.programs;
  for (char** e = x.childrens; *e != nullptr; ++e) {
    if (!is_ours(x, *e)) *to++ = *e;
  }
  for (std::size_t i = 0; i < kept; ++i) *to++ = replaced[i];
  *to = nullptr;
  return true;
}

bool is_exchanged(const Exchange& x) { return x.childrens != nullptr && environ == x.childrens; }

}  // namespace

void exchange_environment() {
  Exchange& x = g_exchange.value;
  if (x.users.fetch_add(1) != 0) return;
  Larger larger(x);
  const HeldLock locked(x.lock);
  if (!locked) return count_loss(log::Loss::Contended);
  if (is_exchanged(x)) return;
  larger.give(x);
  x.programs = environ;
  x.childrens = build(x);
  if (x.childrens != nullptr) environ = x.childrens;
}

// Who cannot see to it now leaves it to the next one: ours does no harm meanwhile.
void restore_environment() {
  Exchange& x = g_exchange.value;
  x.users.fetch_sub(1);
  const HeldLock locked(x.lock);
  if (locked && x.users.load() == 0 && is_exchanged(x) && take_back_changes(x)) environ = x.programs;
}

void prepare_exchange() { pages::wipe_in_child(g_exchange); }

}  // namespace prof

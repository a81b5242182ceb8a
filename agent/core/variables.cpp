#include "agent/core/variables.hpp"

#include <sys/auxv.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <string_view>

#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/core/text.hpp"

namespace prof {
namespace {

constexpr std::size_t kSpare = 16;

// setenv would put a block of malloc's in here that the program then reallocates, and it would be seen to free what it
// never allocated. libc copies an array that is not its own, as it does with the kernel's.
struct Environment {
  char** entries;
  std::size_t count, room;
  std::size_t auxiliary;  // words of the auxiliary vector behind the array
};
constinit Environment g_ours{};
// Where the kernel left it, the auxiliary vector stands behind the environment (ELF's processor supplement for x86-64,
// "Initial Process Stack"), and there are programs that look for it there.
constexpr std::size_t kMostAuxiliary = 2 * 48;
// For an environment of usual size: a mapping of its own costs each process some microseconds.
constexpr std::size_t kUsual = 192;
PROF_LARGE constinit char* g_usual[kUsual + 1 + kMostAuxiliary]{};

constexpr std::size_t kOffers = 5;
struct Offers {
  std::size_t count, used;
  char text[kOffers * (sizeof(Process::agent_path) + 64)];  // one entry after the other
};
PROF_LARGE constinit Offers g_offers{};

// The kernel's array lies on the first thread's stack, below the name of the executable.
bool is_kernels(char** entries) {
  const auto at = reinterpret_cast<std::uintptr_t>(entries);
  return at > reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) && at < getauxval(AT_EXECFN);
}

// The words of the auxiliary vector from there on, its end included; 0: more than there is room for.
std::size_t auxiliary_words(char* const* from) {
  for (std::size_t n = 0; n + 2 <= kMostAuxiliary; n += 2) {
    if (from[n] == nullptr) return n + 2;  // AT_NULL
  }
  return 0;
}

void move_auxiliary_behind(std::size_t count) {
  if (g_ours.auxiliary == 0) return;
  std::memmove(g_ours.entries + count + 1, g_ours.entries + g_ours.count + 1, g_ours.auxiliary * sizeof(char*));
}

bool make_ours() {
  std::size_t n = 0;
  for (char** e = environ; e != nullptr && *e != nullptr; ++e) ++n;
  const std::size_t auxiliary = environ != nullptr && is_kernels(environ) ? auxiliary_words(environ + n + 1) : 0;
  const bool usual = g_ours.entries == nullptr && n + kSpare <= kUsual;
  const std::size_t room = usual ? kUsual : n + kSpare;
  auto* entries =
      usual ? g_usual
            : static_cast<char**>(pages::map((room + 1 + kMostAuxiliary) * sizeof(char*), pages::InChild::Kept));
  if (entries == nullptr) return false;
  if (n > 0) std::memcpy(entries, environ, n * sizeof(char*));
  if (auxiliary > 0) std::memcpy(entries + n + 1, environ + n + 1, auxiliary * sizeof(char*));
  g_ours = {entries, n, room, auxiliary};
  environ = entries;
  return true;
}

}  // namespace

const char* add_variable(char* entry) {
  const char* equals = std::strchr(entry, '=');
  const auto name = static_cast<std::size_t>(equals - entry) + 1;
  std::size_t n = 0;
  for (char** e = environ; e != nullptr && *e != nullptr; ++e, ++n) {
    if (std::strncmp(*e, entry, name) == 0) return *e + name;
  }
  if (environ == g_ours.entries && n != g_ours.count) {  // the program has removed something
    g_ours.count = n;
    g_ours.auxiliary = 0;
  }
  if (g_ours.entries == nullptr || environ != g_ours.entries || g_ours.count == g_ours.room) {
    if (!make_ours()) return nullptr;
  }
  move_auxiliary_behind(g_ours.count + 1);
  g_ours.entries[g_ours.count] = entry;
  g_ours.entries[++g_ours.count] = nullptr;
  return nullptr;
}

void set_variable(char* entry) {
  const auto name = static_cast<std::size_t>(std::strchr(entry, '=') - entry) + 1;
  for (char** e = environ; e != nullptr && *e != nullptr; ++e) {
    if (std::strncmp(*e, entry, name) == 0) {
      *e = entry;
      return;
    }
  }
  add_variable(entry);
}

bool is_set(const char* name) {
  const std::size_t length = std::strlen(name);
  for (char** e = environ; e != nullptr && *e != nullptr; ++e) {
    if (std::strncmp(*e, name, length) == 0 && (*e)[length] == '=') return true;
  }
  return false;
}

bool offer_ourselves(const char* variable) { return offer_beside(variable, nullptr); }

bool offer_beside(const char* variable, const char* file) {
  if (g_offers.count == kOffers) return false;
  std::string_view path = process().agent_path;
  if (file != nullptr) path = first(path, path.rfind('/') + 1);
  char* entry = g_offers.text + g_offers.used;
  TextBuilder text(entry, sizeof(Process::agent_path) + 64);
  text << variable << '=';
  const std::size_t value = text.view().size();
  text << path << (file != nullptr ? file : "");
  if (const char* before = add_variable(entry)) return std::strcmp(before, entry + value) == 0;
  ++g_offers.count;
  g_offers.used += text.view().size() + 1;
  return true;
}

}  // namespace prof

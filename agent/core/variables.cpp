#include "agent/core/variables.hpp"

#include <unistd.h>

#include <cstring>

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
};
constinit Environment g_ours{};
// For an environment of usual size: a mapping of its own costs each process some microseconds.
constexpr std::size_t kUsual = 192;
PROF_LARGE constinit char* g_usual[kUsual + 1]{};

constexpr std::size_t kOffers = 4;
struct Offers {
  std::size_t count, used;
  char text[kOffers * (sizeof(Process::agent_path) + 64)];  // one entry after the other
};
PROF_LARGE constinit Offers g_offers{};

bool make_ours() {
  std::size_t n = 0;
  for (char** e = environ; e != nullptr && *e != nullptr; ++e) ++n;
  const bool usual = g_ours.entries == nullptr && n + kSpare <= kUsual;
  const std::size_t room = usual ? kUsual : n + kSpare;
  auto* entries = usual ? g_usual : static_cast<char**>(pages::map((room + 1) * sizeof(char*), pages::InChild::Kept));
  if (entries == nullptr) return false;
  if (n > 0) std::memcpy(entries, environ, n * sizeof(char*));
  g_ours = {entries, n, room};
  environ = entries;
  return true;
}

}  // namespace

const char* add_variable(char* entry) {
  const char* equals = std::strchr(entry, '=');
  const auto name = static_cast<std::size_t>(equals - entry) + 1;
  for (char** e = environ; e != nullptr && *e != nullptr; ++e) {
    if (std::strncmp(*e, entry, name) == 0) return *e + name;
  }
  if (g_ours.entries == nullptr || environ != g_ours.entries || g_ours.count == g_ours.room) {
    if (!make_ours()) return nullptr;
  }
  g_ours.entries[g_ours.count++] = entry;
  return nullptr;
}

bool offer_ourselves(const char* variable) {
  if (g_offers.count == kOffers) return false;
  const char* path = process().agent_path;
  char* entry = g_offers.text + g_offers.used;
  TextBuilder text(entry, sizeof(Process::agent_path) + 64);
  text << variable << '=' << path;
  if (const char* before = add_variable(entry)) return std::strcmp(before, path) == 0;
  ++g_offers.count;
  g_offers.used += text.view().size() + 1;
  return true;
}

}  // namespace prof

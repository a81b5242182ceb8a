#include "agent/life/environment.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/core/readable.hpp"
#include "agent/core/text.hpp"
#include "agent/core/variables.hpp"

namespace prof {
namespace {

constexpr std::string_view kPreload = "LD_PRELOAD=";
constexpr std::string_view kRun = "PROF_RUN=";
constexpr std::size_t kMostSettings = 48;
constexpr std::size_t kMostOfAName = 64;  // that is looked at: the names of settings are shorter

struct Remembered {
  std::size_t count;
  char* settings[kMostSettings];  // "PROF_X=value", into `text`
  char* run;                      // "PROF_RUN=...", into `text`; null: not remembered yet
  char text[8192 + 4096];
};
PROF_LARGE constinit Remembered g_remembered{};

bool starts_with(const char* entry, std::string_view prefix) {
  return std::strncmp(entry, prefix.data(), prefix.size()) == 0;
}

// Remembers the page that it last found readable.
class Pages {
 public:
  bool readable(std::uintptr_t address) {
    const std::uintptr_t page = address / kBytes;
    if (page == last_) return true;
    if (!prof::readable(page * kBytes)) return false;
    last_ = page;
    return true;
  }
  // To its end, or so far.
  bool readable(const char* text, std::size_t most) {
    const auto at = reinterpret_cast<std::uintptr_t>(text);
    for (std::size_t i = 0; i < most; ++i) {
      if (!readable(at + i)) return false;
      if (text[i] == '\0') break;
    }
    return true;
  }

 private:
  static constexpr std::uintptr_t kBytes = 4096;
  std::uintptr_t last_ = UINTPTR_MAX;
};

// What a program passes on may be nonsense, which the kernel refuses (EFAULT).
bool can_be_read(char* const* environment) {
  Pages entries, texts;
  for (char* const* e = environment; e != nullptr; ++e) {
    const auto at = reinterpret_cast<std::uintptr_t>(e);
    if (!entries.readable(at) || !entries.readable(at + sizeof(*e) - 1)) return false;
    if (*e == nullptr) break;
    if (!texts.readable(*e, kMostOfAName)) return false;
    if ((starts_with(*e, kPreload) || starts_with(*e, kRun)) && !texts.readable(*e, SIZE_MAX)) return false;
  }
  return true;
}

const char* find(char* const* environment, std::string_view name_and_equals) {
  for (char* const* e = environment; e != nullptr && *e != nullptr; ++e) {
    if (starts_with(*e, name_and_equals)) return *e;
  }
  return nullptr;
}

std::string_view base_name(std::string_view path) { return from(path, path.rfind('/') + 1); }

// Calls `visit(entry)` for each library of an LD_PRELOAD value (separated by colons or spaces).
template <class Visit>
void each_library(std::string_view value, Visit visit) {
  while (!value.empty()) {
    const std::size_t n = value.find_first_of(": ");
    const std::string_view entry = first(value, n);
    if (!entry.empty()) visit(entry);
    value.remove_prefix(n == std::string_view::npos ? value.size() : n + 1);
  }
}

bool preloads_us(const char* entry) {
  bool found = false;
  if (entry != nullptr) {
    each_library(entry + kPreload.size(), [&](std::string_view l) { found |= l == process().agent_path; });
  }
  return found;
}

bool right_run(const char* entry) { return entry != nullptr && std::strcmp(entry, g_remembered.run) == 0; }

std::string_view name_of(const char* setting) {
  const char* equals = std::strchr(setting, '=');
  return {setting, equals == nullptr ? std::strlen(setting) : static_cast<std::size_t>(equals - setting) + 1};
}

std::size_t count_of(char* const* environment) {
  std::size_t n = 0;
  for (char* const* e = environment; e != nullptr && *e != nullptr; ++e) ++n;
  return n;
}

bool complete(char* const* environment) {
  if (!right_run(find(environment, kRun))) return false;
  if (!process().options.children) return true;
  if (!preloads_us(find(environment, kPreload))) return false;
  for (std::size_t i = 0; i < g_remembered.count; ++i) {
    if (find(environment, name_of(g_remembered.settings[i])) == nullptr) return false;
  }
  return true;
}

}  // namespace

void remember_environment(char** environment) {
  Remembered& r = g_remembered;
  std::size_t used = 0;
  constexpr std::size_t kRunBytes = 4096;
  for (char** e = environment; e != nullptr && *e != nullptr && r.count < kMostSettings; ++e) {
    if (!starts_with(*e, "PROF_") || starts_with(*e, kRun)) continue;
    const std::size_t bytes = std::strlen(*e) + 1;
    if (used + bytes > sizeof(r.text) - kRunBytes) continue;
    r.settings[r.count++] = static_cast<char*>(std::memcpy(r.text + used, *e, bytes));
    used += bytes;
  }
  const Process& p = process();
  r.run = r.text + used;
  TextBuilder run(r.run, kRunBytes);
  run << kRun;
  if (p.options.children)
    run.hex(p.run_id, 16) << ':' << std::string_view(p.run_dir);
  else
    run << "off";
}

void offer_run() {
  if (g_remembered.run != nullptr) add_variable(g_remembered.run);
}

bool is_added(const char* entry) {
  const Remembered& r = g_remembered;
  return entry == r.run || std::find(r.settings, r.settings + r.count, entry) != r.settings + r.count;
}

bool is_replaced(const char* entry) {
  return starts_with(entry, kRun) || (process().options.children && starts_with(entry, kPreload));
}

std::size_t child_environment_bytes(char* const* environment) {
  // Also when recording has failed or was stopped here: the children are of this run all the same.
  if (g_remembered.run == nullptr) return 0;
  // In a sandbox no system call is ours to make.
  const bool looks = process().stage.load(std::memory_order_relaxed) == Stage::Ready;
  if ((looks && !can_be_read(environment)) || complete(environment)) return 0;
  const char* old = find(environment, kPreload);
  return (count_of(environment) + kMostSettings + 3) * sizeof(char*) + kPreload.size() +
         std::strlen(process().agent_path) + (old != nullptr ? std::strlen(old) : 0) + 8;
}

char** child_environment(char* const* environment, void* room) {
  const Remembered& r = g_remembered;
  const bool follow = process().options.children;
  const char* old = find(environment, kPreload);
  auto** entries = static_cast<char**>(room);
  std::size_t n = 0;
  for (char* const* e = environment; e != nullptr && *e != nullptr; ++e) {
    if (is_replaced(*e)) continue;
    entries[n++] = *e;
  }
  entries[n++] = const_cast<char*>(r.run);
  if (follow) {
    for (std::size_t i = 0; i < r.count; ++i) {
      if (find(environment, name_of(r.settings[i])) == nullptr) entries[n++] = r.settings[i];
    }
    char* text = reinterpret_cast<char*>(entries + n + 2);
    const std::size_t text_bytes =
        kPreload.size() + std::strlen(process().agent_path) + (old != nullptr ? std::strlen(old) : 0) + 4;
    TextBuilder preload(text, text_bytes);
    const std::string_view library = process().agent_path;
    preload << kPreload << library;
    // Ours under another name (a relative path breaks as soon as a child changes its directory) is left out.
    if (old != nullptr) {
      each_library(old + kPreload.size(), [&](std::string_view l) {
        if (base_name(l) != base_name(library)) preload << ':' << l;
      });
    }
    entries[n++] = text;
  }
  entries[n] = nullptr;
  return entries;
}

}  // namespace prof

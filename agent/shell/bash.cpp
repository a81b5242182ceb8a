#include "agent/shell/bash.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <string_view>

#include "agent/core/checked_copy.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/text.hpp"
#include "agent/thread/feature.hpp"
#include "agent/thread/thread_state.hpp"
#include "agent/tree/bounded_names.hpp"
#include "agent/tree/context.hpp"
#include "agent/tree/root.hpp"

namespace prof::shell {
namespace {

// bash's own. Null: there is no such variable, and this is no bash.
struct Variables {
  const volatile int* line;                              // of the command that is executed
  const volatile int* context;                           // how many functions are called within each other
  const volatile int* source_level;                      // how many files are being sourced
  const volatile int* interactive;                       // whether commands are typed in
  const char* volatile* script;                          // null: there is no file
  const char* const volatile* const volatile* function;  // a variable, whose first field is its name
};
Variables g_bash{};

// Where the last stack of each kind of context hung, and names of functions that were met lately.
struct Known {
  int line;
  const void* function;  // null: none
  const char* name;      // of it, as a pointer: another function may come to stand at the same address
  std::uint32_t name_id;
  std::uint32_t node;
  struct Met {
    const void* function;
    const char* name;
    std::uint32_t name_id;
  };
  static constexpr std::size_t kMet = 64;
  Met met[kMet];
  Met& place_of(const void* variable) {
    return met[reinterpret_cast<std::uintptr_t>(variable) * 0x9e3779b97f4a7c15ULL >> 58];
  }
};
struct Place {
  Known known[2];
};
PROF_WIPED constinit pages::Wiped<Place> g_place{};

// Of the process that became the shell: its copies may go elsewhere before they are met.
constexpr std::size_t kLongestFolder = 1000;
char g_folder[kLongestFolder];

constexpr std::size_t kLongestName = 256, kLongestPath = 1000;

// Text of the shell's, which may be freed in the same moment. Empty: it cannot be read.
std::string_view copy_text(const char* from, char* to, std::size_t room) {
  constexpr std::size_t kWord = 8;
  std::size_t n = 0;
  while (n + kWord <= room) {
    const auto at = reinterpret_cast<std::uintptr_t>(from) + n;
    const std::size_t step = kWord - at % kWord;  // not beyond the page that the text may end on
    if (!copy_checked(to + n, at, step)) return {};
    if (const void* const end = std::memchr(to + n, '\0', step))
      return {to, static_cast<std::size_t>(static_cast<const char*>(end) - to)};
    n += step;
  }
  return {to, n};
}

std::uint32_t name_of(const Guard& guard, const char* function) {
  char path[kLongestPath], name[kLongestName];
  const std::string_view script = copy_text(*g_bash.script, path, sizeof(path));
  const std::string_view called = function == nullptr ? std::string_view() : copy_text(function, name, sizeof(name));
  if (script.empty() || (function != nullptr && called.empty())) return 0;
  constexpr log::NameBounds kBounds{1024, 2048, "(other functions)"};
  if (script.front() == '/') return log::bounded_name_id(guard, log::NameKind::Script, called, script, kBounds);
  Text<kLongestFolder + kLongestPath> whole;
  whole << g_folder << '/' << script;
  return log::bounded_name_id(guard, log::NameKind::Script, called, whole.view(), kBounds);
}

// The name of the function whose variable that is, as a pointer. Ordinary code reads what the shell itself reads; a
// tick may come while it is freed. Null: it cannot be read.
const char* name_at(const Guard& guard, const char* const volatile* function) {
  const char* name = nullptr;
  if (guard.kind() == log::RegionKind::Ordinary) return *function;
  return copy_checked(name, reinterpret_cast<std::uintptr_t>(function)) ? name : nullptr;
}

// The id of the name that stacks of that function hang below; 0: there is none.
std::uint32_t id_of(const Guard& guard, Known& known, const void* function, const char* name) {
  Known::Met& met = known.place_of(function);
  if (met.name_id != 0 && met.function == function && met.name == name) return met.name_id;
  met = {function, name, name_of(guard, name)};
  return met.name_id;
}

std::uint32_t root(const Guard& guard) {
  const int line = *g_bash.line;
  // What is sourced has lines of another file; the functions that it defines are called later on.
  if (*g_bash.script == nullptr || line <= 0 || *g_bash.source_level > 0 || *g_bash.interactive != 0) return 0;
  const char* const volatile* const function = *g_bash.context > 0 ? *g_bash.function : nullptr;
  const char* const name = function == nullptr ? nullptr : name_at(guard, function);
  if (function != nullptr && name == nullptr) return 0;
  Known& known = g_place.value.known[static_cast<std::uint32_t>(guard.kind())];
  const void* const variable = const_cast<const char* const*>(function);
  if (known.node != 0 && known.line == line && known.function == variable && known.name == name) return known.node;
  if (known.name_id == 0 || known.function != variable || known.name != name) {
    known.node = 0;
    known.name_id = id_of(guard, known, variable, name);
    known.function = variable;
    known.name = name;
    if (known.name_id == 0) return 0;
  }
  known.line = line;
  known.node = tree::child_of(guard, 0, log::named_frame(known.name_id, static_cast<std::uint32_t>(line)));
  return known.node;
}

template <typename T>
bool find(T& variable, const char* name) {
  variable = reinterpret_cast<T>(dlsym(RTLD_DEFAULT, name));
  return variable != nullptr;
}

}  // namespace

void prepare() {
  pages::wipe_in_child(g_place);
  Variables found{};
  const bool is_bash = find(found.line, "line_number_for_err_trap") && find(found.context, "variable_context") &&
                       find(found.source_level, "sourcelevel") && find(found.interactive, "interactive_shell") &&
                       find(found.script, "shell_script_filename") && find(found.function, "this_shell_function");
  if (!is_bash) return;
  g_bash = found;
  if (getcwd(g_folder, sizeof(g_folder)) == nullptr) g_folder[0] = '\0';
  tree::root_source = root;
}

extern const Feature feature;
const Feature feature{.prepare = prepare};

}  // namespace prof::shell

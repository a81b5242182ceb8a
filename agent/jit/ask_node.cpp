#include <cstdlib>
#include <cstring>
#include <string_view>

#include "agent/core/pages.hpp"
#include "agent/core/text.hpp"
#include "agent/core/variables.hpp"
#include "agent/jit/ask_runtimes.hpp"

namespace prof::jit {
namespace {

// Source: Node.js CLI documentation, NODE_OPTIONS; V8's options among those that it allows there.
constexpr std::string_view kVariable = "NODE_OPTIONS";
// It lists what it compiles; and each function that it interprets has an entry of its own, by which stacks tell it.
constexpr std::string_view kOptions[] = {"--perf-basic-prof", "--interpreted-frames-native-stack"};
constexpr std::size_t kMostOptions = 4096;  // with longer ones Node is left as it is

PROF_LARGE constinit char g_entry[kMostOptions + 128]{};

}  // namespace

void ask_node() {
  const char* const set = std::getenv(kVariable.data());
  const std::string_view before = set != nullptr ? set : "";
  if (before.size() > kMostOptions) return;
  TextBuilder text(g_entry, sizeof(g_entry));
  text << kVariable << '=' << before;
  bool any = false, empty = before.empty();
  for (const std::string_view option : kOptions) {
    if (before.find(option) != std::string_view::npos) continue;
    text << (empty ? "" : " ") << option;
    any = true;
    empty = false;
  }
  if (any) set_variable(g_entry);
}

}  // namespace prof::jit

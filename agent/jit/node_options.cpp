#include "agent/jit/node_options.hpp"

#include <cstdlib>
#include <cstring>
#include <string_view>

#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/core/text.hpp"
#include "agent/core/variables.hpp"

namespace prof::jit {
namespace {

// Source: Node.js CLI documentation, NODE_OPTIONS; V8's options among those that it allows there.
constexpr std::string_view kVariable = "NODE_OPTIONS", kList = "--perf-basic-prof";
constexpr std::size_t kMostOptions = 4096;  // with longer ones Node is left as it is

PROF_LARGE constinit char g_entry[kMostOptions + 64]{};

}  // namespace

void ask_node() {
  if (!process().options.js) return;
  const char* const set = std::getenv(kVariable.data());
  const std::string_view before = set != nullptr ? set : "";
  if (before.size() > kMostOptions || before.find(kList) != std::string_view::npos) return;
  TextBuilder text(g_entry, sizeof(g_entry));
  text << kVariable << '=' << before << (before.empty() ? "" : " ") << kList;
  set_variable(g_entry);
}

}  // namespace prof::jit

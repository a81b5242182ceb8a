#include "agent/core/variables.hpp"
#include "agent/jit/ask_runtimes.hpp"

namespace prof::jit {
namespace {

// Source: .NET's documentation of its runtime's variables. Before .NET 6 they began with COMPlus_, which still counts.
char g_now[] = "DOTNET_PerfMapEnabled=1", g_before[] = "COMPlus_PerfMapEnabled=1";

}  // namespace

void ask_dotnet() {
  // Who has said it by the older name means the newer runtime, too.
  if (is_set("COMPlus_PerfMapEnabled") || is_set("DOTNET_PerfMapEnabled")) return;
  add_variable(g_now);
  add_variable(g_before);
}

}  // namespace prof::jit

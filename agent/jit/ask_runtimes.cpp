#include "agent/jit/ask_runtimes.hpp"

#include "agent/core/process.hpp"

namespace prof::jit {

void ask_runtimes() {
  const Options& options = process().options;
  if (options.js) ask_node();
  if (options.dotnet) ask_dotnet();
  if (options.lua) ask_luajit();
  if (options.pypy) ask_pypy();
}

}  // namespace prof::jit

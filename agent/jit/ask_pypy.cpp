#include <sys/stat.h>
#include <unistd.h>

#include <string_view>

#include "agent/contract/format.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/core/text.hpp"
#include "agent/core/variables.hpp"
#include "agent/jit/ask_runtimes.hpp"

namespace prof::jit {
namespace {

// Sources: PyPy's page "Logging"; RPython's debug_print.c: what is written are the sections that begin so, "%d" is the
// process's id, also of a fork's child, and child programs inherit the variable. The first kind says where code is, the
// second what its instructions do.
constexpr std::string_view kSections = "PYPYLOG=jit-backend-addr,jit-log-opt:";

PROF_LARGE constinit char g_entry[sizeof(Process::run_dir) + 128]{};

}  // namespace

void ask_pypy() {
  const std::string_view folder = process().run_dir;
  // A file that cannot be opened is the program's stderr, and the log, which makes the folder, comes later. The number
  // is put in the place of the first "%d".
  mkdir(folder.data(), 0700);
  if (access(folder.data(), W_OK) != 0 || folder.find("%d") != std::string_view::npos) return;
  TextBuilder text(g_entry, sizeof(g_entry));
  text << kSections << folder << '/' << log::kPypyListBegin << "%d" << log::kPypyListEnd;
  add_variable(g_entry);
}

}  // namespace prof::jit

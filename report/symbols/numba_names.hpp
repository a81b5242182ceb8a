// Functions that numba compiled while the program ran: which Python functions they are.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/model/profile.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::symbols {

// What numba's name for a compiled function says. It mangles as C++ does, what no C++ name may hold as _3c for "<", and
// tags each version that it compiled with "v1", "v2" and so on.
struct NumbaName {
  enum class Entry { Itself, FromPython, FromC, FromNumPy };
  std::vector<std::string> parts;  // of the module and the function: "pkg", "mod", "outer", "<locals>", "inner"
  Entry entry = Entry::Itself;     // what of it: itself, or the code by which others enter it
};
std::optional<NumbaName> numba_name(std::string_view symbol);

struct NumbaFunction {
  // "outer.<locals>.inner"; "fib (called from Python)" for an entry, "sums (parallel loop)" for a part of it.
  std::string name;
  std::string file;        // empty: not known
  std::uint32_t line = 0;  // of its first decorator or its `def`; 0: not known
};

// Of the run, by what it says of its Python code and by the sources, where these are as they were then.
class NumbaNames {
 public:
  explicit NumbaNames(const model::Run& run) : sources_(run) {}
  // Of this process from now on: who started its parallel loops, which numba compiles as functions of nobody, to run
  // them on several threads. The thread that starts one takes part, and shows whose it is.
  void begin(const model::Process& process);
  // `line` and `file` as the log has them: 0 and empty where it does not say. Nothing: numba did not make it.
  std::optional<NumbaFunction> function(const model::Process& process, std::string_view symbol, const std::string& file,
                                        std::uint32_t line);

 private:
  struct Module {
    std::string file;       // empty: not known
    std::size_t parts = 0;  // of the name that are the module's
  };
  Module module_of(const model::Process& process, const std::vector<std::string>& parts);
  std::uint32_t line_of(const std::string& file, const std::string& function);

  struct Owner {
    std::string symbol, file;
    std::uint32_t line = 0;
  };
  SourceFiles sources_;
  std::map<std::string, Owner> owners_;  // of parallel loops, by their names
};

}  // namespace prof::symbols

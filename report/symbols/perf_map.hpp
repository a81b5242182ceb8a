// Functions that a runtime made while the program ran, as it lists them for perf: Java, Node, .NET, PyPy, LuaJIT and
// others write a file perf-PID.map where they are asked to.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/model/process.hpp"
#include "report/symbols/interval_map.hpp"

namespace prof::symbols {

struct MadeFunction {
  std::string name;
  std::string file;        // where the program's source is; empty: the runtime does not say
  std::uint32_t line = 0;  // where the function begins in it; 0: not known
};

// What the name of a map's line says. V8: "JS:*primes /srv/app.js:2:16" is the function primes of that file and line,
// and "JS:~ /srv/app.js:1:1" its "(script)"; the mark says how it was compiled, and is left out. Others are taken as
// they are, so a name never gets longer but for "(script)".
MadeFunction made_function(std::string_view name);

class PerfMap {
 public:
  PerfMap() = default;
  // Lines "START SIZE NAME", both numbers hexadecimal, as perf's jit-interface.txt has them. Others are passed over.
  // Where two functions share an address, the later line wins: runtimes append what they make, and a list of what is
  // there at the end has each once.
  explicit PerfMap(std::string_view text);

  // Nothing where no function of the map holds the address. Valid as long as the map.
  const MadeFunction* at(std::uint64_t address) const;

 private:
  std::vector<MadeFunction> functions_;
  IntervalMap ranges_;
};

// The name of the map that a process would write.
std::string perf_map_name(std::uint32_t pid);

// The text of a map; nothing of what is no regular file, larger than 256 MiB, owned by others than us and `also_of`, or
// was last written before `from_ns` or after `to_ns` (CLOCK_REALTIME).
std::optional<std::string> perf_map_text(const std::filesystem::path& path, std::int64_t from_ns, std::int64_t to_ns,
                                         std::optional<std::uint32_t> also_of = {});

// The first map of the process in `folders` that was written by us or by the owner of its log, while the process lived
// or soon after.
PerfMap perf_map_of(const model::Process& process, std::span<const std::filesystem::path> folders);

// Where runtimes write their maps.
inline constexpr const char* kPerfMapFolder = "/tmp";

}  // namespace prof::symbols

// Functions that a runtime made while the program ran, as it lists them for perf: Java, Node, .NET and others write a
// file perf-PID.map where they are asked to. Other lists are read as such a one.
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
#include "report/symbols/symbols.hpp"

namespace prof::symbols {

struct MadeFunction {
  std::string name, short_name;
  std::string file;        // where the program's source is; empty: the runtime does not say. Of .NET: "ASSEMBLY.dll"
  std::uint32_t line = 0;  // where the function begins in it; 0: not known
  std::string_view maker = kMadeAtRunTime;
  std::uint32_t at_line = 0;  // that runs, or calls; 0: not known
  bool inlined = false;       // compiled into the function that is behind it in the list
};

// What the name of a map's line says, at most kLongestMadeName of it.
// V8: "JS:*primes /srv/app.js:2:16" is the function primes of that file and line. The mark says how it was compiled,
// and is left out; the code of a file itself is "(script)", a function without a name "(anonymous)". Files of modules
// are URLs. Java: of "long Work.sum(int)" the short name is "Work.sum". .NET: see dotnet_names.hpp. Other names are
// taken as they are. Of what PyPy compiled the first place (see pypy_log.hpp).
MadeFunction made_function(std::string_view name);
inline constexpr std::size_t kLongestMadeName = 4096;

class PerfMap {
 public:
  PerfMap() = default;
  // Lines "START SIZE NAME", both numbers hexadecimal, as perf's jit-interface.txt has them. Others are passed over,
  // and those that hold none of the addresses, which ascend. Where two functions share an address, the later line wins:
  // runtimes append what they make, and a list of what is there at the end has each once. But for what V8 lists of
  // functions that it interprets: code that does nothing but call the interpreter, and that nothing is ever seen in but
  // where that call returns to. Elsewhere in it what was compiled there before is meant.
  PerfMap(std::string_view text, std::span<const std::uint64_t> addresses);

  // The function that holds the address, and behind it what it was compiled into; none where no function of the map
  // holds it. Valid as long as the map.
  std::span<const MadeFunction> at(std::uint64_t address) const;

 private:
  std::uint32_t number_at(std::uint64_t address) const;
  void find_returns(std::span<const std::uint64_t> addresses);

  std::vector<MadeFunction> functions_;
  std::vector<std::uint64_t> starts_;     // of functions_
  IntervalMap compiled_, interpreted_;    // numbers of functions_
  std::optional<std::uint64_t> returns_;  // how far behind the start of an interpreted one
};

// Where runtimes write their maps, and what that of a process is called there.
inline constexpr const char* kPerfMapFolder = "/tmp";
std::string perf_map_name(std::uint32_t pid);
// What the copy beside a log is called.
std::filesystem::path perf_map_copy(const std::filesystem::path& log);

// A map, or a jitdump or PyPy's log as one, read whole: nothing of what is no regular file, larger than 512 MiB, owned
// by others than us and the log's owner, or was last written before `from_ns` or after `to_ns` (CLOCK_REALTIME).
struct PerfMapText {
  std::string text;
  std::int64_t written_ns = 0;
};
std::optional<PerfMapText> perf_map_text(const std::filesystem::path& path, const std::filesystem::path& log,
                                         std::int64_t from_ns, std::int64_t to_ns);
// Of the lists that a process may have written, the longest: its map in `folder`, or, as maps, its jitdump
// (jit_dump.hpp) there or where it was started, and what PyPy wrote beside the log (pypy_log.hpp).
std::optional<PerfMapText> longest_list(std::uint32_t pid, const std::filesystem::path& folder,
                                        const std::filesystem::path& started_in, const std::filesystem::path& log,
                                        std::int64_t from_ns, std::int64_t to_ns);

// The list of a process as a map's text: the copy beside its log, or a newer one in `folder`, which was written while
// this image of the process lived or just after. `next_ns`: when something else had its number from; the lists from
// then on are not its. Of a fork's child, which goes on with the code of its parent, what it made itself.
std::string map_text_of(const model::Process& process, std::int64_t next_ns, const std::filesystem::path& folder);

// Where a process's samples are in code of no file that nobody announced; they ascend.
std::vector<std::uint64_t> nameless_addresses(const model::Process& process);

}  // namespace prof::symbols

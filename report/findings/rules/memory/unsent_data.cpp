// What coroutines write to asyncio's streams faster than it is sent piles up in memory: nobody awaits drain().
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/findings/places.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/thresholds.hpp"
#include "report/findings/when.hpp"
#include "report/fold/memory/program_memory.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace unsent_data {
namespace {

// Up to Python 3.11 a transport copies what it cannot send at once.
bool buffers(const symbols::Function& function) {
  return function.language == symbols::Language::Python && function.file.find("/asyncio/") != std::string::npos &&
         (function.name.ends_with("Transport.write") || function.name.ends_with("Transport.writelines") ||
          function.name == "write" || function.name == "writelines");
}

// "frame" of "frame = head + body"; empty: the line gives nothing a name.
std::string made_name(std::string_view code) {
  code.remove_prefix(indent_of(code));
  const std::size_t end = static_cast<std::size_t>(std::find_if_not(code.begin(), code.end(), is_name) - code.begin());
  const std::string_view behind = code.substr(end);
  return end > 0 && behind.starts_with(" = ") ? std::string(code.substr(0, end)) : std::string();
}

bool has(const std::string& line, std::string_view word) { return contains(code_of(line, "#"), word); }

// Whether the function around line `number` waits until a stream has sent.
bool waits_in_function(const Lines& lines, std::size_t number) {
  bool found = false;
  heads_above(lines, number, [&](std::string_view head, std::size_t at) {
    if (!head.starts_with("def ") && !head.starts_with("async def ")) return true;
    lines_below(lines, at, [&](std::string_view code, std::size_t) {
      found = contains(code, ".drain(");
      return !found;
    });
    return false;
  });
  return found;
}

// Since 3.12 it keeps what it was given. Whether what line `number` makes is written to a stream further down in its
// function, in a file that makes streams and never waits until one has sent; `number` becomes that of the line that
// writes.
bool is_written(const Lines& lines, std::size_t& number) {
  const auto any = [&](std::string_view word) {
    return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) { return has(line, word); });
  };
  if (number < 1 || number > lines.size() || any(".drain(")) return false;
  if (!any("start_server(") && !any("open_connection(") && !any("StreamWriter")) return false;
  const std::string name = made_name(code_of(lines[number - 1], "#"));
  for (std::size_t i = number - 1; i < lines.size(); ++i) {
    const std::string_view code = code_of(lines[i], "#");
    const std::string_view statement = code.substr(indent_of(code));
    if (i + 1 > number && (statement.starts_with("def ") || statement.starts_with("async def "))) return false;
    if (contains(statement, " as writer")) return false;  // a file
    const std::size_t at = code.find("writer.write(");
    if (at == std::string_view::npos) continue;
    const std::string_view given = code.substr(at + std::string_view("writer.write(").size());
    if (i + 1 == number || (!name.empty() && given.starts_with(name) && given.substr(name.size()).starts_with(")"))) {
      number = i + 1;
      return true;
    }
  }
  return false;
}

// Whether a line of the user's own made it, and no function of Python's that it called.
bool made_by_own(const Evidence& evidence, std::uint32_t node) {
  const fold::CallTree& tree = evidence.lines();
  while (node != 0 && tree.function(node).language != symbols::Language::Python) node = tree.nodes()[node].parent;
  return node != 0 && evidence.own().function(tree.function_id(node));
}

// Whether the function that writes, or one that called it, waits until it is sent.
bool waits_at(const Evidence& evidence, std::uint32_t node, symbols::SourceFiles& files) {
  std::vector<std::uint32_t> around = evidence.own_callers(node);
  around.push_back(evidence.own_location(node));
  return std::any_of(around.begin(), around.end(), [&](std::uint32_t location) {
    if (location == 0) return false;
    const Place place = place_of(evidence.symbols(), location);
    return place.line > 0 && waits_in_function(files.file(place.file).lines, static_cast<std::size_t>(place.line));
  });
}

const char* cannot(const Evidence& evidence) {
  return evidence.lines().live_known() ? nullptr : "what lived at the peak is not known of single threads";
}

std::vector<Finding> look(const Evidence& evidence) {
  const fold::CallTree& tree = evidence.lines();
  symbols::SourceFiles& files = evidence.sources();
  const std::vector<bool> in_transport = all_below(tree, buffers);
  std::map<std::uint32_t, std::int64_t> made;  // by location: the line that writes what it makes; 0: none does
  const auto writing_line = [&](std::uint32_t location) {
    const auto [found, is_new] = made.try_emplace(location, 0);
    if (is_new) {
      const Place place = place_of(evidence.symbols(), location);
      auto number = static_cast<std::size_t>(std::max<std::int64_t>(0, place.line));
      if (place.file.ends_with(".py") && is_written(files.file(place.file).lines, number))
        found->second = static_cast<std::int64_t>(number);
    }
    return found->second;
  };
  std::map<std::pair<std::string, std::int64_t>, std::pair<std::int64_t, Place>> held;  // by the line that writes
  std::int64_t all = 0;
  for (std::uint32_t node = 1; node < tree.nodes().size(); ++node) {
    const std::int64_t bytes = fold::program_memory(tree, node).peak_bytes;
    if (bytes <= 0) continue;
    all = model::saturated_sum(all, bytes);
    const std::uint32_t location = evidence.own_location(node);
    if (location == 0) continue;
    std::int64_t number = 0;
    if (in_transport[node]) {
      if (waits_at(evidence, node, files)) continue;
      number = place_of(evidence.symbols(), location).line;
    } else if (made_by_own(evidence, node)) {
      number = writing_line(location);
    }
    if (number <= 0) continue;
    Place place = place_of(evidence.symbols(), location);
    place.line = number;
    auto& [sum, where] = held[{place.file, number}];
    sum = model::saturated_sum(sum, bytes);
    where = std::move(place);
  }
  const auto most = std::max_element(held.begin(), held.end(),
                                     [](const auto& a, const auto& b) { return a.second.first < b.second.first; });
  if (most == held.end()) return {};
  const auto& [bytes, place] = most->second;
  if (bytes < kPeakCopy || real(bytes) < kQueuedOfPeak * real(all)) return {};
  Finding finding;
  finding.rule = kUnsentDataRule.name;
  finding.title = "What is written to streams piles up: it is sent more slowly, and nobody waits for that";
  finding.seen = fmt::format("What is written here was {} of the memory at the peak.", show::bytes(real(bytes)));
  finding.advice =
      "await writer.drain() after each write: it waits while more is unsent than the stream's limit (64 KiB by "
      "default; transport.set_write_buffer_limits()).";
  finding.places = {place};
  finding.saves_bytes = bytes;
  finding.when = at_heap_peak(evidence);
  return {finding};
}

}  // namespace
}  // namespace unsent_data

const Rule kUnsentDataRule{"unsent-data", "what piles up in streams", unsent_data::cannot, unsent_data::look};

}  // namespace prof::findings

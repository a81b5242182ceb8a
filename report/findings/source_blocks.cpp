#include "report/findings/source_blocks.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <string>

#include "report/findings/places.hpp"

namespace prof::findings {
namespace source_blocks {
namespace {

using std::string_view;

constexpr std::size_t kMostLines = 200;  // of a block

bool is_with(string_view code) {
  code.remove_prefix(indent_of(code));
  if (code.starts_with("async ")) code.remove_prefix(6);
  return code.starts_with("with ");
}

// "self._lock", "Lock()", "write_mutex": not "block" or "clock".
bool names_lock(string_view code) {
  for (std::size_t at = 0; at < code.size(); ++at) {
    if (!is_name(code[at])) continue;
    std::string name;
    for (; at < code.size() && is_name(code[at]); ++at)
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(code[at])));
    for (const string_view word : {"lock", "locks", "rlock", "mutex"}) {
      if (name == word || name.ends_with("_" + std::string(word))) return true;
    }
  }
  return false;
}

}  // namespace
}  // namespace source_blocks

std::optional<LineRange> block_of_with(const Lines& lines, std::size_t number) {
  if (number == 0 || number > lines.size()) return std::nullopt;
  const std::string_view head = code_of(lines[number - 1], "#");
  if (!source_blocks::is_with(head)) return std::nullopt;
  LineRange block{number + 1, number};
  lines_below(lines, number, [&](std::string_view, std::size_t at) {
    if (at > number + source_blocks::kMostLines) return false;
    block.last = at;
    return true;
  });
  if (block.last < block.first) return std::nullopt;
  return block;
}

std::size_t lock_around(const Lines& lines, std::size_t number) {
  std::size_t found = 0;
  heads_above(lines, number, [&](std::string_view code, std::size_t at) {
    const bool lock = source_blocks::is_with(code) && source_blocks::names_lock(code.substr(0, code.find(" as ")));
    if (lock) found = at;
    return !lock && !code.starts_with("def ") && !code.starts_with("async def ");
  });
  return found;
}

std::optional<MostInBlock> most_in_block(const Evidence& evidence, symbols::SourceFiles& files, const Place& with) {
  if (with.line <= 0) return std::nullopt;
  const auto block = block_of_with(files.file(with.file).lines, static_cast<std::size_t>(with.line));
  if (!block) return std::nullopt;
  const fold::CallTree& lines = evidence.lines();
  const auto& nodes = lines.nodes();
  // By node: the node of such a line at it or above it, the outermost one.
  std::vector<std::uint32_t> inside(nodes.size());
  std::map<std::int64_t, std::pair<Place, std::int64_t>> sums;
  std::int64_t all = 0;
  for (const std::uint32_t node : evidence.timed()) {
    inside[node] = inside[nodes[node].parent];
    if (inside[node] == 0) {
      const symbols::Location& at = evidence.symbols().location(nodes[node].location);
      const bool in_block = at.line >= block->first && at.line <= block->last;
      if (in_block && evidence.symbols().function(at.function).file == with.file) inside[node] = node;
    }
    if (inside[node] == 0) continue;
    const std::int64_t waited = evidence.idle()[node] ? 0 : lines.self().wait[node].blocked_ns();
    const std::int64_t ns = model::saturated_sum(lines.self().cpu[node].ns, waited);
    Place place = place_of(evidence.symbols(), nodes[inside[node]].location);
    auto& [its, sum] = sums[place.line];
    its = std::move(place);
    sum = model::saturated_sum(sum, ns);
    all = model::saturated_sum(all, ns);
  }
  const auto most = std::max_element(sums.begin(), sums.end(),
                                     [](const auto& a, const auto& b) { return a.second.second < b.second.second; });
  if (most == sums.end() || most->second.second <= 0) return std::nullopt;
  return MostInBlock{most->second.first, most->second.second, all};
}

}  // namespace prof::findings

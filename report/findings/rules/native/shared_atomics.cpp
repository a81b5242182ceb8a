// Several threads change atomics that lie on the same cache line, which goes from one processor to the other each time.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/findings/below_own.hpp"
#include "report/findings/places.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/thresholds.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace shared_atomics {
namespace {

// As libstdc++ and libc++ call what is inlined into the program, with debug information. What only reads or waits for
// a value is not meant.
bool changes_atomic(const symbols::Function& function) {
  constexpr std::array<std::string_view, 6> kOf = {"std::__atomic_base",    "std::atomic",
                                                   "std::__cxx_atomic",     "std::__atomic_float",
                                                   "std::_Sp_counted_base", "__gnu_cxx::__exchange_and_add"};
  constexpr std::array<std::string_view, 8> kReads = {
      "::load",    "::operator ", "::wait", "::test", "::is_lock_free", "::_M_get_use_count", "::compare_exchange",
      "::exchange"};
  if (function.language != symbols::Language::Native) return false;
  const std::string_view name = function.name;
  const auto at = std::find_if(kOf.begin(), kOf.end(),
                               [&](std::string_view of) { return name.find(of) != std::string_view::npos; });
  if (at == kOf.end()) return false;
  const bool adds =
      name.find("operator+") != std::string_view::npos || name.find("operator-") != std::string_view::npos;
  return adds || std::none_of(kReads.begin(), kReads.end(),
                              [&](std::string_view read) { return name.find(read) != std::string_view::npos; });
}

constexpr std::uint32_t kLongestLoop = 40;  // lines; what a longer one ends with is hardly much of it

// Whether a line of source changes an atomic. Where the optimiser leaves one instruction of it, the sample that stands
// there is booked on what comes next: on the line, in no function of the library.
bool changes_in_text(std::string_view code) {
  constexpr std::array<std::string_view, 8> kWords = {
      ".fetch_add(",     ".fetch_sub(",         "->fetch_add(",      "->fetch_sub(",
      "__atomic_fetch_", "__atomic_add_fetch(", "__sync_fetch_and_", "__sync_add_and_fetch("};
  code = code.substr(0, code.find("//"));
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view word) { return code.find(word) != std::string_view::npos; });
}

// The line whose time is that of an atomic's change: this one, or, where it is the head of a loop, the last of the
// loop's body, since the processor goes on at the head. 0: neither changes one.
std::uint32_t changing_line(const std::vector<std::string>& lines, std::uint32_t number) {
  if (number == 0 || number > lines.size()) return 0;
  const std::string& line = lines[number - 1];
  if (changes_in_text(line)) return number;
  const std::size_t indent = indent_of(line);
  const std::string_view code = std::string_view(line).substr(indent);
  if (!code.starts_with("for (") && !code.starts_with("while (")) return 0;
  std::uint32_t last = number;
  for (std::uint32_t at = number + 1; at <= lines.size() && at <= number + kLongestLoop; ++at) {
    const std::size_t its = indent_of(lines[at - 1]);
    if (its < lines[at - 1].size() && its <= indent) break;
    if (its < lines[at - 1].size()) last = at;
  }
  return last != number && changes_in_text(lines[last - 1]) ? last : 0;
}

// Lines that change an atomic by their text, by the locations whose time that is.
using Changing = std::map<std::uint32_t, std::uint32_t>;

// Adds the time of own lines that change an atomic by their text, less what they call.
Changing add_lines(const Evidence& evidence, std::vector<bool>& is) {
  symbols::SourceFiles& files = evidence.sources();
  Changing known;
  for (const std::uint32_t node : evidence.timed()) {
    if (evidence.lines().self().cpu[node].ns <= 0 || !evidence.own().function(evidence.lines().function_id(node)))
      continue;
    const std::uint32_t location = evidence.own_location(node);
    if (location == 0 || evidence.lines().function(node).language != symbols::Language::Native) continue;
    const auto [at, is_new] = known.try_emplace(location, 0);
    if (is_new) {
      const symbols::Location& line = evidence.symbols().location(location);
      at->second = changing_line(files.file(std::string(line.file)).lines, line.line);
    }
    if (at->second != 0) is[node] = true;
  }
  return known;
}

// Names the lines that change an atomic in place of the heads of their loops.
void name_changes(const Evidence& evidence, const Changing& changing, std::vector<Place>& places) {
  for (Place& place : places) {
    for (const auto& [location, line] : changing) {
      if (line != 0 && place == place_of(evidence.symbols(), location)) {
        place.line = line;
        break;
      }
    }
  }
  // Both may be there.
  for (std::size_t i = places.size(); i-- > 1;) {
    if (std::find(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(i), places[i]) !=
        places.begin() + static_cast<std::ptrdiff_t>(i))
      places.erase(places.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

// Of threads of one process, those for which such work is much of what they compute.
std::int64_t threads_at_it(const Evidence& evidence, const std::vector<bool>& is) {
  std::int64_t most = 0;
  for (std::size_t i = 0; i < evidence.run().processes.size(); ++i) {
    std::map<std::uint32_t, std::pair<std::int64_t, std::int64_t>> by_slot;  // in it, and in all
    for (const auto& row : evidence.run().processes[i].tree.cpu) {
      const std::uint32_t node = evidence.lines().node_of(i, row.node);
      auto& [in_it, all] = by_slot[row.slot];
      all = model::saturated_sum(all, row.metric.ns);
      if (node != fold::CallTree::kNoNode && is[node]) in_it = model::saturated_sum(in_it, row.metric.ns);
    }
    most =
        std::max<std::int64_t>(most, std::count_if(by_slot.begin(), by_slot.end(), [](const auto& entry) {
                                 const auto& [in_it, all] = entry.second;
                                 return in_it > 0 && static_cast<double>(in_it) >= kActivity * static_cast<double>(all);
                               }));
  }
  return most;
}

const char* cannot(const Evidence& evidence) { return evidence.own().any() ? nullptr : "no code of your own was seen"; }

std::vector<Finding> look(const Evidence& evidence) {
  std::vector<bool> is = below_own(evidence, changes_atomic);
  const Changing changing = add_lines(evidence, is);
  const CpuAt alone = cpu_at(evidence, [&](std::uint32_t node) { return is[node]; });
  if (alone.share() < kActivity || alone.ns < kLeastActivityNs || alone.places.empty()) return {};
  const std::int64_t threads = threads_at_it(evidence, is);
  if (threads < 2) return {};
  // A sample is booked where the processor goes on: next to the atomic, in the same function.
  std::map<std::uint32_t, std::pair<std::int64_t, std::int64_t>> by_function;
  const auto function_of = [&](std::uint32_t node) {
    return evidence.symbols().location(evidence.own_location(node)).function;
  };
  const auto& cpu_of = evidence.lines().self().cpu;
  for (const std::uint32_t node : evidence.timed()) {
    auto& [in_it, all] = by_function[function_of(node)];
    all = model::saturated_sum(all, cpu_of[node].ns);
    if (is[node]) in_it = model::saturated_sum(in_it, cpu_of[node].ns);
  }
  const CpuAt cpu = cpu_at(evidence, [&](std::uint32_t node) {
    const auto& [in_it, all] = by_function[function_of(node)];
    return is[node] || static_cast<double>(in_it) > kMuchOfALine * static_cast<double>(all);
  });
  Finding finding;
  finding.rule = kSharedAtomicsRule.name;
  finding.title = "Threads change the same atomics, or such as lie side by side";
  finding.seen = fmt::format("{} computed {} in it together{}, {} % of all CPU time.",
                             show::counted(threads, "thread", "threads"), show::duration(static_cast<double>(cpu.ns)),
                             stretched_words(evidence, cpu.ns), show::percent(cpu.share(), 1));
  finding.advice =
      "Count in a variable of the thread's own and add up at the end; keep what different threads change on cache "
      "lines of their own (alignas(64)); share a std::shared_ptr by reference.";
  finding.places = alone.places;
  name_changes(evidence, changing, finding.places);
  could_save(finding, evidence, cpu);
  return {finding};
}

}  // namespace
}  // namespace shared_atomics

const Rule kSharedAtomicsRule{"shared-atomics", "atomics that several threads change", shared_atomics::cannot,
                              shared_atomics::look};

}  // namespace prof::findings

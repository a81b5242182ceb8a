// What waits in a queue without a bound is most of the memory: who puts in is faster than who takes out.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "report/findings/places.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/thresholds.hpp"
#include "report/findings/when.hpp"
#include "report/fold/memory/program_memory.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace unbounded_queue {
namespace {

// What a line makes is put into a queue on it or soon after.
constexpr std::int64_t kSoonAfter = 3;

bool has(const std::string& line, std::string_view part) {
  return line.substr(0, line.find('#')).find(part) != std::string::npos;
}
bool has_any(const std::string& line, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) { return has(line, part); });
}

// "push" of "  void push(Item item) {", where it is a function's head.
std::string function_name(const std::string& line) {
  const std::size_t open = line.find('('), last = line.find_last_not_of(' ');
  if (open == std::string::npos || last == std::string::npos || line[last] != '{' || has(line, "](")) return {};
  std::size_t begin = open;
  while (begin > 0 && is_name(line[begin - 1])) --begin;
  std::string name = line.substr(begin, open - begin);
  return name == "if" || name == "for" || name == "while" || name == "switch" || name == "catch" ? std::string() : name;
}

// What the source of a file of Python or C++ says of queues.
struct Source {
  Source(const std::vector<std::string>& lines, bool native) : lines_(lines), native_(native) {
    bounded_ = std::any_of(lines.begin(), lines.end(), native ? is_bound : is_bound_of_python);
    native ? look_native() : look_python();
  }

  // Whether what line `number` makes is put into the queue there, or soon after by its name.
  bool puts_at(std::int64_t number) const {
    if (bounded_) return false;
    const std::string name = native_ ? made_name(number) : std::string();
    const std::int64_t last = std::min(number + kSoonAfter, static_cast<std::int64_t>(lines_.size()));
    for (std::int64_t at = std::max<std::int64_t>(number, 1); at <= last; ++at) {
      const std::string& line = lines_[static_cast<std::size_t>(at) - 1];
      if (at > number && (has(line, "def ") || has(line, "class ") || line.starts_with('}'))) return false;
      const bool puts = std::any_of(puts_.begin(), puts_.end(), [&](const std::string& put) { return has(line, put); });
      const bool its = !native_ || at == number || hands_over(line, name);
      if (puts && its) return true;
    }
    return false;
  }

  std::vector<std::int64_t> made;  // lines that make a queue without a bound, or put something into it without waiting

 private:
  void look_python() {
    puts_ = {".put(", ".put_nowait("};
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const bool makes_one = has(lines_[i], "Queue()") || has(lines_[i], "Queue(0)") || has(lines_[i], "(maxsize=0)");
      if (makes_one && !has(lines_[i], "class ")) made.push_back(static_cast<std::int64_t>(i) + 1);
    }
  }

  // Functions that put something behind others under a lock, wake who takes it, and never wait: with a bound they had
  // to.
  void look_native() {
    constexpr std::size_t kNear = 8;
    // Whoever gives back what was taken out keeps a pool.
    constexpr std::string_view kPools[] = {"release", "give", "give_back", "put_back", "recycle", "free"};
    if (!is_taken()) return;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (!has_any(lines_[i], {".push(", ".push_back(", ".emplace(", ".emplace_back("})) continue;
      std::size_t head = i;
      std::string name;
      bool locks = false, wakes = false, bounded = false;
      while (head > 0 && i - head < kNear && name.empty()) {
        --head;
        locks |= has_any(lines_[head], {"lock_guard", "unique_lock", "scoped_lock", ".lock("});
        name = function_name(lines_[head]);
      }
      for (std::size_t at = head; at < std::min(lines_.size(), i + kNear) && (at <= i || !ends(lines_[at])); ++at) {
        wakes |= has(lines_[at], "notify_");
        bounded |= has_any(lines_[at], {".wait(", ".wait_for(", "size() >", "size() ==", "size() <", "full("});
      }
      if (name.empty() || !locks || !wakes || bounded) continue;
      if (std::find(std::begin(kPools), std::end(kPools), name) != std::end(kPools)) continue;
      puts_.push_back("." + name + "(");
      puts_.push_back("->" + name + "(");
      made.push_back(static_cast<std::int64_t>(i) + 1);
    }
  }

  // Of a function, as far as its lines tell.
  static bool ends(const std::string& line) { return line == "}" || !function_name(line).empty(); }

  // Whether the program counts what is under way, or asks how much there is: then it may be bounded elsewhere.
  static bool is_bound(const std::string& line) {
    if (has_any(line, {"emaphore", "acquire(", "capacity_", "limit", "max_size", "kMost", "kMax", "MAX_"})) return true;
    const bool asks = has_any(line, {"size()", "length()", "count", "pending", "flight", "depth", "qsize"});
    return asks && !has(line, "for (") && compares(line);
  }
  static bool compares(const std::string& line) { return has_any(line, {" >= ", " > ", " <= ", " < "}); }

  // Whether the line has the name, and not as a reference that a task captures.
  static bool hands_over(const std::string& line, const std::string& name) {
    const std::size_t at = name.empty() ? std::string::npos : find_word(line, name);
    return at != std::string::npos && (at == 0 || line[at - 1] != '&');
  }

  static bool is_bound_of_python(const std::string& line) {
    return has(line, "Semaphore(") || (has(line, "qsize()") && compares(line));
  }

  // "block" of "auto block = next();" and "Block block(next());".
  std::string made_name(std::int64_t number) const {
    if (number <= 0 || static_cast<std::size_t>(number) > lines_.size()) return {};
    const std::string& line = lines_[static_cast<std::size_t>(number) - 1];
    std::size_t end = std::min(line.find(" = "), line.find('('));
    if (end == std::string::npos) return {};
    while (end > 0 && line[end - 1] == ' ') --end;
    std::size_t begin = end;
    while (begin > 0 && is_name(line[begin - 1])) --begin;
    return line.substr(begin, end - begin);
  }

  // Whether a function of the file waits for something and takes it out.
  bool is_taken() const {
    const auto any = [&](std::initializer_list<std::string_view> parts) {
      return std::any_of(lines_.begin(), lines_.end(), [&](const std::string& line) { return has_any(line, parts); });
    };
    return any({".wait("}) && any({".pop_front(", ".pop(", ".pop_back("});
  }

  const std::vector<std::string>& lines_;
  bool native_, bounded_ = false;
  std::vector<std::string> puts_;
};

class Sources {
 public:
  explicit Sources(symbols::SourceFiles& files) : files_(files) {}
  const Source& of(const std::string& name) {
    const auto known = sources_.find(name);
    if (known != sources_.end()) return known->second;
    return sources_.emplace(name, Source(files_.file(name).lines, !name.ends_with(".py"))).first->second;
  }

 private:
  symbols::SourceFiles& files_;
  std::map<std::string, Source> sources_;
};

// Where a queue of the same file is fed with what was made at `node`, by its innermost line of own code or the lines
// that called it. 0: nowhere.
std::uint32_t feeds(const Evidence& evidence, std::uint32_t node, Sources& sources) {
  std::vector<std::uint32_t> candidates = {evidence.own_location(node)};
  const std::vector<std::uint32_t> callers = evidence.own_callers(node);
  candidates.insert(candidates.end(), callers.begin(), callers.end());
  for (const std::uint32_t location : candidates) {
    if (location == 0) continue;
    const symbols::Function& function = evidence.symbols().function(evidence.symbols().location(location).function);
    if (function.language != symbols::Language::Python && function.language != symbols::Language::Native) continue;
    const Place place = place_of(evidence.symbols(), location);
    const Source& source = sources.of(place.file);
    if (!source.made.empty() && source.puts_at(place.line)) return location;
  }
  return 0;
}

const char* cannot(const Evidence& evidence) {
  return evidence.lines().live_known() ? nullptr : "what lived at the peak is not known of single threads";
}

std::vector<Finding> look(const Evidence& evidence) {
  const fold::CallTree& lines = evidence.lines();
  Sources sources(evidence.sources());
  std::map<std::uint32_t, std::int64_t> held;  // by the line that feeds a queue
  std::int64_t all = 0;
  for (std::uint32_t node = 1; node < lines.nodes().size(); ++node) {
    const std::int64_t bytes = fold::program_memory(lines, node).peak_bytes;
    if (bytes <= 0) continue;
    all = model::saturated_sum(all, bytes);
    const std::uint32_t location = feeds(evidence, node, sources);
    if (location != 0) held[location] = model::saturated_sum(held[location], bytes);
  }
  const auto most =
      std::max_element(held.begin(), held.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == held.end() || most->second < kPeakCopy ||
      static_cast<double>(most->second) < kQueuedOfPeak * static_cast<double>(all))
    return {};
  Finding finding;
  finding.rule = kUnboundedQueueRule.name;
  finding.title = "Data piles up in a queue without a bound";
  finding.seen = fmt::format("What is put into it here was {} of the memory at the peak.",
                             show::bytes(static_cast<double>(most->second)));
  const bool native = !place_of(evidence.symbols(), most->first).file.ends_with(".py");
  finding.advice = native
                       ? "Give the queue a size: whoever puts in waits, on a condition variable of its own, while that "
                         "many are there, and no more than that is in memory."
                       : "Give the queue a size (maxsize=8): put() then waits until somebody takes, and no more than "
                         "that is in memory.";
  finding.places = {place_of(evidence.symbols(), most->first)};
  if (const Source& source = sources.of(finding.places.front().file); source.made.size() == 1) {
    Place made = finding.places.front();
    made.line = source.made.front();
    made.function.clear();
    finding.places.push_back(made);
  }
  finding.saves_bytes = most->second;
  finding.when = at_heap_peak(evidence);
  return {finding};
}

}  // namespace
}  // namespace unbounded_queue

const Rule kUnboundedQueueRule{"unbounded-queue", "queues without a bound", unbounded_queue::cannot,
                               unbounded_queue::look};

}  // namespace prof::findings

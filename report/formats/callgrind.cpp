#include "report/formats/callgrind.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "report/fold/call_tree.hpp"
#include "report/fold/walk.hpp"
#include "report/show/measure.hpp"
#include "report/show/names.hpp"
#include "report/show/processes.hpp"
#include "report/show/text.hpp"

namespace prof::formats {
namespace {

using Costs = std::vector<std::int64_t>;  // one for each event

// "gpu-time" is "GpuTimeNs": names of events are letters and digits.
std::string event_name(const show::MeasureNames& words) {
  std::string out;
  bool begins = true;
  for (const char c : std::string_view(words.name)) {
    if (c == '-') {
      begins = true;
      continue;
    }
    out += begins && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    begins = false;
  }
  const bool bytes = words.kind == show::Kind::Bytes;
  return out + (words.kind == show::Kind::Time ? "Ns" : bytes ? "Bytes" : "");
}

std::vector<show::MeasureNames> events_of(const fold::CallTree& tree) {
  std::vector<show::MeasureNames> out;
  for (const show::MeasureNames& words : show::kMeasures) {
    if (!show::not_known(words.measure, tree) && model::value_of(tree.total(), words.measure) > 0) out.push_back(words);
  }
  return out;
}

// Rows of costs by a key: those of a place, or of a call.
class CostTable {
 public:
  explicit CostTable(std::size_t events) : events_(events) {}

  std::uint32_t row(std::uint64_t key) {
    const auto [found, is_new] = rows_.try_emplace(key, static_cast<std::uint32_t>(keys_.size()));
    if (is_new) {
      keys_.push_back(key);
      costs_.resize(costs_.size() + events_);
      calls_.push_back(0);
    }
    return found->second;
  }
  std::span<std::int64_t> costs(std::uint32_t row) { return std::span(costs_).subspan(row * events_, events_); }
  std::int64_t& calls(std::uint32_t row) { return calls_[row]; }
  std::uint64_t key(std::uint32_t row) const { return keys_[row]; }

  template <typename Less>
  std::vector<std::uint32_t> ordered(Less less) const {
    std::vector<std::uint32_t> out(keys_.size());
    std::iota(out.begin(), out.end(), 0U);
    std::sort(out.begin(), out.end(), [&](std::uint32_t a, std::uint32_t b) { return less(keys_[a], keys_[b]); });
    return out;
  }

 private:
  std::size_t events_;
  std::unordered_map<std::uint64_t, std::uint32_t> rows_;
  std::vector<std::uint64_t> keys_;
  Costs costs_;
  std::vector<std::int64_t> calls_;
};

void add(std::span<std::int64_t> to, std::size_t event, std::int64_t value) {
  if (value > 0) to[event] = model::saturated_sum(to[event], value);  // costs are never negative
}

// Calls are known of what was counted; of other functions there are samples.
std::int64_t calls_of(const fold::CallTree& tree, std::uint32_t node) {
  switch (tree.function(node).language) {
    case symbols::Language::Api:
      return tree.self().gpu[node].api.calls;
    case symbols::Language::Gpu:
      return tree.self().gpu[node].work.count;
    case symbols::Language::Wait:
      return tree.self().wait[node].calls();
    default:
      return tree.totals(&fold::Columns::cpu)[node].samples;
  }
}

class CallgrindWriter {
 public:
  CallgrindWriter(const fold::CallTree& tree, std::vector<show::MeasureNames> events, bool whole_names,
                  const Write& write)
      : tree_(tree),
        events_(std::move(events)),
        whole_names_(whole_names),
        write_(write),
        places_(events_.size()),
        calls_(events_.size()),
        summary_(events_.size()) {}

  void fold() {
    std::vector<std::uint32_t> open;  // by call: how often it is on the path
    std::vector<std::uint32_t> path;
    constexpr std::uint32_t kNoCall = UINT32_MAX;
    fold::walk(
        tree_,
        [&](std::uint32_t node) {
          const std::span<std::int64_t> self = places_.costs(places_.row(location(node)));
          for (std::size_t i = 0; i < events_.size(); ++i) {
            const std::int64_t value = tree_.self_value(node, events_[i].measure);
            add(self, i, value);
            add(summary_, i, value);
          }
          const std::uint32_t parent = tree_.nodes()[node].parent;
          if (parent == 0) return path.push_back(kNoCall);
          const std::uint32_t row = calls_.row(std::uint64_t{location(parent)} << 32 | tree_.function_id(node));
          if (row == open.size()) open.push_back(0);
          path.push_back(row);
          if (open[row]++ > 0) return;
          calls_.calls(row) = model::saturated_sum(calls_.calls(row), calls_of(tree_, node));
          for (std::size_t i = 0; i < events_.size(); ++i) {
            add(calls_.costs(row), i, tree_.total_value(node, events_[i].measure));
          }
        },
        [&](std::uint32_t) {
          if (path.back() != kNoCall) --open[path.back()];
          path.pop_back();
        });
  }

  void header(const show::Subject& subject) {
    write_("# callgrind format\nversion: 1\n");
    write_(fmt::format("creator: prof {}\n", PROF_VERSION));
    const std::vector<std::size_t> processes = show::selected_processes(subject);
    if (processes.size() == 1) write_(fmt::format("pid: {}\n", subject.run.processes[processes.front()].pid));
    if (!processes.empty()) {
      write_(fmt::format("cmd: {}\n", show::printable(subject.run.processes[processes.front()].command())));
    }
    write_("positions: line\n");
    std::string names;
    for (const show::MeasureNames& words : events_) {
      const char* unit = words.kind == show::Kind::Time ? " (ns)" : "";
      write_(fmt::format("event: {} : {}{}\n", event_name(words), words.noun, unit));
      names += ' ' + event_name(words);
    }
    write_(fmt::format("events:{}\nsummary:{}\n", names, numbers(summary_)));
  }

  void body() {
    const symbols::Symbols& symbols = tree_.symbols();
    const auto before = [&](std::uint32_t a, std::uint32_t b) {
      const symbols::Location &left = symbols.location(a), &right = symbols.location(b);
      return std::tie(left.function, left.file, left.line, a) < std::tie(right.function, right.file, right.line, b);
    };
    const auto places = places_.ordered([&](std::uint64_t a, std::uint64_t b) {
      return before(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b));
    });
    const auto calls = calls_.ordered([&](std::uint64_t a, std::uint64_t b) {
      const auto left = static_cast<std::uint32_t>(a >> 32), right = static_cast<std::uint32_t>(b >> 32);
      return left == right ? a < b : before(left, right);
    });
    auto call = calls.begin();
    for (auto place = places.begin(); place != places.end();) {
      const std::uint32_t function = symbols.location(location_of(*place)).function;
      begin_function(function);
      for (; place != places.end() && symbols.location(location_of(*place)).function == function; ++place) {
        cost_line(location_of(*place), places_.costs(*place), false);
      }
      for (; call != calls.end(); ++call) {
        const auto from = static_cast<std::uint32_t>(calls_.key(*call) >> 32);
        if (symbols.location(from).function != function) break;
        enter_file(from);
        const symbols::Function& callee = symbols.function(static_cast<std::uint32_t>(calls_.key(*call)));
        write_(fmt::format("cob={}\ncfi={}\ncfn={}\ncalls={} {}\n", object(callee), file(callee),
                           function_name(static_cast<std::uint32_t>(calls_.key(*call))),
                           std::max<std::int64_t>(1, calls_.calls(*call)), callee.line));
        cost_line(from, calls_.costs(*call), true);
      }
    }
    write_(fmt::format("\ntotals:{}\n", numbers(summary_)));
  }

 private:
  // Numbers and names as the format compresses them: a name where it comes first.
  class Names {
   public:
    std::string operator()(const std::string& name) {
      const auto [found, is_new] = numbers_.try_emplace(name, numbers_.size() + 1);
      return is_new ? fmt::format("({}) {}", found->second, name) : fmt::format("({})", found->second);
    }

   private:
    std::unordered_map<std::string, std::size_t> numbers_;
  };

  std::uint32_t location(std::uint32_t node) const { return tree_.nodes()[node].location; }
  std::uint32_t location_of(std::uint32_t place) const { return static_cast<std::uint32_t>(places_.key(place)); }

  // Readers take what the grammar lets them leave out for zero.
  static std::string numbers(std::span<const std::int64_t> costs) {
    std::size_t used = costs.size();
    while (used > 0 && costs[used - 1] == 0) --used;
    std::string out;
    for (std::size_t i = 0; i < used; ++i) out += ' ' + std::to_string(costs[i]);
    return out.empty() ? " 0" : out;
  }

  static std::string known(const std::string& name) { return name.empty() ? "???" : show::printable(name); }

  std::string object(const symbols::Function& function) {
    const bool python = function.language == symbols::Language::Python;
    return objects_(python ? "Python" : known(function.module));
  }
  std::string file(const symbols::Function& function) { return files_(known(function.file)); }

  // By number, not by name: functions that look alike stay apart where the reader can tell them.
  std::string function_name(std::uint32_t id) {
    const auto [found, is_new] = functions_.try_emplace(id, functions_.size() + 1);
    if (!is_new) return fmt::format("({})", found->second);
    return fmt::format("({}) {}", found->second, known(show::label(tree_.symbols().function(id), whole_names_)));
  }

  void begin_function(std::uint32_t id) {
    const symbols::Function& function = tree_.symbols().function(id);
    write_(fmt::format("\nob={}\nfl={}\nfn={}\n", object(function), file(function), function_name(id)));
    own_file_ = current_file_ = known(function.file);
  }

  // Lines of another file within the function: code that was included there.
  void enter_file(std::uint32_t location) {
    const std::string& at = tree_.symbols().location(location).file;
    const std::string wanted = at.empty() ? own_file_ : known(at);
    if (wanted == current_file_) return;
    write_(fmt::format("{}={}\n", wanted == own_file_ ? "fe" : "fi", files_(wanted)));
    current_file_ = wanted;
  }

  void cost_line(std::uint32_t location, std::span<const std::int64_t> costs, bool even_if_none) {
    const bool none = std::all_of(costs.begin(), costs.end(), [](std::int64_t cost) { return cost == 0; });
    if (none && !even_if_none) return;
    if (!even_if_none) enter_file(location);
    write_(fmt::format("{}{}\n", tree_.symbols().location(location).line, numbers(costs)));
  }

  const fold::CallTree& tree_;
  std::vector<show::MeasureNames> events_;
  bool whole_names_;
  const Write& write_;
  CostTable places_;  // by location
  CostTable calls_;   // by location of the call and function that is called
  Costs summary_;
  Names objects_, files_;
  std::unordered_map<std::uint32_t, std::size_t> functions_;
  std::string own_file_, current_file_;
};

}  // namespace

bool callgrind(const show::Subject& subject, bool whole_names, const Write& write) {
  const fold::CallTree tree =
      fold::build_call_tree(subject.run, subject.symbols, subject.selection, fold::Granularity::Line);
  std::vector<show::MeasureNames> events = events_of(tree);
  if (events.empty()) return false;
  CallgrindWriter out(tree, std::move(events), whole_names, write);
  out.fold();
  out.header(subject);
  out.body();
  return true;
}

}  // namespace prof::formats

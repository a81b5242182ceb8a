#include "report/fold/own/own_lines.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "report/fold/memory/program_memory.hpp"
#include "report/fold/own/doing.hpp"

namespace prof::fold {
namespace {

class Folder {
 public:
  Folder(const CallTree& tree, OwnGroup group)
      : tree_(tree), symbols_(tree.symbols()), own_(tree.own()), group_(group), doing_(fold::doing(tree)) {}

  OwnLines run() {
    rows_.emplace_back();
    rows_.front().line.own = false;
    std::vector<std::uint32_t> row(tree_.nodes().size());  // by node
    for (std::uint32_t node = 1; node < row.size(); ++node) {
      const CallNode& at = tree_.nodes()[node];
      const std::uint32_t function = tree_.function_id(node);
      row[node] = own_.function(function) ? row_of(at.location) : row[at.parent];
      if (symbols_.function(function).name != "(profiler)") add(row[node], node);
    }
    return finish();
  }

 private:
  struct Sum {
    OwnLine line;
    std::map<std::string, std::int64_t> spent, held;
  };

  std::uint32_t row_of(std::uint32_t location) {
    const symbols::Location& at = symbols_.location(location);
    const symbols::Function& function = symbols_.function(at.function);
    const std::string& file = at.file.empty() ? function.file : at.file;
    // Of a function that a list named, the line that ran is not known; scripts may have many functions on one line.
    const bool whole = group_ == OwnGroup::Function || function.listed();
    const std::uint32_t line = whole || at.line == 0 ? function.line : at.line;
    const auto key = std::tuple(file, line, whole ? at.function : 0);
    const auto [found, is_new] = ids_.try_emplace(key, static_cast<std::uint32_t>(rows_.size()));
    if (is_new) {
      OwnLine& row = rows_.emplace_back().line;
      row.function = at.function;
      row.line = line;
      row.file = file;
    }
    return found->second;
  }

  void add(std::uint32_t at, std::uint32_t node) {
    const Columns& self = tree_.self();
    Sum& sum = rows_[at];
    OwnLine& row = sum.line;
    row.cpu += self.cpu[node];
    const model::MemoryMetric memory = program_memory(tree_, node);
    row.memory += memory;
    if (memory.peak_bytes > 0) put(sum.held, doing(at, node), memory.peak_bytes);
    row.copied_bytes = model::saturated_sum(row.copied_bytes, self.copies[node].bytes);
    row.gpu_ns = model::saturated_sum(row.gpu_ns, self.gpu[node].work.ns);
    if (self.cpu[node].ns > 0) put(sum.spent, doing(at, node), self.cpu[node].ns);
    const std::int64_t blocked = self.wait[node].blocked_ns();
    if (blocked <= 0) return;
    std::int64_t& waited = doing_.idle[node] ? row.idle_ns : row.blocked_ns;
    waited = model::saturated_sum(waited, blocked);
    if (!doing_.idle[node]) put(sum.spent, std::string(kWaiting) + what_for(tree_.function(node)), blocked);
  }

  // `at`: the node's row.
  const std::string& doing(std::uint32_t at, std::uint32_t node) const {
    const std::uint32_t name = doing_.below_own[node].name;
    return doing_.activities.name(name == 0 && at != 0 ? doing_.activities.own_code() : name);
  }

  static void put(std::map<std::string, std::int64_t>& parts, const std::string& name, std::int64_t amount) {
    std::int64_t& all = parts[name];
    all = model::saturated_sum(all, amount);
  }

  static std::vector<Part> most_first(const std::map<std::string, std::int64_t>& parts) {
    std::vector<Part> out;
    for (const auto& [name, amount] : parts) out.push_back({name, amount});
    std::stable_sort(out.begin(), out.end(), [](const Part& a, const Part& b) { return a.amount > b.amount; });
    return out;
  }

  // "libc (file)" -> "file"
  static std::string what_for(const symbols::Function& call) {
    if (call.language != symbols::Language::Wait) return "GPU";
    return std::string(symbols::waits_for(call));
  }

  OwnLines finish() {
    OwnLines out;
    for (Sum& sum : rows_) {
      OwnLine& row = sum.line;
      row.spent = most_first(sum.spent);
      row.held = most_first(sum.held);
      out.cpu_ns = model::saturated_sum(out.cpu_ns, row.cpu.ns);
      out.blocked_ns = model::saturated_sum(out.blocked_ns, row.blocked_ns);
      out.idle_ns = model::saturated_sum(out.idle_ns, row.idle_ns);
      out.gpu_ns = model::saturated_sum(out.gpu_ns, row.gpu_ns);
      out.rows.push_back(std::move(row));
    }
    const auto order = [](const OwnLine& row) {
      return std::tuple(!row.own, -row.ns(), -row.memory.peak_bytes, -row.memory.bytes);
    };
    std::stable_sort(out.rows.begin(), out.rows.end(),
                     [&](const OwnLine& a, const OwnLine& b) { return order(a) < order(b); });
    return out;
  }

  const CallTree& tree_;
  const symbols::Symbols& symbols_;
  const OwnCode& own_;
  OwnGroup group_;
  const Doing& doing_;
  std::vector<Sum> rows_;  // the first is that of no own code
  std::map<std::tuple<std::string, std::uint32_t, std::uint32_t>, std::uint32_t> ids_;
};

}  // namespace

OwnLines own_lines(const CallTree& lines, OwnGroup group) { return Folder(lines, group).run(); }

}  // namespace prof::fold

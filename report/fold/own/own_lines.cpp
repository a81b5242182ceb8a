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
      : tree_(tree),
        symbols_(tree.symbols()),
        own_(tree.own()),
        group_(group),
        doing_(fold::doing(tree)),
        row_of_(symbols_.location_count(), kUnseen) {}

  OwnLines run() {
    rows_.emplace_back();
    rows_.front().line.own = false;
    std::vector<std::uint32_t> row(tree_.nodes().size());  // by node
    for (std::uint32_t node = 1; node < row.size(); ++node) {
      const CallNode& at = tree_.nodes()[node];
      const std::uint32_t function = tree_.function_id(node);
      row[node] = own_.function(function) ? row_of(at.location) : row[at.parent];
      const symbols::Function& of = symbols_.function(function);
      if (!of.special || of.name != "(profiler)") add(row[node], node);
    }
    return finish();
  }

 private:
  // By what it was spent in: an activity, or kBlocked and the function that blocked. A row has a few of them.
  using Parts = std::map<std::uint32_t, std::int64_t>;
  struct Sum {
    OwnLine line;
    Parts spent, held;
  };
  static constexpr std::uint32_t kBlocked = std::uint32_t{1} << 31;

  std::uint32_t row_of(std::uint32_t location) {
    std::uint32_t& known = row_of_[location];
    if (known == kUnseen) known = new_row(location);
    return known;
  }

  std::uint32_t new_row(std::uint32_t location) {
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
    if (self.heap.has(node) || self.maps.has(node)) {
      const model::MemoryMetric memory = program_memory(tree_, node);
      row.memory += memory;
      if (memory.peak_bytes > 0) put(sum.held, doing(at, node), memory.peak_bytes);
    }
    if (self.copies.has(node)) row.copied_bytes = model::saturated_sum(row.copied_bytes, self.copies[node].bytes);
    if (self.gpu.has(node)) row.gpu_ns = model::saturated_sum(row.gpu_ns, self.gpu[node].work.ns);
    if (self.cpu.has(node)) {
      row.cpu += self.cpu[node];
      if (self.cpu[node].ns > 0) put(sum.spent, doing(at, node), self.cpu[node].ns);
    }
    if (!self.wait.has(node)) return;
    const std::int64_t blocked = self.wait[node].blocked_ns();
    if (blocked <= 0) return;
    std::int64_t& waited = doing_.idle[node] ? row.idle_ns : row.blocked_ns;
    waited = model::saturated_sum(waited, blocked);
    if (!doing_.idle[node]) put(sum.spent, kBlocked | tree_.function_id(node), blocked);
  }

  // `at`: the node's row.
  std::uint32_t doing(std::uint32_t at, std::uint32_t node) const {
    const std::uint32_t name = doing_.below_own[node].name;
    return name == 0 && at != 0 ? doing_.activities.own_code() : name;
  }

  static void put(Parts& parts, std::uint32_t what, std::int64_t amount) {
    std::int64_t& all = parts[what];
    all = model::saturated_sum(all, amount);
  }

  std::string name_of(std::uint32_t what) const {
    if ((what & kBlocked) == 0) return doing_.activities.name(what);
    return std::string(kWaiting) + what_for(symbols_.function(what & ~kBlocked));
  }

  std::vector<Part> most_first(const Parts& parts) const {
    std::map<std::string, std::int64_t> by_name;
    for (const auto& [what, amount] : parts) {
      std::int64_t& all = by_name[name_of(what)];
      all = model::saturated_sum(all, amount);
    }
    std::vector<Part> out;
    for (const auto& [name, amount] : by_name) out.push_back({name, amount});
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
  static constexpr std::uint32_t kUnseen = UINT32_MAX;
  std::vector<std::uint32_t> row_of_;  // by location
};

}  // namespace

OwnLines own_lines(const CallTree& lines, OwnGroup group) { return Folder(lines, group).run(); }

}  // namespace prof::fold

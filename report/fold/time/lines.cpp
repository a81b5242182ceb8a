#include "report/fold/time/lines.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "report/fold/path_sums.hpp"

namespace prof::fold {
namespace {

constexpr std::uint32_t kNone = UINT32_MAX;         // a frame without a line
constexpr std::uint32_t kThrough = UINT32_MAX - 1;  // a frame that is as if it were not there

bool hands_on(const std::string& file) {
  constexpr std::array<std::string_view, 3> kGenerated{"<__array_function__ internals>", "<decorator-gen-",
                                                       "<boltons.funcutils"};
  return file.starts_with('<') && std::any_of(kGenerated.begin(), kGenerated.end(),
                                              [&](std::string_view begin) { return file.starts_with(begin); });
}

class LineFolder {
 public:
  explicit LineFolder(const CallTree& tree)
      : tree_(tree),
        symbols_(tree.symbols()),
        totals_(tree.totals_if_made()),
        row_of_(symbols_.location_count(), kUnseen),
        memory_of_(tree.nodes().size()),
        cumulative_of_(totals_ != nullptr ? tree.nodes().size() : 0) {}

  Lines run() {
    const auto enters = [this](std::uint32_t node) { enter(node); };
    if (totals_ != nullptr) {
      walk(tree_, enters, [this](std::uint32_t node) { leave_with_totals(node); });
    } else {
      walk_sums(tree_, enters, [this](std::uint32_t node, const Inside& inside) { leave(node, inside); });
    }
    add_in_order();
    out_.total_ns = tree_.total().cpu.ns;
    out_.live_known = tree_.live_known();
    out_.exact = tree_.exact();
    out_.copies_known = tree_.copies_known();
    out_.python_known = tree_.python_known();
    out_.device_known = tree_.device_known();
    out_.waits_known = tree_.waits_known();
    out_.total_wait = tree_.total().wait;
    const auto order = [](const SourceLine& row) {
      return std::tuple(-row.own_ns(), -row.wait.blocked_ns(), -row.gpu_ns, -row.memory.bytes, -row.cumulative_ns);
    };
    std::stable_sort(out_.rows.begin(), out_.rows.end(),
                     [&](const SourceLine& a, const SourceLine& b) { return order(a) < order(b); });
    return std::move(out_);
  }

 private:
  static constexpr std::uint32_t kUnseen = UINT32_MAX - 2;

  struct Step {
    std::uint32_t row = kNone;     // of the node itself
    std::uint32_t python = kNone;  // of the innermost Python frame so far
    std::uint32_t host = kNone;    // of the innermost frame of the program's code so far
    std::uint32_t lined = kNone;   // of the innermost native frame inside of that Python frame that has a line
    std::uint32_t visit = 0;       // the order of entering
  };
  // The largest node of a row's function, and of those as large the first.
  struct Largest {
    std::int64_t ns = -1;
    std::uint32_t visit = 0;
  };

  void enter(std::uint32_t node) {
    Step step{row(tree_.nodes()[node].location), kNone, kNone, kNone, ++visits_};
    if (!path_.empty()) {
      step.python = path_.back().python;
      step.host = path_.back().host;
      step.lined = path_.back().lined;
    }
    const symbols::Language language = tree_.function(node).language;
    const bool is_python = language == symbols::Language::Python;
    if (step.row == kThrough) {
      step.row = kNone;
    } else if (!symbols::below_the_program(language)) {
      step.host = step.row;
      if (is_python) step.python = step.row;
      if (is_python) step.lined = kNone;
      if (!is_python && step.row != kNone) step.lined = step.row;
    }
    path_.push_back(step);
    if (step.row != kNone) ++open_[step.row];
    memory_of_[node] = {step.python, kNone};
    if (step.python != kNone) {
      count_own(out_.rows[step.python], node, is_python);
    } else {
      out_.no_python_ns = model::saturated_sum(out_.no_python_ns, tree_.self().cpu[node].ns);
    }
    if (!is_python && step.row != kNone) {
      count_own(out_.rows[step.row], node, false);
      memory_of_[node][1] = step.row;
    } else if (!is_python && step.lined != kNone) {
      memory_of_[node][1] = step.lined;  // operator new and the like: nobody's line but its caller's
    }
    count_calls(step, node);
  }

  // What a device does hangs below the call that launched it, and blocked time on the call that waited: their line is
  // that of the code that called.
  void count_calls(const Step& step, std::uint32_t node) {
    if (!tree_.self().gpu.has(node) && !tree_.self().wait.has(node)) return;
    const model::GpuMetrics& gpu = tree_.self().gpu[node];
    const auto count = [&](std::uint32_t row) {
      if (row == kNone) return;
      SourceLine& line = out_.rows[row];
      line.gpu_ns = model::saturated_sum(line.gpu_ns, gpu.work.ns);
      line.gpu_idle_ns = model::saturated_sum(line.gpu_idle_ns, gpu.idle.ns);
      tree_.self().wait.add_to(line.wait, node);
    };
    count(step.python);
    if (step.host != step.python) count(step.host);
  }

  void leave(std::uint32_t node, const Inside& inside) {
    model::CpuMetric cpu;
    inside.add_to(cpu, &PathSums::cpu);
    const auto [row, outermost] = left(node, cpu.ns);
    if (!outermost) return;
    SourceLine& line = out_.rows[row];
    model::GpuMetrics gpu;
    inside.add_to(gpu, &PathSums::gpu);
    inside.add_to(line.cum_memory, &PathSums::heap);
    inside.add_to(line.cum_wait, &PathSums::wait);
    add_cumulative(line, cpu, gpu);
  }

  void leave_with_totals(std::uint32_t node) {
    const auto [row, outermost] = left(node, totals_->cpu[node].ns);
    cumulative_of_[node] = outermost ? row : kNone;
  }

  // The row of a node that the path loses, and whether the path has it no more.
  std::pair<std::uint32_t, bool> left(std::uint32_t node, std::int64_t cpu_ns) {
    const Step step = path_.back();
    path_.pop_back();
    if (step.row == kNone) return {kNone, false};
    Largest& largest = largest_[step.row];
    if (cpu_ns > largest.ns || (cpu_ns == largest.ns && step.visit < largest.visit)) {
      largest = {cpu_ns, step.visit};
      out_.rows[step.row].function = tree_.function_id(node);
    }
    return {step.row, --open_[step.row] == 0};
  }

  static void add_cumulative(SourceLine& line, const model::CpuMetric& cpu, const model::GpuMetrics& gpu) {
    line.cumulative_ns = model::saturated_sum(line.cumulative_ns, cpu.ns);
    line.cum_gpu_ns = model::saturated_sum(line.cum_gpu_ns, gpu.work.ns);
  }

  // What the walk found out of each node: figures of nodes in their order lie side by side.
  void add_in_order() {
    for (std::uint32_t node = 1; node < tree_.nodes().size(); ++node) {
      for (const std::uint32_t row : memory_of_[node]) {
        if (row != kNone) count_memory(out_.rows[row], node);
      }
      if (totals_ == nullptr || cumulative_of_[node] == kNone) continue;
      SourceLine& line = out_.rows[cumulative_of_[node]];
      totals_->heap.add_to(line.cum_memory, node);
      totals_->wait.add_to(line.cum_wait, node);
      add_cumulative(line, totals_->cpu[node], totals_->gpu[node]);
    }
  }

  void count_own(SourceLine& line, std::uint32_t node, bool in_python) const {
    const model::CpuMetric& cpu = tree_.self().cpu[node];
    std::int64_t& ns = in_python ? line.python_ns : line.native_ns;
    ns = model::saturated_sum(ns, cpu.ns);
    line.samples = model::saturated_sum(line.samples, cpu.samples);
  }

  void count_memory(SourceLine& line, std::uint32_t node) const {
    const Columns& self = tree_.self();
    self.heap.add_to(line.memory, node);
    self.python.add_to(line.python_memory, node);
    if (self.copies.has(node)) line.copied_bytes = model::saturated_sum(line.copied_bytes, self.copies[node].bytes);
  }

  std::uint32_t row(std::uint32_t location) {
    std::uint32_t& known = row_of_[location];
    if (known == kUnseen) known = new_row(symbols_.location(location));
    return known;
  }

  std::uint32_t new_row(const symbols::Location& location) {
    const symbols::Function& function = symbols_.function(location.function);
    const std::string& file = location.file.empty() ? function.file : location.file;
    if (hands_on(file)) return kThrough;
    // Of a function that its maker listed, the line that it begins in is all that is known.
    const std::uint32_t number = location.line == 0 && function.listed() ? function.line : location.line;
    if (file.empty() || number == 0) return kNone;
    // The line is that of the native function that runs it.
    const symbols::Language language =
        function.language == symbols::Language::Operator ? symbols::Language::Native : function.language;
    const auto [found, is_new] =
        by_line_.try_emplace({language, file, number}, static_cast<std::uint32_t>(out_.rows.size()));
    if (is_new) {
      SourceLine& line = out_.rows.emplace_back();
      line.file = file;
      line.line = number;
      line.function = location.function;
      line.language = language;
      open_.push_back(0);
      largest_.emplace_back();
    }
    return found->second;
  }

  const CallTree& tree_;
  const symbols::Symbols& symbols_;
  const Columns* totals_;  // null: they were not made
  Lines out_;
  std::vector<std::uint32_t> row_of_;                    // by location
  std::vector<std::array<std::uint32_t, 2>> memory_of_;  // by node: rows that its memory counts for
  std::vector<std::uint32_t> cumulative_of_;             // by node: the row that it is the outermost node of
  std::map<std::tuple<symbols::Language, std::string, std::uint32_t>, std::uint32_t> by_line_;
  std::vector<std::uint32_t> open_;  // by row: how often it is on the path
  std::vector<Largest> largest_;     // by row
  std::vector<Step> path_;
  std::uint32_t visits_ = 0;
};

}  // namespace

bool Lines::any(symbols::Language language) const {
  return std::any_of(rows.begin(), rows.end(), [&](const SourceLine& row) { return row.language == language; });
}

Lines lines(const CallTree& tree) { return LineFolder(tree).run(); }

Lines lines(const model::Run& run, const symbols::Symbols& symbols, Selection selection) {
  selection.fold.frames = Frames::Mixed;
  return lines(build_call_tree(run, symbols, selection, Granularity::Line));
}

}  // namespace prof::fold

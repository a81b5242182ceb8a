#include "report/show/run/process_tree.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace prof::show {
namespace {

class Order {
 public:
  explicit Order(const model::Run& run) : run_(run), below_(run.processes.size()), visited_(run.processes.size()) {}

  std::vector<ProcessRow> rows() {
    std::vector<std::size_t> roots;
    for (std::size_t i = 0; i < run_.processes.size(); ++i) {
      const model::Process& process = run_.processes[i];
      const auto above = process.previous_image ? process.previous_image : process.parent;
      if (above && *above < below_.size() && *above != i) {
        below_[*above].push_back(i);
      } else {
        roots.push_back(i);
      }
    }
    for (const std::size_t root : roots) walk(root);
    // Links that form a ring can only come from a damaged log; its processes are shown all the same.
    for (std::size_t i = 0; i < below_.size(); ++i) walk(i);
    return std::move(rows_);
  }

 private:
  void walk(std::size_t root) {
    std::vector<ProcessRow> open{{root, 0}};
    while (!open.empty()) {
      const ProcessRow row = open.back();
      open.pop_back();
      if (visited_[row.process]) continue;
      visited_[row.process] = true;
      rows_.push_back(row);
      const auto& below = below_[row.process];
      for (auto child = below.rbegin(); child != below.rend(); ++child) {
        const bool image = run_.processes[*child].previous_image == row.process;
        open.push_back({*child, row.depth + (image ? 0 : 1)});
      }
    }
  }

  const model::Run& run_;
  std::vector<std::vector<std::size_t>> below_;
  std::vector<bool> visited_;
  std::vector<ProcessRow> rows_;
};

}  // namespace

std::vector<ProcessRow> process_tree(const Subject& subject) {
  std::vector<ProcessRow> rows = Order(subject.run).rows();
  std::erase_if(rows,
                [&](const ProcessRow& row) { return !subject.selection.includes(subject.run.processes[row.process]); });
  return rows;
}

void keep_heaviest(std::vector<ProcessRow>& rows, const model::Run& run, std::size_t wanted) {
  if (rows.size() <= wanted) return;
  std::vector<std::size_t> by_cpu;
  for (const ProcessRow& row : rows) by_cpu.push_back(row.process);
  std::stable_sort(by_cpu.begin(), by_cpu.end(),
                   [&](std::size_t a, std::size_t b) { return run.processes[a].cpu_ns > run.processes[b].cpu_ns; });
  std::vector<bool> kept(run.processes.size(), false);
  for (std::size_t i = 0; i < wanted; ++i) {
    std::optional<std::size_t> process = by_cpu[i];
    while (process && *process < kept.size() && !kept[*process]) {
      kept[*process] = true;
      process = run.processes[*process].parent;
    }
  }
  std::erase_if(rows, [&](const ProcessRow& row) { return !kept[row.process]; });
}

}  // namespace prof::show

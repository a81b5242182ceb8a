#include "report/fold/python/imports.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_set>

namespace prof::fold {
namespace {

std::uint64_t end_of(const model::Import& import) {
  return model::saturated_sum(import.start_monotonic_ns, import.total_ns);
}

void add(std::size_t index, const model::Process& process, const Selection& selection, std::vector<ImportRow>& rows) {
  std::unordered_set<std::uint32_t> slots;
  for (const model::Thread& thread : process.threads) {
    if (selection.includes(thread)) slots.insert(thread.slot);
  }
  const std::size_t first = rows.size();
  for (const model::Import& import : process.imports) {
    if (!selection.by_thread() || slots.contains(import.slot)) rows.push_back({index, &import, 0});
  }
  // Of two that start in one tick of the clock the outer one has the smaller depth.
  std::stable_sort(
      rows.begin() + static_cast<std::ptrdiff_t>(first), rows.end(), [](const ImportRow& a, const ImportRow& b) {
        const auto key = [](const model::Import& i) { return std::tuple(i.slot, i.start_monotonic_ns, i.depth); };
        return key(*a.import) < key(*b.import);
      });
  // The recorded depth counts imports that never ended, too: here it is the number of those around it in the list.
  std::vector<const model::Import*> open;
  for (std::size_t i = first; i < rows.size(); ++i) {
    const model::Import& import = *rows[i].import;
    while (!open.empty() && (open.back()->slot != import.slot || open.back()->depth >= import.depth ||
                             end_of(*open.back()) < import.start_monotonic_ns)) {
      open.pop_back();
    }
    rows[i].depth = static_cast<std::uint32_t>(open.size());
    open.push_back(&import);
  }
}

}  // namespace

std::vector<ImportRow> imports(const model::Run& run, const Selection& selection) {
  std::vector<ImportRow> rows;
  for (std::size_t i = 0; i < run.processes.size(); ++i) {
    if (selection.includes(run.processes[i])) add(i, run.processes[i], selection, rows);
  }
  return rows;
}

}  // namespace prof::fold

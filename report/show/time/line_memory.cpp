#include "report/show/time/line_memory.hpp"

namespace prof::show {

std::vector<Column> line_memory_columns(bool memory_first, const fold::Lines& lines) {
  const Where shown = memory_first ? Where::Everywhere : Where::CsvOnly;
  const Where of_exact = memory_first && lines.exact ? Where::Everywhere : Where::CsvOnly;
  const Where of_python = memory_first && lines.python_known ? Where::Everywhere : Where::CsvOnly;
  return {{"peak_bytes", "peak", Kind::Bytes, "", shown},
          {"live_bytes", "live", Kind::Bytes, "", shown},
          {"allocations", "allocs", Kind::Count, "", shown},
          {"temporary", "temp", Kind::Count, "", of_exact},
          {"python_peak_bytes", "py peak", Kind::Bytes, "", of_python},
          {"python_live_bytes", "py live", Kind::Bytes, "", of_python},
          {"cum_peak_bytes", "cum peak", Kind::Bytes, "", shown},
          {"cum_live_bytes", "cum live", Kind::Bytes, "", shown},
          {"cum_allocated_bytes", "cum alloc", Kind::Bytes, "", Where::CsvOnly}};
}

std::vector<Cell> line_memory_cells(const fold::SourceLine& row, const fold::Lines& lines, bool heap_recorded) {
  const auto level = [&](std::int64_t value) { return heap_recorded && lines.live_known ? Cell(value) : Cell(); };
  const auto python = [&](std::int64_t value) { return lines.python_known ? level(value) : Cell(); };
  return {level(row.memory.peak_bytes),
          level(row.memory.live_bytes()),
          heap_recorded ? Cell(row.memory.allocations()) : Cell(),
          lines.exact ? Cell(row.memory.temporary) : Cell(),
          python(row.python_memory.peak_bytes),
          python(row.python_memory.live_bytes()),
          level(row.cum_memory.peak_bytes),
          level(row.cum_memory.live_bytes()),
          heap_recorded ? Cell(row.cum_memory.bytes) : Cell()};
}

std::string line_memory_caption() {
  return "peak: what the line's allocations held when the process held the most; live: what they hold now or at the "
         "end, its increment; allocs: how often it allocated. A line's own are those of native code that it called; "
         "cum: of all that it called.";
}

}  // namespace prof::show

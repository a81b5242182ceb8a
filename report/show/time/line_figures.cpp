#include "report/show/time/line_figures.hpp"

#include <fmt/format.h>

#include "report/show/names.hpp"
#include "report/show/processes.hpp"

namespace prof::show {
namespace {

using fold::SourceLine;

// What was not recorded has no value.
Figures<SourceLine> memory_figures(const fold::Lines& lines, bool heap, bool first) {
  const bool live = heap && lines.live_known, python = live && lines.python_known, exact = lines.exact;
  const Where shown = shown_if(first), of_python = shown_if(first && lines.python_known);
  return {{{"peak_bytes", "peak", Kind::Bytes, "", shown},
           [=](auto& row) { return known_if(live, row.memory.peak_bytes); }},
          {{"live_bytes", "live", Kind::Bytes, "", shown},
           [=](auto& row) { return known_if(live, row.memory.live_bytes()); }},
          {{"allocations", "allocs", Kind::Count, "", shown},
           [=](auto& row) { return known_if(heap, row.memory.allocations()); }},
          {{"temporary", "temp", Kind::Count, "", shown_if(first && exact)},
           [=](auto& row) { return known_if(exact, row.memory.temporary); }},
          {{"python_peak_bytes", "py peak", Kind::Bytes, "", of_python},
           [=](auto& row) { return known_if(python, row.python_memory.peak_bytes); }},
          {{"python_live_bytes", "py live", Kind::Bytes, "", of_python},
           [=](auto& row) { return known_if(python, row.python_memory.live_bytes()); }},
          {{"cum_peak_bytes", "cum peak", Kind::Bytes, "", shown},
           [=](auto& row) { return known_if(live, row.cum_memory.peak_bytes); }},
          {{"cum_live_bytes", "cum live", Kind::Bytes, "", shown},
           [=](auto& row) { return known_if(live, row.cum_memory.live_bytes()); }},
          {data("cum_allocated_bytes", "cum alloc", Kind::Bytes),
           [=](auto& row) { return known_if(heap, row.cum_memory.bytes); }, "cum_alloc_bytes"}};
}

}  // namespace

bool memory_first(const Subject& subject, const ViewOptions& options) {
  return heap_recorded(subject) && options.sort && by_memory(*options.sort);
}

Figures<SourceLine> line_figures(const Subject& subject, const fold::Lines& lines, const ViewOptions& options,
                                 symbols::Language language) {
  const bool python = language == symbols::Language::Python, cut = !options.wide, heap = heap_recorded(subject),
             first = memory_first(subject, options), room = options.memory_columns || first;
  const bool waits = lines.waits_known, device = lines.device_known, copies = lines.copies_known;
  const Where of_time = shown_if(!first), of_waits = shown_if(lines.total_wait.blocked_ns() > 0 && !first),
              of_gpu = shown_if(device && !first);
  Figures<SourceLine> out{
      {data("language", "language", Kind::Text), [](auto& row) { return to_string(row.language); }}};
  append(out, memory_figures(lines, heap, first));
  append<SourceLine>(
      out, {{{"cpu_python_ns", "python", Kind::Time, "", shown_if(python && !first)}, &SourceLine::python_ns},
            {{"cpu_native_ns", python ? "native" : "tottime", Kind::Time, "", of_time}, &SourceLine::native_ns},
            {{"own_share", "%", Kind::Share, "of all", first ? Where::DataOnly : Where::TableOnly},
             [whole = static_cast<double>(lines.total_ns)](auto& row) {
               return share(static_cast<double>(row.own_ns()), whole);
             },
             kNotInJson},
            {{"cumtime_ns", "cumtime", Kind::Time, "", of_time}, &SourceLine::cumulative_ns},
            {data("samples", "samples", Kind::Count), &SourceLine::samples},
            {{"blocked_ns", "blocked", Kind::Time, "", of_waits},
             [=](auto& row) { return known_if(waits, row.wait.blocked_ns()); }},
            {{"cumblocked_ns", "cum blocked", Kind::Time, "", of_waits},
             [=](auto& row) { return known_if(waits, row.cum_wait.blocked_ns()); }},
            {{"gpu_ns", "GPU", Kind::Time, "", of_gpu}, [=](auto& row) { return known_if(device, row.gpu_ns); }},
            {{"cum_gpu_ns", "cum GPU", Kind::Time, "", of_gpu},
             [=](auto& row) { return known_if(device, row.cum_gpu_ns); },
             "cumgpu_s"},
            {data("gpu_idle_ns", "GPU idle", Kind::Time), [=](auto& row) { return known_if(device, row.gpu_idle_ns); }},
            {{"allocated_bytes", "allocated", Kind::Bytes, "", shown_if(heap && room)},
             [=](auto& row) { return known_if(heap, row.memory.bytes); },
             "alloc_bytes"},
            {{"copied_bytes", "copied", Kind::Bytes, "", shown_if(copies && room)},
             [=](auto& row) { return known_if(copies, row.copied_bytes); },
             "copy_bytes"},
            {{"place", "where", Kind::Text, "", Where::TableOnly, cut},
             [cut](auto& row) { return fmt::format("{}:{}", cut ? short_file(row.file) : row.file, row.line); }},
            {{"name", "function", Kind::Text, "", Where::TableOnly, cut},
             [&subject, cut](auto& row) { return label(subject.symbols.function(row.function), !cut); }},
            {data("file", "file", Kind::Text), &SourceLine::file},
            {data("line", "line", Kind::Plain), &SourceLine::line},
            {data("function", "function", Kind::Text),
             [&subject](auto& row) { return subject.symbols.function(row.function).name; }}});
  return out;
}

std::string line_memory_caption() {
  return "peak: what the line's allocations held when the process held the most; live: what they hold now or at the "
         "end, its increment; allocs: how often it allocated. A line's own are those of native code that it called; "
         "cum: of all that it called.";
}

}  // namespace prof::show

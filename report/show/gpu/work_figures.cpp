#include <fmt/format.h>

#include <algorithm>

#include "report/show/gpu/gpu_figures.hpp"
#include "report/show/names.hpp"
#include "report/show/numbers.hpp"
#include "report/show/stack_text.hpp"
#include "report/show/time_figures.hpp"

namespace prof::show {
namespace {

using fold::StreamRow;
using fold::WorkRow;

constexpr std::size_t kLaunchersInCsv = 5;

// "train_step (train.py:12)", and how much of the time that was if it was not all.
std::string launchers(const symbols::Symbols& symbols, const WorkRow& row, std::size_t told, bool wide) {
  std::string out;
  for (std::size_t i = 0; i < row.launched_by.size() && i < told; ++i) {
    const fold::Launcher& launcher = row.launched_by[i];
    if (i > 0) out += "; ";
    out += place_name(symbols, launcher.location, wide);
    if (row.launched_by.size() > 1) {
      out += fmt::format(" {} %", percent(static_cast<double>(launcher.ns), static_cast<double>(row.work.ns)));
    }
  }
  if (row.launched_by.size() > told) out += fmt::format(" (+{})", row.launched_by.size() - told);
  return out;
}

Figures<WorkRow> times_of(const std::vector<WorkRow>& rows) {
  model::DeviceMetric all;
  for (const WorkRow& row : rows) all += row.work;
  return time_figures<WorkRow>(
      "count", std::any_of(rows.begin(), rows.end(), [](auto& row) { return row.median_ns.has_value(); }),
      static_cast<double>(all.ns), [](auto& row) {
        return Times{row.work.ns, row.work.count, row.work.timed(), row.work.each, row.median_ns};
      });
}

Figure<WorkRow> untimed(const std::vector<WorkRow>& rows) {
  const bool any = std::any_of(rows.begin(), rows.end(), [](auto& row) { return row.work.untimed > 0; });
  return {{"untimed", "untimed", Kind::Count, "", shown_if(any)}, [](auto& row) { return row.work.untimed; }};
}

Figure<WorkRow> launched_by(const Subject& subject, const char* title, const ViewOptions& options) {
  const std::size_t told = options.everything || options.wide ? kLaunchersInCsv : 1;
  return {{"launched_by", title, Kind::Text, "", Where::Everywhere, !options.wide},
          [&subject, told, wide = options.wide](auto& row) { return launchers(subject.symbols, row, told, wide); },
          kNotInJson};
}

}  // namespace

Figures<WorkRow> kernel_figures(const Subject& subject, const std::vector<WorkRow>& rows, const ViewOptions& options) {
  const bool several =
      std::any_of(rows.begin(), rows.end(), [&](auto& row) { return row.device != rows.front().device; });
  const auto kernel = [&subject](const WorkRow& row) -> const symbols::Function& {
    return subject.symbols.function(row.function);
  };
  Figures<WorkRow> out = times_of(rows);
  append<WorkRow>(out, {untimed(rows),
                        {{"device", "GPU", Kind::Plain, "", shown_if(several)}, &WorkRow::device},
                        {{"kernel", "kernel", Kind::Text, "", Where::TableOnly, !options.wide},
                         [kernel, wide = options.wide](auto& row) { return label(kernel(row), wide); }},
                        {data("name", "kernel", Kind::Text), [kernel](auto& row) { return kernel(row).name; }},
                        launched_by(subject, "launched by", options)});
  return out;
}

Figures<WorkRow> copy_figures(const Subject& subject, const std::vector<WorkRow>& rows, const ViewOptions& options) {
  const auto size = [](auto& row) { return static_cast<double>(row.work.bytes); };
  Figures<WorkRow> out = times_of(rows);
  append<WorkRow>(
      out,
      {{{"bytes", "bytes", Kind::Bytes}, [](auto& row) { return row.work.bytes; }},
       {{"avg_bytes", "avg size", Kind::Bytes},
        [size](auto& row) { return known_if(row.work.count > 0, size(row) / static_cast<double>(row.work.count)); },
        kNotInJson},
       {{"bytes_per_s", "speed", Kind::ByteRate},
        [size](auto& row) { return known_if(row.work.ns > 0, size(row) / static_cast<double>(row.work.ns) * 1e9); },
        kNotInJson},
       untimed(rows),
       {{"kind", "kind", Kind::Text}, [](auto& row) { return row.name.name; }},
       {{"memory", "memory", Kind::Text}, [](auto& row) { return row.name.group; }},
       {{"device", "GPU", Kind::Plain}, &WorkRow::device},
       launched_by(subject, "asked for by", options)});
  return out;
}

Figures<StreamRow> stream_figures(const std::vector<StreamRow>& rows) {
  const Where kernels =
      shown_if(std::any_of(rows.begin(), rows.end(), [](auto& row) { return row.kernels.count > 0; }));
  const Where copies = shown_if(std::any_of(rows.begin(), rows.end(), [](auto& row) { return row.copies.count > 0; }));
  return {{{"kernels_ns", "kernels", Kind::Time, "", kernels}, [](auto& row) { return row.kernels.ns; }},
          {{"kernels", "count", Kind::Count, "", kernels}, [](auto& row) { return row.kernels.count; }},
          {{"copies_ns", "copies", Kind::Time, "", copies}, [](auto& row) { return row.copies.ns; }},
          {{"copies", "count", Kind::Count, "", copies}, [](auto& row) { return row.copies.count; }},
          {{"copied_bytes", "bytes", Kind::Bytes, "", copies}, [](auto& row) { return row.copies.bytes; }},
          {{"device", "GPU", Kind::Plain}, &StreamRow::device},
          {{"stream", "stream", Kind::Text}, &StreamRow::name},
          {{"context", "of", Kind::Text}, &StreamRow::context},
          {{"pid", "pid", Kind::Plain}, &StreamRow::pid}};
}

}  // namespace prof::show

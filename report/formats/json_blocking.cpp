#include "report/formats/json_blocking.hpp"

#include <algorithm>
#include <cmath>

#include "report/fold/line_tree.hpp"
#include "report/fold/waiting/waits.hpp"
#include "report/formats/json_memory.hpp"
#include "report/show/waiting/wait_words.hpp"

namespace prof::formats {
namespace {

const char* class_name(log::WaitClass what) { return log::kWaitClassNames[static_cast<std::size_t>(what)]; }

Json seconds_or_null(const std::optional<double>& ns) { return ns ? Json(*ns / 1e9) : Json(); }
Json seconds_or_null(const std::optional<std::int64_t>& ns) { return ns ? seconds(*ns) : Json(); }

}  // namespace

Json blocking_json(const show::Subject& subject, const fold::CallTree& lines) {
  if (!lines.waits_known()) return {};
  std::optional<fold::CallTree> own;
  const fold::CallTree& tree = fold::line_tree(subject.run, subject.symbols, subject.selection, lines, own);
  const bool exact = !subject.selection.focus && !subject.selection.ignore;
  const auto known = [&](std::int64_t value) { return exact ? Json(value) : Json(); };
  Json out = Json::array();
  for (const fold::WaitRow& row : fold::wait_calls(subject.run, tree, subject.selection)) {
    const model::WaitTotal& total = row.total;
    const bool called = total.calls > 0;
    out.push_back(
        {{"call", text(row.name)},
         {"class", class_name(row.what)},
         {"calls", total.calls},
         {"total_s", seconds(total.ns)},
         {"avg_s", called ? Json(static_cast<double>(total.ns) / static_cast<double>(total.calls) / 1e9) : Json()},
         {"med_s", seconds_or_null(row.median_ns)},
         {"min_s", seconds_or_null(total.each.min_ns)},
         {"max_s", seconds_or_null(total.each.max_ns)},
         {"stddev_s", seconds_or_null(row.deviation_ns)},
         {"bytes", known(total.bytes)},
         {"failed", known(total.failed)},
         {"last_errno", total.last_errno == 0 ? Json() : Json(total.last_errno)},
         {"last_errno_name", text_or_null(show::errno_name(total.last_errno))},
         {"uncontended", known(total.uncontended)},
         {"open", known(total.open)},
         {"nested_s", exact ? seconds(total.nested_ns) : Json()},
         {"cpu_s", seconds(std::min(total.cpu_ns, total.ns))}});
  }
  return out;
}

Json blocking_sites_json(const show::Subject& subject, const fold::CallTree& lines) {
  if (!lines.waits_known()) return {};
  std::optional<fold::CallTree> own;
  const fold::CallTree& tree = fold::line_tree(subject.run, subject.symbols, subject.selection, lines, own);
  Json out = Json::array();
  for (const fold::WaitPlace& place : fold::wait_places(tree)) {
    if (place.wait.blocked_ns() <= 0) break;
    out.push_back({{"site", place.location == fold::kNobody ? Json() : frame_json(subject.symbols, place.location)},
                   {"class", class_name(place.what)},
                   {"calls", place.wait.calls()},
                   {"blocked_s", seconds(place.wait.blocked_ns())}});
  }
  return out;
}

Json split_json(const fold::WallSplit& split) {
  Json classes = Json::object();
  for (std::uint32_t i = 0; i < log::kWaitClasses; ++i) classes[log::kWaitClassNames[i]] = seconds(split.blocked_ns[i]);
  return {{"wall_s", seconds(split.wall_ns)},
          {"cpu_s", seconds(split.cpu_ns)},
          {"blocked_s", split.blocked_known ? seconds(split.blocked()) : Json()},
          {"blocked", split.blocked_known ? std::move(classes) : Json()},
          {"run_queue_s", split.run_queue_known ? seconds(split.run_queue_ns) : Json()},
          {"residual_s", seconds(split.residual_ns)},
          {"scaled", split.scaled}};
}

Json use_json(const model::ThreadUse& use) {
  return {{"minor_faults", or_null(use.minor_faults)},
          {"major_faults", or_null(use.major_faults)},
          {"voluntary_switches", or_null(use.voluntary_switches)},
          {"involuntary_switches", or_null(use.involuntary_switches)},
          {"storage_read_bytes", or_null(use.storage_read_bytes)},
          {"storage_written_bytes", or_null(use.storage_written_bytes)},
          {"storage_delay_s", seconds_or_null(use.storage_delay_ns)}};
}

}  // namespace prof::formats

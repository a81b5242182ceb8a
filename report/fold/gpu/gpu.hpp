// Calls of CUDA and of the libraries above it, and what devices did for them.
//
// `tree` is that of the run and selection with Frames::Mixed and Granularity::Line: see line_tree().
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "report/fold/line_tree.hpp"

namespace prof::fold {

// Calls of one function of an API.
struct ApiRow {
  std::uint32_t function = 0;  // id in Symbols; its module is the library
  model::ApiMetric calls;
  std::optional<double> median_ns;  // nothing where stacks were selected: distributions have none
};
std::vector<ApiRow> api_calls(const model::Run& run, const CallTree& tree, const Selection& selection);  // by time

// What one line (or function) of the program made devices do.
struct Launcher {
  std::uint32_t location = 0;  // kNobody: not known
  std::int64_t ns = 0;
};

// One kernel, or one kind of copy, on one device.
struct WorkRow {
  std::uint32_t function = 0;  // id in Symbols
  model::Name name;            // as the log has it
  std::uint32_t device = 0;
  model::DeviceMetric work;
  std::optional<double> median_ns;    // as in ApiRow
  std::vector<Launcher> launched_by;  // by time
};
// Kernels alone, or copies and sets alone; by time. Empty by thread: that is not known.
enum class WorkKind { Kernels, Copies };
std::vector<WorkRow> device_work(const model::Run& run, const CallTree& tree, const Selection& selection,
                                 WorkKind kind);

// Work of one stream of one device. No stacks can be selected here.
struct StreamRow {
  std::uint32_t device = 0;
  std::string name, context;  // "7", "context 1"
  std::uint32_t pid = 0;
  model::DeviceMetric kernels, copies;
};
std::vector<StreamRow> streams(const model::Run& run, const Selection& selection);  // by time

// A device, as the selected processes used it; those of several processes are one where the driver's ids say so.
struct DeviceRow {
  model::Device device;                    // levels: live ones added up, peaks of the one process that had the most
  std::size_t processes = 0, at_work = 0;  // that used it, and of them those whose work it did
  std::int64_t span_ns = 0;                // from the first work to the end of the last one
  std::int64_t busy_ns = 0;                // of all processes together
  model::DeviceMetric kernels, copies;
  std::optional<std::uint64_t> used_peak_bytes;   // most of the device's memory that was used, by anybody
  std::optional<std::int64_t> others_peak_bytes;  // most that was used beyond these processes' own segments
  // The same beyond all that the driver says a process has, contexts and what was taken in unseen ways included; none:
  // it does not say.
  std::optional<std::int64_t> foreign_peak_bytes;
};
std::vector<DeviceRow> devices(const model::Run& run, const Selection& selection);  // by index

// Of a context's gaps those that are no longer than that. The log has the longest one by itself, and the others added
// up: where these are longer on average, too, nothing is left.
model::IdleMetric shorter_gaps(const model::IdleMetric& idle, std::int64_t longest_ns);

// What is known of a loop's steps, to tell gaps within them from those before, between and after them.
struct StepLimits {
  std::int64_t longest_ns = INT64_MAX;  // of a step; INT64_MAX: there are no steps, and each gap counts
  std::int64_t all_ns = INT64_MAX;      // of all steps
  std::int64_t each = 0;                // gaps of a context that is part of each step, at least
  bool any() const { return longest_ns < INT64_MAX; }
};
// By node of the tree, where there is any: gaps no longer than a step; and where more of them is left than the steps
// took, without those of the contexts that had the fewest, as far as they are no part of each step.
std::map<std::uint32_t, model::IdleMetric> idle_within(const CallTree& tree, const StepLimits& steps);
model::IdleMetric sum_of(const std::map<std::uint32_t, model::IdleMetric>& idle);

// A place for which devices idled.
struct IdleRow {
  std::uint32_t location = kNobody;
  model::IdleMetric idle;
  std::int64_t within_ns = 0;  // of idle.ns, within steps
};
std::vector<IdleRow> idle_sites(const CallTree& tree, const StepLimits& steps = {});  // by within_ns

// A range of the program's own.
struct RangeRow {
  std::uint32_t function = 0;  // id in Symbols
  bool open = false;           // may end anywhere: what happened meanwhile is not known
  model::RangeMetric range;
  model::Metrics inside;  // of stacks that it is anywhere on, each once; nothing where `open`
};
std::vector<RangeRow> ranges(const model::Run& run, const CallTree& tree, const Selection& selection);  // by time

}  // namespace prof::fold

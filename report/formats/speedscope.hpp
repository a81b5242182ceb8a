// Profiles for https://www.speedscope.app: its file format, "sampled" profiles.
#pragma once

#include <string>
#include <vector>

#include "report/fold/call_tree.hpp"
#include "report/formats/write.hpp"
#include "report/show/view.hpp"

namespace prof::formats {

struct SpeedscopeOptions {
  model::Measure measure = model::Measure::CpuTime;
  bool whole_names = false;
  bool merge = false;  // one profile of everything, instead of one for each process and thread
};

// One profile for each thread with a value above 0, those with the most first; what is live or at a peak cannot be told
// by thread: then one for each process. The stacks of a profile stand once each, with their whole value as weight (ns,
// bytes or a count), so the time axis is no clock: "Left Heavy" and "Sandwich" are the views that mean something.
// Returns the number of profiles; writes nothing when there are none: speedscope opens no such document.
std::size_t speedscope(const show::Subject& subject, const SpeedscopeOptions& options, const Write& write);

}  // namespace prof::formats

// How much memory a process held over time, and how that rose.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "report/model/profile.hpp"

namespace prof::findings {

// What a process had allocated at moments, in even intervals. What it has resident is no measure of it: allocators keep
// what they were given back, and pages come when they are touched.
struct Level {
  std::vector<std::int64_t> values;  // bytes
  double interval_s = 0;             // 0: there is none
};

// Of the points between these times of CLOCK_MONOTONIC.
Level level_of(const model::Process& process, std::uint64_t from_ns, std::uint64_t until_ns);

// The same of what was resident from then on, without the live blocks of malloc: of heaps that are mapped in pieces,
// which are live as a whole.
Level resident_level_of(const model::Process& process, std::uint64_t from_ns);

// Whether each third of the growth took about a third of the time: `even` of it at least, 0 to 1.
bool is_even(const std::vector<std::int64_t>& values, double even);

// Whether hardly anything was given back meanwhile: data that is worked on comes and goes.
bool only_rises(const std::vector<std::int64_t>& values);

// Whether most of the growth was given back meanwhile, as by an epoch that ends: from the least of some moments to the
// least of later ones, since what is held for a moment comes and goes.
bool is_given_back(const std::vector<std::int64_t>& values, std::int64_t grown);

// How many moments there are until the level has nearly reached its highest.
std::size_t moments_of_rise(const std::vector<std::int64_t>& values);

// How many moments go by before it rises at all.
std::size_t moments_before_rise(const std::vector<std::int64_t>& values);

// Bytes from the first moment to the highest. Engines of JavaScript map more than they use.
std::int64_t resident_growth(const model::Process& process);

}  // namespace prof::findings

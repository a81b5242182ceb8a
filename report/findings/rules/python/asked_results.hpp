// What the source says of results of pools, by the text: whether each is asked for before the next piece of work is
// given.
#pragma once

#include <cstddef>
#include <cstdint>

#include "report/findings/source_words.hpp"

namespace prof::findings::asked_results {

// A pool of one, as the thread that owns something.
bool has_one_worker(const Lines& lines);

// How many workers the pools of a file have, where it says so; else what Python's threads have without a number.
std::int64_t workers_of(const Lines& lines, double processors);

// Whether line `number` (from 1) asks for the result of work that its own statement gives, or the one right before it;
// and the next piece does not depend on that result, as far as names tell.
bool asks_at_once(const Lines& lines, std::size_t number);

}  // namespace prof::findings::asked_results

// Calls of Python that sort what stays from one call to the next, by the source.
#pragma once

#include <cstddef>
#include <cstdint>

#include "report/findings/source_words.hpp"

namespace prof::findings {

enum class Sorted : std::uint8_t {
  Other,   // nothing, or what is made anew each time
  OfLoop,  // a name from outside of the loop that the line stands in
  Member,  // of an object, which keeps it: it is sorted again where the line is run again
};

// What line `number` (from 1) sorts: by sorted(), .sort(), sort_values(), or by a median or percentile, which sort it,
// too. Other where the text does not say, where it is sorted by what the loop goes through (each order once), and where
// the program empties it, or sets it to something else, from time to time.
Sorted sorted_by(const Lines& lines, std::size_t number);

}  // namespace prof::findings

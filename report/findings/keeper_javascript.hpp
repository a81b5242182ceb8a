// Lines of JavaScript that keep what they are given, by their text: V8 says nothing of who holds an object.
#pragma once

#include <cstddef>
#include <vector>

#include "report/findings/source_words.hpp"

namespace prof::findings {

struct KeptByScript {
  std::size_t line = 0;        // from 1
  const char* how = nullptr;   // a sentence: how it keeps what it is given, and what to do
  bool may_be_wanted = false;  // as an index that is built and then used; nobody wants listeners to stay
};

// Races with promises that settle late, and listeners that are never taken back; where there are none, what is put into
// maps, sets, arrays and objects that live as long as the program, or as the object that has them, and from which
// nothing is taken. In the order of the file, at most two; none where there are more: then none of them stands out.
std::vector<KeptByScript> kept_by_script(const Lines& lines);

}  // namespace prof::findings

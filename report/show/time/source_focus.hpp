// What `--view source --focus TEXT` means: a file or a function of the run.
#pragma once

#include <cstdint>
#include <string>

#include "report/fold/time/lines.hpp"
#include "report/show/view.hpp"

namespace prof::show {

struct SourceFocus {
  std::string file;         // as the code names it
  std::string function;     // empty: the whole file
  std::uint32_t first = 0;  // line of the function
  std::uint32_t known = 0;  // the last line of it that was seen
  bool has_def = false;     // a block of its own below a `def`: no lambda, no module
};

// `text` is a path or the end of one ("train.py", "pkg/mod.py"), else the name of a function, whole ("Model.fit") or
// its last part. Throws NoSuchFocus, with the candidates, when it is none or more than one of those that were sampled.
SourceFocus source_focus(const Subject& subject, const fold::Lines& lines, const std::string& text);

}  // namespace prof::show

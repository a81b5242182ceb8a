// Own code that took much of the time and whose source is not here: what a rule would read there, it cannot know.
#pragma once

#include <set>
#include <string>

#include "report/findings/evidence.hpp"

namespace prof::findings {

// Why such a rule cannot tell.
inline constexpr const char* kUnread = "no source was found of code that took much of the time";

// Keeps a reference to the evidence.
class UnreadSources {
 public:
  explicit UnreadSources(const Evidence& evidence);

  // Whether somebody has asked for such source, in vain, since this was made or last asked.
  bool asked_for();

 private:
  const Evidence& evidence_;
  std::set<std::string> heavy_;  // names of files, there or not
};

}  // namespace prof::findings

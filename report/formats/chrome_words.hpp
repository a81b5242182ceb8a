// What events of a trace are called and which kind they are of, in torch.profiler's words: tools look for these.
#pragma once

#include <string>

#include "report/model/process.hpp"

namespace prof::formats {

struct ChromeWords {
  std::string name;
  std::string category;
};
ChromeWords chrome_words(const model::Process& process, const model::TraceEvent& event);

// What a step of that number is called.
std::string profiler_step(std::int64_t number);

}  // namespace prof::formats

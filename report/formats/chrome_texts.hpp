// What events of a trace are called and which kind they are of, in torch.profiler's texts: tools look for these.
#pragma once

#include <string>

#include "report/model/process.hpp"

namespace prof::formats {

struct ChromeTexts {
  std::string name;
  std::string category;
};
ChromeTexts chrome_texts(const model::Process& process, const model::TraceEvent& event);

// What a step of that number is called.
std::string profiler_step(std::int64_t number);

}  // namespace prof::formats

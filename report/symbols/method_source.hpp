// Where a method of a Java VM begins, by what its name in the log comes with.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace prof::symbols {

struct MethodSource {
  std::string file;        // empty: not known
  std::uint32_t line = 0;  // 0: not known
};

// Of "java/util/HashMap.java:556"; docs/log-format.md, "Names". What is no number is part of the file's name.
inline MethodSource method_source(std::string_view group) {
  const std::size_t colon = std::min(group.rfind(':'), group.size());
  const char* const end = group.data() + group.size();
  std::uint32_t line = 0;
  if (colon == group.size() || std::from_chars(group.data() + colon + 1, end, line).ptr != end || line == 0)
    return {std::string(group), 0};
  return {std::string(group.substr(0, colon)), line};
}

}  // namespace prof::symbols

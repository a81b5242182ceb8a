// Where a method of a Java VM begins, by what its name in the log comes with, and by its source.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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

// The line of its declaration, at or before `first`, that of its first instruction, which is all that the VM knows;
// `first` where the source does not tell. `method`: "org.demo.Tool$Part.count".
std::uint32_t declared_line(const std::vector<std::string>& lines, std::uint32_t first, std::string_view method);

}  // namespace prof::symbols

// The tables that all threads of a profile share: strings, functions, frames, stacks.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "report/formats/write.hpp"
#include "report/symbols/symbols.hpp"

namespace prof::formats {

// Places in the list of categories.
struct FirefoxCategory {
  const char *name, *color;
};
inline constexpr FirefoxCategory kFirefoxCategories[] = {
    {"Other", "grey"},      {"Python", "yellow"},   {"Native", "blue"}, {"API", "purple"},   {"GPU", "green"},
    {"Operator", "orange"}, {"Range", "lightblue"}, {"Wait", "brown"},  {"Step", "magenta"}, {"Task", "lightred"}};
inline constexpr std::uint32_t kStepCategory = 8;
std::uint32_t firefox_category(symbols::Language language);

class FirefoxTables {
 public:
  FirefoxTables(const symbols::Symbols& symbols, bool whole_names) : symbols_(symbols), whole_names_(whole_names) {}

  std::uint32_t text(const std::string& value);
  static constexpr std::uint32_t kNoStack = UINT32_MAX;
  // The stack of `location` below `caller`, or kNoStack.
  std::uint32_t stack(std::uint32_t caller, std::uint32_t location);

  // "shared" of the profile.
  void write(const Write& write) const;

 private:
  std::uint32_t frame(std::uint32_t location);
  std::uint32_t function(std::uint32_t id);
  std::uint32_t source(const std::string& file);
  std::uint32_t resource(const std::string& module);

  const symbols::Symbols& symbols_;
  bool whole_names_;
  std::unordered_map<std::string, std::uint32_t> text_ids_, source_ids_, resource_ids_;
  std::unordered_map<std::uint32_t, std::uint32_t> frame_ids_, function_ids_;
  std::unordered_map<std::uint64_t, std::uint32_t> stack_ids_;
  std::vector<std::string> texts_;  // as JSON
  std::vector<std::uint32_t> sources_, resources_;
  struct Function {
    std::uint32_t name = 0;
    std::int64_t resource = -1, source = -1;  // -1: none
    std::uint32_t line = 0;
  };
  std::vector<Function> functions_;
  struct Frame {
    std::uint32_t function = 0, line = 0, category = 0;
  };
  std::vector<Frame> frames_;
  std::vector<std::uint32_t> stack_frames_, stack_offsets_;
};

// A list of JSON: `each(i)` is the word for item i of `count`.
template <typename Each>
void write_list(const Write& write, std::size_t count, Each each) {
  std::string piece = "[";
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) piece += ',';
    piece += each(i);
    if (piece.size() > (1 << 16)) {
      write(piece);
      piece.clear();
    }
  }
  write(piece + ']');
}

// The same with its name, in an object that has begun.
template <typename Each>
void write_column(const Write& write, const char* name, std::size_t count, Each each) {
  write(std::string("\"") + name + "\":");
  write_list(write, count, each);
  write(",");
}

}  // namespace prof::formats

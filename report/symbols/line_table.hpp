// Lines of Python source, from the table that the interpreter keeps with each code object.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "report/model/python.hpp"

namespace prof::symbols {

// Decoded once, asked often. Any bytes may be in the table: what makes no sense ends it.
class LineTable {
 public:
  // co_lnotab before Python 3.10, co_linetable from there on, as the interpreter major.minor encodes it;
  // co_firstlineno.
  LineTable(std::string_view table, unsigned major, unsigned minor, std::int32_t first_line);
  explicit LineTable(const model::Code& code) : LineTable(code.line_table, code.major, code.minor, code.first_line) {}

  // The line at `place` bytes into the code; of log::kNotStarted and log::kWholeCode the first line. Instructions that
  // belong to no line (the interpreter made them) count to the line before them in the code; if there is none, to the
  // first line. 0: not known.
  std::uint32_t line_at(std::uint32_t place) const;

 private:
  struct Range {
    std::uint32_t begin = 0;  // bytes into the code; up to the next range
    std::uint32_t line = 0;
  };

  void read_lnotab(std::string_view table, std::int64_t line);     // 3.8, 3.9
  void read_linetable(std::string_view table, std::int64_t line);  // 3.10
  void read_locations(std::string_view table, std::int64_t line);  // from 3.11
  void begin_range(std::uint64_t at, std::int64_t line);

  std::uint32_t first_line_ = 0;
  std::vector<Range> ranges_;  // ascending; the first begins at 0
};

}  // namespace prof::symbols

// Python's marshal format, as far as marshal.loads() of every version since 3.0 reads it: no references, no version.
#pragma once

#include <cstdint>
#include <string_view>

#include "report/formats/write.hpp"

namespace prof::formats {

class Marshal {
 public:
  explicit Marshal(const Write& write) : write_(write) {}

  void begin_tuple(std::uint32_t items);  // the items follow
  void begin_dict() { byte('{'); }        // pairs of key and value follow
  void end_dict() { byte('0'); }
  void text(std::string_view value);  // UTF-8; bytes that are not are escaped, lone surrogates stay
  void integer(std::int64_t value);
  void real(double value);

 private:
  void byte(char value) { write_({&value, 1}); }
  void little_endian(std::uint64_t value, int bytes);

  const Write& write_;
};

}  // namespace prof::formats

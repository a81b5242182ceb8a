// What the page carries, as its script unpacks it (web/bundle.js): a header in JSON and columns of whole numbers, in
// one stream that is compressed by gzip (RFC 1952) and written in base64 (RFC 4648), which holds nothing that HTML
// could take for markup.
//
// The stream: the header's size in bytes (4 bytes, little endian), the header, the columns. A number of a column is a
// varint of LEB128, zigzag: 0, -1, 1, -2 ... are 0, 1, 2, 3. The header's "columns" has of each [where it begins
// behind the header, numbers].
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/formats/json_value.hpp"

namespace prof::page {

using formats::Json;

class Bundle {
 public:
  // The number of the new column. A browser knows numbers exactly up to 2^53.
  std::size_t add(std::span<const std::int64_t> values);

  // The number of a text in "strings": made printable, and of one that is a page long the beginning and the end.
  std::size_t text(std::string_view text);

  // The stream, with "columns" and "strings" in the header. Throws std::runtime_error where zlib does not compress.
  std::string packed(Json header) const;

 private:
  std::string columns_;
  std::vector<std::pair<std::size_t, std::size_t>> places_;  // where each begins, and how many numbers it has
  std::map<std::string, std::size_t, std::less<>> ids_;
  std::vector<std::string> strings_;
};

// Text as the page may show it.
std::string shown_text(std::string_view text);

// RFC 4648, with padding.
std::string base64(std::string_view bytes);

}  // namespace prof::page

// What a page carries, unpacked by the layout that report/page/bundle.hpp tells.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace prof::test {

inline std::string from_base64(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  std::uint32_t word = 0;
  int bits = 0;
  for (const char c : text) {
    if (c == '=') break;
    const std::size_t digit = digits.find(c);
    if (digit == std::string::npos) throw std::runtime_error("no base64");
    word = word << 6 | static_cast<std::uint32_t>(digit);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out += static_cast<char>(word >> bits & 255);
  }
  return out;
}

inline std::string from_gzip(const std::string& bytes) {
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) throw std::runtime_error("no zlib");
  std::string in = bytes, out, buffer(1 << 16, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  int status = Z_OK;
  while (status == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    status = inflate(&stream, Z_NO_FLUSH);
    out.append(buffer, 0, buffer.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::runtime_error("no gzip");
  return out;
}

struct PageData {
  nlohmann::json header;
  std::string columns;

  explicit PageData(const std::string& packed) {
    const std::string stream = from_gzip(from_base64(packed));
    std::size_t size = 0;
    for (std::size_t i = 0; i < 4; ++i)
      size |= static_cast<std::size_t>(static_cast<unsigned char>(stream.at(i))) << 8 * i;
    header = nlohmann::json::parse(stream.substr(4, size));
    columns = stream.substr(4 + size);
  }

  // Of a page: what stands in its data element.
  static PageData of(const std::string& html) {
    const std::string begin = "<script id=\"data\" type=\"application/octet-stream\">";
    const std::size_t at = html.find(begin) + begin.size();
    return PageData(html.substr(at, html.find('<', at) - at));
  }

  std::string string(std::size_t id) const { return header.at("strings").at(id); }

  std::vector<std::int64_t> column(std::size_t id) const {
    auto at = header.at("columns").at(id).at(0).get<std::size_t>();
    std::vector<std::int64_t> out(header.at("columns").at(id).at(1).get<std::size_t>());
    for (std::int64_t& value : out) {
      std::uint64_t bits = 0;
      unsigned shift = 0;
      std::uint8_t byte = 0x80;
      for (; byte >= 0x80; shift += 7) {
        byte = static_cast<std::uint8_t>(columns.at(at++));
        bits |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      }
      value = static_cast<std::int64_t>(bits >> 1) ^ -static_cast<std::int64_t>(bits & 1);
    }
    return out;
  }
};

}  // namespace prof::test

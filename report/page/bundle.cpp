#include "report/page/bundle.hpp"

#include <zlib.h>

#include <stdexcept>

#include "report/show/text.hpp"

namespace prof::page {
namespace {

constexpr std::size_t kLongestText = 2000;  // columns; names of templates can be longer than anybody reads
constexpr int kGzip = 15 + 16;              // zlib's largest window, and gzip's header
constexpr int kMemory = 9;                  // zlib's fastest choice

void put_varint(std::string& to, std::int64_t value) {
  auto rest = (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
  while (rest >= 0x80) {
    to += static_cast<char>(rest | 0x80);
    rest >>= 7;
  }
  to += static_cast<char>(rest);
}

std::string gzip(std::string_view bytes) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, kMemory, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("zlib cannot compress");
  std::string out;
  std::string buffer(1 << 18, '\0');
  std::size_t taken = 0;
  int status = Z_OK;
  while (status != Z_STREAM_END) {
    if (stream.avail_in == 0 && taken < bytes.size()) {
      const std::string_view piece = bytes.substr(taken, std::size_t{1} << 30);  // avail_in has 32 bits
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
      stream.avail_in = static_cast<uInt>(piece.size());
      taken += piece.size();
    }
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    status = deflate(&stream, taken == bytes.size() ? Z_FINISH : Z_NO_FLUSH);
    if (status != Z_OK && status != Z_STREAM_END) break;
    out.append(buffer, 0, buffer.size() - stream.avail_out);
  }
  deflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::runtime_error("zlib cannot compress");
  return out;
}

}  // namespace

std::string shown_text(std::string_view text) {
  if (text.size() > 8 * kLongestText) {  // before it is looked at character by character
    const std::string both =
        std::string(text.substr(0, 4 * kLongestText)) + "..." + std::string(text.substr(text.size() - kLongestText));
    return show::cut_middle(show::printable(both), kLongestText);
  }
  return show::cut_middle(show::printable(text), kLongestText);
}

std::size_t Bundle::add(std::span<const std::int64_t> values) {
  places_.emplace_back(columns_.size(), values.size());
  for (const std::int64_t value : values) put_varint(columns_, value);
  return places_.size() - 1;
}

std::size_t Bundle::text(std::string_view text) {
  const auto found = ids_.find(text);
  if (found != ids_.end()) return found->second;
  strings_.push_back(shown_text(text));
  ids_.emplace(text, strings_.size() - 1);
  return strings_.size() - 1;
}

std::string Bundle::packed(Json header) const {
  Json places = Json::array();
  for (const auto& [begin, count] : places_) places.push_back({begin, count});
  header["columns"] = std::move(places);
  header["strings"] = strings_;
  const std::string text = header.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string stream;
  for (unsigned shift = 0; shift < 32; shift += 8) stream += static_cast<char>(text.size() >> shift);
  stream += text;
  stream += columns_;
  return base64(gzip(stream));
}

std::string base64(std::string_view bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k)
      word = word << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (unsigned k = 0; k < 4; ++k) out += i + k <= bytes.size() ? kDigits[word >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

}  // namespace prof::page

// Protocol buffers' wire format, as far as messages of integers, strings and messages need it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace prof::formats {

// One message. Fields may come in any order; what is 0 or empty need not be written.
class ProtoMessage {
 public:
  void integer(unsigned field, std::uint64_t value) {
    if (value == 0) return;
    tag(field, kVarint);
    varint(bytes_, value);
  }
  void integer(unsigned field, std::int64_t value) { integer(field, static_cast<std::uint64_t>(value)); }
  // Written also when 0: where readers ask whether it is there.
  void present(unsigned field, std::uint64_t value) {
    tag(field, kVarint);
    varint(bytes_, value);
  }
  void present(unsigned field, std::int64_t value) { present(field, static_cast<std::uint64_t>(value)); }
  void fixed64(unsigned field, std::uint64_t value) {
    tag(field, kFixed64);
    for (int byte = 0; byte < 8; ++byte) bytes_ += static_cast<char>(value >> (8 * byte));
  }
  void flag(unsigned field, bool value) { integer(field, std::uint64_t{value}); }
  // Written also when empty: entries of tables are told by their places.
  void text(unsigned field, std::string_view value) {
    tag(field, kBytes);
    varint(bytes_, value.size());
    bytes_ += value;
  }
  // The fields of another message of the same kind.
  void append(const ProtoMessage& more) { bytes_ += more.bytes_; }
  void message(unsigned field, const ProtoMessage& value) { text(field, value.bytes_); }
  template <typename Integer>
  void packed(unsigned field, const std::vector<Integer>& values) {
    std::string out;
    for (const Integer value : values) varint(out, static_cast<std::uint64_t>(value));
    text(field, out);
  }

  const std::string& bytes() const { return bytes_; }

 private:
  enum WireType : unsigned { kVarint = 0, kFixed64 = 1, kBytes = 2 };

  void tag(unsigned field, WireType type) { varint(bytes_, field << 3 | type); }
  static void varint(std::string& to, std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) to += static_cast<char>(value | 0x80);
    to += static_cast<char>(value);
  }

  std::string bytes_;
};

}  // namespace prof::formats

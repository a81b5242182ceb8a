// Text without malloc, locale or stdio: a builder over a buffer of the caller's. What does not fit is cut; the text
// always ends in NUL. Usable in every context.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace prof {

class TextBuilder {
 public:
  TextBuilder(char* buffer, std::size_t room) : buffer_(buffer), room_(room) {
    if (room_ > 0) buffer_[0] = '\0';
  }
  TextBuilder& operator<<(std::string_view s) {
    for (const char c : s) put(c);
    return *this;
  }
  TextBuilder& operator<<(char c) {
    put(c);
    return *this;
  }
  TextBuilder& operator<<(std::uint64_t v) { return number(v, 10, 1); }
  TextBuilder& operator<<(std::uint32_t v) { return number(v, 10, 1); }
  TextBuilder& hex(std::uint64_t v, unsigned digits) { return number(v, 16, digits); }
  TextBuilder& decimal(std::uint64_t v, unsigned digits) { return number(v, 10, digits); }

  // Takes back what follows the first `size` characters.
  void shorten(std::size_t size) {
    if (size >= size_) return;
    size_ = size;
    buffer_[size] = '\0';
  }

  std::size_t size() const { return size_; }
  bool cut() const { return cut_; }
  std::string_view view() const { return {buffer_, size_}; }
  const char* c_str() const { return buffer_; }

 private:
  void put(char c) {
    if (size_ + 1 >= room_) {
      cut_ = true;
      return;
    }
    buffer_[size_++] = c;
    buffer_[size_] = '\0';
  }
  TextBuilder& number(std::uint64_t v, unsigned base, unsigned digits) {
    char reversed[64];
    unsigned n = 0;
    do {
      reversed[n++] = "0123456789abcdef"[v % base];
      v /= base;
    } while (v != 0);
    while (n < digits) reversed[n++] = '0';
    while (n > 0) put(reversed[--n]);
    return *this;
  }

  char* buffer_;
  std::size_t room_;
  std::size_t size_ = 0;
  bool cut_ = false;
};

}  // namespace prof

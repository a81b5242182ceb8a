#include "agent/memory/smaps.hpp"

#include <cstring>

#include "agent/core/text.hpp"

namespace prof::memory {
namespace {

bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

std::uintptr_t take_hex(std::string_view& text) {
  std::uintptr_t v = 0;
  std::size_t n = 0;
  for (; n < text.size() && is_hex(text[n]); ++n) {
    v = v << 4 | static_cast<std::uintptr_t>(text[n] <= '9' ? text[n] - '0' : text[n] - 'a' + 10);
  }
  text = from(text, n + 1);
  return v;
}

std::string_view take_word(std::string_view& text) {
  std::size_t n = 0;
  while (n < text.size() && text[n] != ' ') ++n;
  const std::string_view word = first(text, n);
  while (n < text.size() && text[n] == ' ') ++n;
  text = from(text, n);
  return word;
}

Mapping::Of of_path(std::string_view path, bool shared) {
  using Of = Mapping::Of;
  if (path.empty() || path.starts_with("[anon:")) return Of::Nothing;
  if (path == "[heap]") return Of::Heap;
  if (path == "[stack]") return Of::MainStack;
  if (path.starts_with("[anon_shmem")) return Of::Memory;
  if (path[0] == '[') return Of::Kernel;
  if (path.starts_with("/dev/zero") && !shared) return Of::Nothing;
  if (path.starts_with("/dev/") || path.starts_with("/memfd:") || path.starts_with("/SYSV") ||
      path.starts_with("anon_inode:"))
    return Of::Memory;
  return Of::File;
}

// "7f0000000000-7f0000001000 r-xp 00000000 fe:00 247134       /usr/bin/cat"
Mapping mapping_of(std::string_view text) {
  Mapping m{};
  m.start = take_hex(text);
  m.end = take_hex(text);
  const std::string_view rights = take_word(text);
  m.executable = rights.size() > 2 && rights[2] == 'x';
  const bool shared = rights.size() > 3 && rights[3] == 's';
  for (int skipped = 0; skipped < 3; ++skipped) take_word(text);
  m.of = of_path(text, shared);
  return m;
}

// "Rss:                  12 kB", behind the colon; in bytes.
std::uint64_t bytes_of(std::string_view text) {
  std::uint64_t kib = 0;
  for (const char c : text) {
    if (c >= '0' && c <= '9') kib = kib * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return kib * 1024;
}

// A private mapping that is left out of core dumps, reserves no swap and is read at random: see pages::map.
bool has_our_marks(std::string_view flags) {
  unsigned marks = 0;
  while (!flags.empty()) {
    const std::string_view flag = take_word(flags);
    marks += flag == "dd" || flag == "nr" || flag == "rr";
  }
  return marks == 3;
}

void book(Mapping& m, std::string_view field) {
  const auto is = [&](std::string_view name) { return field.starts_with(name); };
  if (is("Rss:"))
    m.rss = bytes_of(field);
  else if (is("Pss:"))
    m.pss = bytes_of(field);
  else if (is("Private_Clean:") || is("Private_Dirty:"))
    m.uss += bytes_of(field);
  else if (is("Swap:"))
    m.swap = bytes_of(field);
  else if (is("VmFlags:"))
    m.ours = m.of == Mapping::Of::Nothing && has_our_marks(from(field, 8));
}

}  // namespace

bool Smaps::fill() {
  if (at_ > 0) {
    std::memmove(buffer_, buffer_ + at_, filled_ - at_);
    filled_ -= at_;
    at_ = 0;
  }
  if (filled_ == room_) return false;
  const std::size_t n = read_(source_, buffer_ + filled_, room_ - filled_);
  filled_ += n;
  return n > 0;
}

bool Smaps::line(std::string_view& text) {
  std::size_t looked = 0;
  for (;;) {
    const std::size_t have = filled_ - at_;
    const auto* end = static_cast<const char*>(std::memchr(buffer_ + at_ + looked, '\n', have - looked));
    if (end == nullptr) {
      looked = have;
      if (fill()) continue;
      if (filled_ < room_ || have == 0) return false;  // the end; a last line without its newline is not whole
      text = {buffer_, filled_};
      at_ = filled_;
      if (cut_) {
        looked = 0;
        continue;
      }
      cut_ = true;
      return true;
    }
    text = {buffer_ + at_, static_cast<std::size_t>(end - (buffer_ + at_))};
    at_ += text.size() + 1;
    looked = 0;
    if (!cut_) return true;
    cut_ = false;  // that was the rest of a line that did not fit
  }
}

bool Smaps::next(Mapping& mapping) {
  std::string_view text;
  while (!held_) {
    if (!line(text)) return false;
    if (text.empty() || !is_hex(text[0])) continue;
    held_mapping_ = mapping_of(text);
    held_ = true;
  }
  mapping = held_mapping_;
  held_ = false;
  while (line(text)) {
    if (text.empty()) continue;
    if (is_hex(text[0])) {
      held_mapping_ = mapping_of(text);
      held_ = true;
      break;
    }
    book(mapping, text);
  }
  return true;
}

}  // namespace prof::memory

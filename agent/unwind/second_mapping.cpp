#include "agent/unwind/second_mapping.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "agent/core/helper_thread.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/raw.hpp"
#include "agent/unwind/objects.hpp"

namespace prof::second_mapping {

constinit std::atomic<std::uint32_t> known{0};

namespace {

// Forked children have the mappings, and keep these.
struct Place {
  std::atomic<std::uintptr_t> start;  // 0: nobody's; kBusy: being written
  std::atomic<std::uintptr_t> end, distance;
};
constexpr std::uintptr_t kBusy = 1;
constinit Place g_places[16]{};

// A line of /proc/self/maps.
struct Line {
  std::uintptr_t start = 0, end = 0, offset = 0;
  bool executable = false;
  std::string_view file;  // device and inode, as they are written
};

std::uintptr_t take_number(std::string_view& text) {
  std::uintptr_t value = 0;
  std::size_t n = 0;
  for (; n < text.size() && text[n] != ' ' && text[n] != '-'; ++n)
    value = value << 4 | static_cast<std::uintptr_t>(text[n] <= '9' ? text[n] - '0' : text[n] - 'a' + 10);
  text.remove_prefix(std::min(n + 1, text.size()));
  return value;
}

// "7f0000000000-7f0000001000 r-xp 00002000 fe:00 247134       /usr/bin/node"
Line line_of(std::string_view text) {
  Line line;
  line.start = take_number(text);
  line.end = take_number(text);
  line.executable = text.size() > 3 && text[2] == 'x' && text[1] != 'w' && text[3] == 'p';
  text.remove_prefix(std::min<std::size_t>(5, text.size()));
  line.offset = take_number(text);
  const std::size_t device = std::min(text.find(' '), text.size());
  line.file = {text.data(), std::min(text.find(' ', device + 1), text.size())};
  return line;
}

// Calls `see(line)` for each, until it says true.
template <class See>
bool each_line(char* room, std::size_t bytes, const See& see) {
  const int fd = raw::open("/proc/self/maps", O_RDONLY);
  std::size_t held = 0;
  bool found = false;
  for (long n = 0; fd >= 0 && !found && (n = raw::read(fd, room + held, bytes - held)) > 0;) {
    held += static_cast<std::size_t>(n);
    std::size_t at = 0;
    while (const void* end = found ? nullptr : std::memchr(room + at, '\n', held - at)) {
      const auto length = static_cast<std::size_t>(static_cast<const char*>(end) - room) - at;
      found = see(line_of({room + at, length}));
      at += length + 1;
    }
    held -= at;
    if (held == bytes) held = 0;  // longer than any line
    std::memmove(room, room + at, held);
  }
  if (fd >= 0) raw::close(fd);
  return found;
}

// What is mapped from `start` on, and the loaded object's mapping of the same part of the same file.
bool find_both(std::uintptr_t start, Line& here, Line& there) {
  constexpr std::size_t kRoom = 32 << 10;
  auto* const room = static_cast<char*>(pages::map_sparsely(kRoom));
  if (room == nullptr) return false;
  char file[64];
  const bool is_there = each_line(room, kRoom, [&](const Line& line) {
    if (line.start != start || line.file.size() > sizeof(file)) return false;
    here = line;
    std::memcpy(file, line.file.data(), line.file.size());
    here.file = {file, line.file.size()};
    return true;
  });
  Object object{};
  const bool both = is_there && here.executable && each_line(room, kRoom, [&](const Line& line) {
                      there = line;
                      return line.executable && line.start != start && line.file == here.file &&
                             here.offset >= line.offset && here.offset - line.offset < line.end - line.start &&
                             object_at(line.start, object);
                    });
  pages::unmap(room, kRoom);
  return both;
}

}  // namespace

void mapped(std::uintptr_t start, std::size_t) {
  Line here, there;
  Object own{};
  bool both = false;
  if (!object_at(start, own)) helper_thread::run([&] { both = find_both(start, here, there); });
  if (!both) return;
  const std::uintptr_t original = there.start + (here.offset - there.offset);
  for (Place& p : g_places) {
    std::uintptr_t none = 0;
    if (!p.start.compare_exchange_strong(none, kBusy)) continue;
    p.end.store(start + std::min(here.end - here.start, there.end - original), std::memory_order_relaxed);
    p.distance.store(start - original, std::memory_order_relaxed);
    p.start.store(start, std::memory_order_release);
    known.fetch_add(1, std::memory_order_relaxed);
    made_code_changed();
    return;
  }
}

void gone(std::uintptr_t start, std::size_t bytes) {
  for (Place& p : g_places) {
    std::uintptr_t at = p.start.load(std::memory_order_acquire);
    if (at <= kBusy || at >= start + bytes || p.end.load(std::memory_order_relaxed) <= start) continue;
    if (!p.start.compare_exchange_strong(at, 0)) continue;
    known.fetch_sub(1, std::memory_order_relaxed);
    made_code_changed();
  }
}

bool original_of(std::uintptr_t address, std::uintptr_t& original) {
  if (known.load(std::memory_order_relaxed) == 0) return false;
  for (const Place& p : g_places) {
    const std::uintptr_t start = p.start.load(std::memory_order_acquire);
    if (start <= kBusy || address < start || address >= p.end.load(std::memory_order_relaxed)) continue;
    original = address - p.distance.load(std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_acquire);
    if (p.start.load(std::memory_order_relaxed) == start) return true;
  }
  return false;
}

}  // namespace prof::second_mapping

// /proc/self/smaps, mapping by mapping: read in pieces, without memory of its own. Any context.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace prof::memory {

struct Mapping {
  // What the kernel says is behind it.
  enum class Of : std::uint32_t {
    Nothing,  // anonymous
    Heap,     // brk
    MainStack,
    Kernel,  // code and data that the kernel lends: vdso and the like
    Memory,  // shared memory: memfd, shm, System V, devices
    File,
  };
  std::uintptr_t start, end;
  Of of;
  bool executable;
  bool ours;                          // it has the marks that pages::map gives
  std::uint64_t rss, pss, uss, swap;  // bytes
};

class Smaps {
 public:
  // Fills [to, to + room) and returns how many bytes, 0 at the end or on an error.
  using Read = std::size_t (*)(void* source, char* to, std::size_t room);

  // `buffer` of `room` bytes is the reader's workspace; lines that are longer lose their end.
  Smaps(Read read, void* source, char* buffer, std::size_t room)
      : read_(read), source_(source), buffer_(buffer), room_(room) {}

  // The next mapping; false at the end.
  bool next(Mapping& mapping);

 private:
  bool line(std::string_view& text);
  bool fill();

  Read read_;
  void* source_;
  char* buffer_;
  std::size_t room_;
  std::size_t at_ = 0, filled_ = 0;
  bool cut_ = false;   // the rest of the last line is still to come
  bool held_ = false;  // the last line read is the next mapping's first
  Mapping held_mapping_{};
};

}  // namespace prof::memory

// What is kept for each file descriptor. Lock-free: two threads may use and close one at the same time, and then the
// last of them to store is right.
#pragma once

#include <atomic>
#include <cstdint>

#include "agent/files/descriptors.hpp"
#include "agent/files/file_table.hpp"

namespace prof::files {

// One descriptor, at one moment.
struct What {
  FileId file;  // 0: not named yet
  Kind kind;
  bool sought;   // moved since it was read or written
  bool checked;  // its name was compared with the kernel's
  std::uint16_t turn;
};

class Descriptor {
 public:
  What get() const { return from_word(word_.load(std::memory_order_acquire)); }
  // Another descriptor at this number, which begins anew.
  void begin(FileId file, Kind kind, bool checked);
  // As `from`, which shares its offset.
  void copy(const Descriptor& from);
  // The same descriptor, about which more is known now. False: it is another one meanwhile, and stays as it is.
  bool learn(const What& seen, const What& now);
  // Nothing is known of it.
  void forget() { begin(0, Kind::Unknown, false); }
  bool known() const {
    return static_cast<std::uint32_t>(word_.load(std::memory_order_relaxed)) != 0 || get().kind != Kind::Unknown;
  }

  // Hash of its device and inode; 0: not asked. Offsets: where it stands, as far as its calls tell; where the last
  // pread and the last pwrite ended. Of a socket `next` is when the last question was moved that nobody has answered, by
  // CLOCK_MONOTONIC; 0: there is none.
  std::atomic<std::uint64_t> identity;
  std::atomic<std::int64_t> position;
  std::atomic<std::int64_t> next;

 private:
  static What from_word(std::uint64_t w) {
    return {static_cast<FileId>(w), static_cast<Kind>(w >> 32 & 0xff), (w >> 40 & 1) != 0, (w >> 41 & 1) != 0,
            static_cast<std::uint16_t>(w >> 48)};
  }
  static std::uint64_t to_word(const What& w) {
    return w.file | static_cast<std::uint64_t>(w.kind) << 32 | static_cast<std::uint64_t>(w.sought) << 40 |
           static_cast<std::uint64_t>(w.checked) << 41 | static_cast<std::uint64_t>(w.turn) << 48;
  }
  std::atomic<std::uint64_t> word_;
};
static_assert(sizeof(Descriptor) == 32);

class DescriptorTable {
 public:
  // Null: nothing was ever kept for it, or it lies beyond the table.
  Descriptor* find(int fd) const {
    const auto at = static_cast<std::uint32_t>(fd);
    if (at < kLeaf) return const_cast<Descriptor*>(&first_.at[at]);
    if (at / kLeaf >= kLeaves) return nullptr;
    Leaf* leaf = leaves_[at / kLeaf].load(std::memory_order_acquire);
    return leaf != nullptr ? &leaf->at[at % kLeaf] : nullptr;
  }
  // Makes room for it if need be; null: there is none.
  Descriptor* make(int fd);
  // Forgets from `first` to `last`, both included.
  void forget(unsigned first, unsigned last);

 private:
  static constexpr std::uint32_t kLeaf = 256, kLeaves = 4096;
  struct Leaf {
    Descriptor at[kLeaf];
  };
  Leaf first_;
  std::atomic<Leaf*> leaves_[kLeaves];  // the first one is not used
};

}  // namespace prof::files

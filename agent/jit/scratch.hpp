// Memory for what is looked at: that of the last look, if nobody else has it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/core/pages.hpp"
#include "agent/unwind/rows.hpp"

namespace prof::jit {

struct Room {
  static constexpr std::size_t kSectionBytes = 4 << 20, kRows = 4096;
  RowAt rows[kRows];                                   // of one function
  alignas(64) char image[1 << 20];                     // ElfImage
  char path[1024];                                     // of a source file
  std::uint8_t section[kSectionBytes + pages::kPage];  // a copy of an .eh_frame
};

class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  Room* get() const { return room_; }  // null: there is no memory

 private:
  Room* room_;
};

// Once at start.
void prepare_scratch();

}  // namespace prof::jit

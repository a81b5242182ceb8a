// What the resident memory of a process is made of.
#pragma once

#include <cstdint>
#include <vector>

#include "report/model/process.hpp"

namespace prof::fold {

enum class ResidentKind {
  Allocator,  // brk and anonymous memory that the program did not map itself: what malloc has of the system
  HeapLive,   // of that: blocks that the program holds. Never more than is resident
  Overhead,   // of that: the rest - free blocks, headers, fragmentation - and what else mapped memory unseen
  JavaHeap,   // what a Java VM keeps for objects
  Mapped,     // anonymous memory that the program mapped itself
  Shared,
  MainStack,
  Stacks,  // of other threads
  Code,
  FileData,
  Agent,     // libprof.so, its log and its own memory
  Residual,  // resident, but in none of the parts; negative where the parts add up to more
};
const char* to_string(ResidentKind kind);  // "allocator", "heap_live", ...

// True of what is part of the row before it.
inline bool is_share(ResidentKind kind) { return kind == ResidentKind::HeapLive || kind == ResidentKind::Overhead; }

struct ResidentRow {
  ResidentKind kind = ResidentKind::Residual;
  std::int64_t rss = 0;  // bytes, like the others
  // Not known of HeapLive, Overhead and Residual:
  std::optional<std::int64_t> pss, uss, size;
};

struct Resident {
  std::vector<ResidentRow> rows;  // without shares, the rss of all add up to `rss`
  std::int64_t rss = 0, pss = 0, uss = 0, swap = 0;
  std::int64_t not_resident = 0;  // live bytes of malloc beyond what is resident: never touched, or swapped out
};

Resident explain(const model::ResidentMemory& memory);

}  // namespace prof::fold

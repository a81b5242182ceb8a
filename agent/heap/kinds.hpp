// The kinds of memory that have live blocks, and where each is written down.
#pragma once

#include <cstdint>

#include "agent/contract/format.hpp"

namespace prof::heap {

enum class Kind : std::uint8_t {
  Malloc,  // malloc and its family
  Map,     // mmap and its family
  Python,  // Python's own allocators
  // Every block of these is recorded, in all modes; see gpu/memory.hpp:
  Segment,  // device memory: cudaMalloc and its kind
  Tensor,   // what a framework's caching allocator hands out
};

struct KindClasses {
  log::RecordClass words;   // log::HeapWords
  log::RecordClass once;    // log::HeapOnceWords; of Map, Segment and Tensor there are none
  log::RecordClass block;   // log::BlockWords; likewise
  log::RecordClass sizes;   // log::HeapSizesWords; likewise
  log::RecordClass growth;  // log::GrowthWords
  log::PeakClock log::Header::*clock;
};

inline constexpr KindClasses kKindClasses[] = {
    {log::RecordClass::Heap, log::RecordClass::HeapOnce, log::RecordClass::HeapBlock, log::RecordClass::HeapSizes,
     log::RecordClass::HeapGrowth, &log::Header::heap},
    {log::RecordClass::Map, log::RecordClass::Map, log::RecordClass::Map, log::RecordClass::Map,
     log::RecordClass::MapGrowth, &log::Header::maps},
    {log::RecordClass::Python, log::RecordClass::PythonOnce, log::RecordClass::PythonBlock,
     log::RecordClass::PythonSizes, log::RecordClass::PythonGrowth, &log::Header::python},
    {log::RecordClass::Segment, log::RecordClass::Segment, log::RecordClass::Segment, log::RecordClass::Segment,
     log::RecordClass::SegmentGrowth, &log::Header::segments},
    {log::RecordClass::Tensor, log::RecordClass::Tensor, log::RecordClass::Tensor, log::RecordClass::Tensor,
     log::RecordClass::TensorGrowth, &log::Header::tensors}};
inline constexpr const KindClasses& classes_of(Kind kind) { return kKindClasses[static_cast<unsigned>(kind)]; }

}  // namespace prof::heap

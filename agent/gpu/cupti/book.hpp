// Books the work of devices in the tree: below the call that asked for it, below the operator that this was made in, by
// stream, and its distribution of times.
// Of the consumer alone.
#pragma once

#include <cstdint>

#include "agent/contract/format.hpp"
#include "agent/gpu/cupti/work.hpp"
#include "agent/thread/guard.hpp"

namespace prof::gpu::cupti {

class Book {
 public:
  // False: there is no memory for what is remembered; all works, but slower.
  bool begin();
  // `node`: the call's; 0: it was not seen. `op`: the operator's; 0: none.
  void add(const Guard& guard, const Work& work, std::uint32_t node, std::uint32_t op);
  // The node that stands for calls that were not seen.
  static std::uint32_t unseen_node(const Guard& guard);

 private:
  struct Context {
    std::uint64_t frame;
    std::uint32_t node;
    log::DeviceWords* words;
  };
  struct Stream {
    std::uint64_t frame;
    std::uint32_t context, stream;
    log::DeviceWords* words;
    log::SpreadWords* spread;
  };
  static constexpr std::uint32_t kContexts = 8192, kStreams = 4096;
  log::DeviceWords* context_words(const Guard& guard, const Work& work, std::uint32_t node);
  Stream find_stream(const Guard& guard, const Work& work);
  static Stream make_stream(const Guard& guard, const Work& work);

  Context* contexts_;
  Stream* streams_;
};

}  // namespace prof::gpu::cupti

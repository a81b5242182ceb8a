// Strands: nodes of contexts that came but once, and their blocks.
#pragma once

#include <cstdint>
#include <vector>

#include "report/read/chunks.hpp"
#include "report/read/raw_log.hpp"

namespace prof::read {

class Strands {
 public:
  // Reserves room for numbers as far as strands of so many bytes in all can reach.
  explicit Strands(std::uint64_t bytes);

  // Appends the blocks of a chunk to `log` and keeps its nodes. Of a strand that contradicts itself nothing is taken;
  // it is counted in the log's damage, and the rest of the chunk is read if its length is sound.
  void add(const Chunk& chunk, Bytes earlier, Bytes later, RawLog& log);

  // Node words by number.
  std::vector<std::uint64_t> take() { return std::move(words_); }

 private:
  bool add_nodes(Bytes numbers, std::uint32_t innermost);

  std::uint64_t limit_;
  std::vector<std::uint64_t> words_;
  std::vector<std::uint32_t> frames_;  // of the strand in hand
};

}  // namespace prof::read

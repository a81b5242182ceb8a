#include "agent/unwind/made_inlines.hpp"

#include <atomic>

#include "agent/core/block_chains.hpp"
#include "agent/core/pages.hpp"

namespace prof::made_inlines {
namespace {

constexpr std::uint32_t kMostBlocks = 131072, kWordsOfBlock = 63, kMostTokens = 262144,
                        kMostOfLines = kMostTokens - 65536;
constexpr unsigned kTokenBits = 20;
static_assert(kMostTokens < 1U << kTokenBits && kMostNodes < 1U << (32 - kTokenBits));

// Words of one record: how many spans, the spans, the nodes.
struct Block {
  std::uint32_t next;
  std::uint32_t words[kWordsOfBlock];
};

using Chains = BlockChains<Block, kMostBlocks>;
struct Pool {
  Chains chains;
  std::atomic<std::uint64_t*> frames;     // by their tokens
  std::atomic<std::uintptr_t> addresses;  // where the token 0 would stand
  std::atomic<std::uint32_t> tokens;
  std::atomic<bool> any;
};
PROF_WIPED constinit pages::Wiped<Pool> g_pool{};

bool made_addresses() {
  std::atomic<std::uintptr_t>& place = g_pool.value.addresses;
  std::uintptr_t known = place.load(std::memory_order_acquire);
  if (known != 0) return true;
  void* fresh = pages::map_sparsely(kMostTokens);
  if (fresh == nullptr) return false;
  if (!place.compare_exchange_strong(known, reinterpret_cast<std::uintptr_t>(fresh), std::memory_order_acq_rel))
    pages::unmap(fresh, kMostTokens);
  return true;
}

// The words of a record one after the other. What others change meanwhile ends, or goes on with anything.
class Words {
 public:
  Words(const Block* blocks, std::uint32_t number) : blocks_(blocks), number_(number) {}

  bool at(std::uint32_t index, std::uint32_t& word) {
    if (index < first_) return false;
    while (index - first_ >= kWordsOfBlock) {
      if (!Chains::is_number(number_)) return false;
      number_ = blocks_[number_ - 1].next;
      first_ += kWordsOfBlock;
    }
    if (!Chains::is_number(number_)) return false;
    word = blocks_[number_ - 1].words[index - first_];
    return true;
  }

 private:
  const Block* blocks_;
  std::uint32_t number_, first_ = 0;
};

// Calls `see(token, is_own)` for the nodes that hold at an offset, the innermost one first.
template <class See>
void each_node(std::uint32_t number, std::uint32_t offset, const See& see) {
  const Block* const blocks = g_pool.value.chains.blocks();
  std::uint32_t spans = 0, node = 0;
  if (blocks == nullptr) return;
  Words words(blocks, number);
  if (!words.at(0, spans) || spans > kMostSpans) return;
  for (std::uint32_t i = 0; i < spans; ++i) {
    std::uint32_t begins = 0, held = 0;
    if (!words.at(1 + 2 * i, begins) || begins > offset || !words.at(2 + 2 * i, held)) break;
    node = held;
  }
  while (node != 0 && node <= kMostNodes) {
    Words again(blocks, number);
    std::uint32_t word = 0;
    if (!again.at(2 * spans + node, word)) return;
    const std::uint32_t parent = word >> kTokenBits, token = word & ((1U << kTokenBits) - 1);
    if (parent >= node || token >= kMostTokens) return;
    see(token, parent == 0);
    node = parent;
  }
}

}  // namespace

std::uint32_t token_of(std::uint64_t frame, Of what) {
  Pool& p = g_pool.value;
  std::uint64_t* const frames = made_sparsely(p.frames, kMostTokens);
  if (frame == 0 || frames == nullptr || !made_addresses() ||
      p.tokens.load(std::memory_order_relaxed) + 1 >= (what == Of::Line ? kMostOfLines : kMostTokens))
    return 0;
  const std::uint32_t mine = p.tokens.fetch_add(1, std::memory_order_relaxed) + 1;
  if (mine >= kMostTokens) return 0;
  __atomic_store_n(&frames[mine], frame, __ATOMIC_RELEASE);
  return mine;
}

bool is_full() { return g_pool.value.tokens.load(std::memory_order_relaxed) + 1 >= kMostTokens; }

bool frame_of(std::uint32_t token, std::uint64_t& frame) {
  const std::uint64_t* const frames = g_pool.value.frames.load(std::memory_order_acquire);
  frame = frames != nullptr && token < kMostTokens ? __atomic_load_n(&frames[token], __ATOMIC_ACQUIRE) : 0;
  return frame != 0;
}

bool frame_at(std::uintptr_t address, std::uint64_t& frame) {
  const std::uintptr_t first = g_pool.value.addresses.load(std::memory_order_acquire);
  return first != 0 && address - first < kMostTokens && frame_of(static_cast<std::uint32_t>(address - first), frame);
}

std::uint32_t keep(const Span* spans, std::size_t span_count, const Node* nodes, std::size_t node_count) {
  if (span_count == 0 || node_count == 0 || span_count > kMostSpans || node_count > kMostNodes) return 0;
  const auto word = [&](std::size_t i) {
    if (i == 0) return static_cast<std::uint32_t>(span_count);
    if (--i < 2 * span_count) return i % 2 == 0 ? spans[i / 2].offset : spans[i / 2].node;
    const Node& node = nodes[i - 2 * span_count];
    return node.parent << kTokenBits | node.token;
  };
  const std::uint32_t number = g_pool.value.chains.keep(1 + 2 * span_count + node_count, kWordsOfBlock,
                                                        [&](Block& block, std::size_t first, std::size_t count) {
                                                          for (std::size_t i = 0; i < count; ++i)
                                                            block.words[i] = word(first + i);
                                                        });
  if (number != 0) g_pool.value.any.store(true, std::memory_order_relaxed);
  return number;
}

void give_back(std::uint32_t number) { g_pool.value.chains.give_back(number); }

std::uint32_t find(std::uint32_t number, std::uint32_t offset, std::uintptr_t* to, std::uint32_t room) {
  const std::uintptr_t addresses = g_pool.value.addresses.load(std::memory_order_acquire);
  std::uint32_t n = 0;
  if (addresses == 0) return 0;
  each_node(number, offset, [&](std::uint32_t token, bool is_own) {
    if (!is_own && n < room) to[n++] = addresses + token;
  });
  return n;
}

std::uint64_t own_frame(std::uint32_t number, std::uint32_t offset) {
  std::uint64_t frame = 0;
  each_node(number, offset, [&](std::uint32_t token, bool is_own) {
    if (is_own) frame_of(token, frame);
  });
  return frame;
}

bool any() { return g_pool.value.any.load(std::memory_order_relaxed); }

void prepare() { pages::wipe_in_child(g_pool); }

}  // namespace prof::made_inlines

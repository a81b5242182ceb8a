#include "agent/tree/stack_node.hpp"

#include <atomic>

#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/log/conditions.hpp"
#include "agent/tree/nodes.hpp"

namespace prof::tree {
namespace {

struct MetOnce {
  static constexpr unsigned kBits = 24;
  std::atomic<std::uint64_t> bits[(1U << kBits) / 64];
};
PROF_WIPED constinit pages::Wiped<MetOnce> g_met_once{};

// Whether the node was met before; it has been now.
bool met_before(std::uint64_t word) {
  const std::uint64_t hash = word * 0x9e3779b97f4a7c15ULL;
  const std::uint64_t at = (hash ^ hash >> 32) * 0xd6e8feb86659fd93ULL >> (64 - MetOnce::kBits);
  const std::uint64_t bit = std::uint64_t{1} << at % 64;
  std::atomic<std::uint64_t>& bits = g_met_once.value.bits[at / 64];
  return (bits.load(std::memory_order_relaxed) & bit) != 0 ||
         (bits.fetch_or(bit, std::memory_order_relaxed) & bit) != 0;
}

// The frames from `from` on as a strand below `parent`. None if it cannot be made, for none of them.
StackNode strand_of(Region& region, log::Header& h, LastStack& stack, std::uint32_t from, std::uint32_t parent) {
  constexpr StackNode kNone{0, nullptr};
  const std::uint32_t depth = stack.depth(), frames = depth - from;
  if (__atomic_load_n(&h.strands, __ATOMIC_RELAXED) >= log::kStrandNumbers - frames) return kNone;
  const std::uint32_t first = __atomic_fetch_add(&h.strands, frames, __ATOMIC_RELAXED);
  if (first >= log::kStrandNumbers - frames) return kNone;
  Region::NewStrand strand = region.begin_strand(parent, first, frames);
  if (!strand) return kNone;
  std::uint32_t number = first;
  for (; number < first + frames; ++number) {
    const std::uint32_t frame = frame_id_at(region, h, stack.frame(from + number - first).entry, stack.generation());
    if (frame == 0) break;
    strand.put_frame(frame);
  }
  if (number == first) return kNone;
  log::StrandRecord* const made = strand.end(number - 1);
  for (std::uint32_t n = first; n < number; ++n) stack.frame(from + n - first).node = log::kStrandNodes + n;
  if (number < first + frames) {
    count_loss(log::Loss::TreeFull);
    return {log::kStrandNodes + number - 1, nullptr};
  }
  return {log::kStrandNodes + number - 1, made};
}

}  // namespace

StackNode node_of(Region& region, log::Header& h, LastStack& stack) {
  std::uint32_t i = stack.depth();
  while (i > 0 && stack.frame(i - 1).node == 0) --i;
  std::uint32_t node = i > 0 ? stack.frame(i - 1).node : stack.root();
  IdTable& nodes = node_table();
  const std::uint32_t depth = stack.depth();
  std::uint32_t first_fresh = depth;
  bool again = true;
  for (; i < depth; ++i) {
    LastStack::Frame& f = stack.frame(i);
    const std::uint32_t frame = frame_id_at(region, h, f.entry, stack.generation());
    if (frame == 0) break;
    const std::uint64_t word = log::node_word(node, frame);
    if (first_fresh == depth) {
      f.node = nodes.find(word);
      if (f.node == 0) {
        first_fresh = i;
        again = process().options.heap != log::HeapMode::Exact || met_before(word);
        if (!again) {
          if (const StackNode found = strand_of(region, h, stack, i, node); found.node != 0) return found;
        }
      }
    }
    if (first_fresh <= i) f.node = nodes.append(word, region.spare_node, h.nodes, log::ChunkType::Nodes);
    if (f.node == 0) break;
    node = f.node;
  }
  if (again) {
    for (std::uint32_t k = first_fresh; k < i; ++k) {
      nodes.link(nodes.word_of(stack.frame(k).node), stack.frame(k).node);
    }
  }
  if (i < depth) count_loss(log::Loss::TreeFull);
  return {node, nullptr};
}

void prepare_stack_nodes() { pages::wipe_in_child(g_met_once); }

}  // namespace prof::tree

#include "agent/tree/nodes.hpp"

#include "agent/core/pages.hpp"
#include "agent/log/conditions.hpp"
#include "agent/python/frames.hpp"
#include "agent/tree/context.hpp"
#include "agent/unwind/modules.hpp"

namespace prof::tree {
namespace {

PROF_WIPED constinit pages::Wiped<IdTable> g_frames{};
PROF_WIPED constinit pages::Wiped<IdTable> g_nodes{};

std::uint64_t special(log::SpecialFrame f) {
  return log::frame_word(log::FrameKind::Special, static_cast<std::uint64_t>(f));
}

}  // namespace

std::uint32_t frame_id(Region& region, log::Header& h, std::uint64_t word) {
  return g_frames.value.intern(word, region.spare_frame, h.frames, log::ChunkType::Frames);
}

std::uint32_t frame_id_at(Region& region, log::Header& h, std::uintptr_t address, std::uint32_t generation) {
  Region::SeenFrame& seen = region.frame_slot(address);
  if (seen.address == address && seen.generation == generation) return seen.frame;
  const std::uint64_t word =
      python::is_python_entry(address) ? python::frame_word(address) : native_frame_word(address);
  const std::uint32_t id = frame_id(region, h, word);
  if (id == 0) return 0;
  seen = {address, id, generation};
  region.frame_forgotten();
  return id;
}

std::uint32_t child(Region& region, log::Header& h, std::uint32_t parent, std::uint32_t frame) {
  if (frame == 0) return 0;
  return g_nodes.value.intern(log::node_word(parent, frame), region.spare_node, h.nodes, log::ChunkType::Nodes);
}

std::uint32_t node_of(Region& region, log::Header& h, const Stack& stack, std::uint32_t generation,
                      std::uint32_t root) {
  std::uint32_t node = root;
  if (stack.depth == 0)
    node = child(region, h, node, frame_id(region, h, special(log::SpecialFrame::NoStack)));
  else if (stack.truncated || stack.broken)
    node = child(region, h, node, frame_id(region, h, special(log::SpecialFrame::Truncated)));
  for (std::uint32_t i = stack.depth; i-- > 0;) {
    const std::uint32_t next = child(region, h, node, frame_id_at(region, h, stack.frames[i], generation));
    if (next == 0) {
      count_loss(log::Loss::TreeFull);
      return node;
    }
    node = next;
  }
  return node;
}

IdTable& node_table() { return g_nodes.value; }

std::uint32_t path_of(std::uint32_t node, std::uint64_t* words, std::uint32_t room) {
  std::uint32_t depth = 0;
  for (; node != 0 && !log::is_strand(node) && depth < room; ++depth) {
    const std::uint64_t word = g_nodes.value.word_of(node);
    words[depth] = g_frames.value.word_of(log::node_frame(word));
    node = log::node_parent(word);
  }
  return depth;
}

void prepare_nodes() {
  pages::wipe_in_child(g_frames);
  pages::wipe_in_child(g_nodes);
}

}  // namespace prof::tree

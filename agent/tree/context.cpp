#include "agent/tree/context.hpp"

#include "agent/core/pages.hpp"
#include "agent/log/file.hpp"
#include "agent/process/process.hpp"
#include "agent/python/frames.hpp"
#include "agent/stack/modules.hpp"
#include "agent/stack/objects.hpp"
#include "agent/thread/thread_state.hpp"
#include "agent/tree/word_trie.hpp"

namespace prof::tree {
namespace {

constinit pages::Wiped<WordTrie> g_frames{};
constinit pages::Wiped<WordTrie> g_nodes{};

std::uint32_t frame_id(Region& region, log::Header& h, std::uint64_t word) {
  return g_frames.value.intern(word, region.spare_frame, h.frames, log::ChunkType::Frames);
}

std::uint32_t frame_id_at(Region& region, log::Header& h, std::uintptr_t address, std::uint32_t generation) {
  Region::SeenFrame& seen = region.frame_slot(address);
  if (seen.address == address && seen.generation == generation) return seen.frame;
  const std::uint64_t word =
      python::is_python_entry(address) ? python::frame_word(address) : native_frame_word(address);
  const std::uint32_t id = frame_id(region, h, word);
  if (id != 0) seen = {address, id, generation};
  return id;
}

std::uint32_t child(Region& region, log::Header& h, std::uint32_t parent, std::uint32_t frame) {
  if (frame == 0) return 0;
  return g_nodes.value.intern(log::node_word(parent, frame), region.spare_node, h.nodes, log::ChunkType::Nodes);
}

std::uint64_t special(log::SpecialFrame f) {
  return log::frame_word(log::FrameKind::Special, static_cast<std::uint64_t>(f));
}

std::uint32_t node_of(Region& region, log::Header& h, const Stack& stack, std::uint32_t generation) {
  std::uint32_t node = 0;
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

__extension__ using Wide = unsigned __int128;

std::uint64_t hash_of(const Stack& stack, log::RecordClass record_class, std::uint32_t generation) {
  std::uint64_t h = static_cast<std::uint64_t>(record_class) << 40 ^
                    static_cast<std::uint64_t>(stack.truncated || stack.broken) << 50 ^ generation;
  for (std::uint32_t i = 0; i < stack.depth; ++i) {
    const auto product = static_cast<Wide>(h ^ 0x9e3779b97f4a7c15ULL) * (stack.frames[i] ^ 0xe7037ed1a0b428dbULL);
    h = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }
  return h | 1;
}

}  // namespace

Context context_of(const Guard& guard, const Stack& stack, log::RecordClass record_class, std::uint32_t words) {
  log::Header* h = log::header();
  if (h == nullptr) return {0, nullptr};
  Region& region = guard.thread().region(guard.kind());
  const std::uint32_t generation = module_generation();
  const std::uint64_t hash = hash_of(stack, record_class, generation);
  Region::SeenStack& seen = region.stack_slot(hash);
  if (seen.hash == hash) return {seen.here.node, seen.here.heap};
  Context c{node_of(region, *h, stack, generation), nullptr};
  c.record = region.record(c.node, record_class, words);  // of the root itself when not even one frame found room
  if (c.record == nullptr) {
    count_loss(log::Loss::RecordNoSpace);
    return c;
  }
  seen = {hash, {c.node, c.record}};
  return c;
}

Here* context_here(const Guard& guard) {
  log::Header* h = log::header();
  if (h == nullptr) return nullptr;
  const Stack stack = stack_here(guard);
  Region& region = guard.thread().region(guard.kind());
  const std::uint32_t generation = module_generation();
  const std::uint64_t hash = hash_of(stack, log::RecordClass::HeapOnce, generation);
  Region::SeenStack& seen = region.stack_slot(hash);
  if (seen.hash != hash) {
    seen.hash = 0;
    seen.here = {node_of(region, *h, stack, generation), nullptr};
    seen.hash = hash;
  }
  return &seen.here;
}

std::uint64_t* record_of(const Guard& guard, std::uint32_t node, log::RecordClass record_class, std::uint32_t words) {
  std::uint64_t* r = guard.thread().region(guard.kind()).record(node, record_class, words);
  if (r == nullptr) count_loss(log::Loss::RecordNoSpace);
  return r;
}

std::uint32_t child_of(const Guard& guard, std::uint32_t parent, std::uint64_t word) {
  log::Header* h = log::header();
  if (h == nullptr) return 0;
  Region& region = guard.thread().region(guard.kind());
  return child(region, *h, parent, frame_id(region, *h, word));
}

std::uint64_t frame_of(std::uintptr_t address) { return log::header() == nullptr ? 0 : native_frame_word(address); }

void prepare_tree() {
  pages::wipe_in_child(g_frames);
  pages::wipe_in_child(g_nodes);
}

}  // namespace prof::tree

#include "agent/gpu/info.hpp"

#include <atomic>
#include <cstdint>

#include "agent/core/lock.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/core/text.hpp"
#include "agent/log/conditions.hpp"
#include "agent/log/info.hpp"

namespace prof::gpu {
namespace {

constexpr std::uint32_t kMostNotes = 48;

struct Notes {
  Lock lock;
  std::uint32_t count;
  std::uint64_t hashes[kMostNotes];
};
PROF_WIPED constinit pages::Wiped<Notes> g_notes{};

std::uint64_t hash_of(std::string_view text) {
  std::uint64_t h = 0xcbf29ce484222325ULL;
  for (const char c : text) h = (h ^ static_cast<std::uint8_t>(c)) * 0x100000001b3ULL;
  return h;
}

bool is_new(std::string_view text) {
  Notes& notes = g_notes.value;
  const std::uint64_t hash = hash_of(text);
  const HeldLock locked(notes.lock);
  if (!locked) {
    count_loss(log::Loss::Contended);
    return false;
  }
  for (std::uint32_t i = 0; i < notes.count; ++i) {
    if (notes.hashes[i] == hash) return false;
  }
  if (notes.count == kMostNotes) return false;
  notes.hashes[notes.count++] = hash;
  return true;
}

}  // namespace

void tell(std::string_view name, std::string_view value) {
  Text<1400> line;
  line << name << '=' << value << '\n';
  log::append_info(log::InfoKey::Cuda, line.view());
}

void tell_note(std::string_view text) {
  prepare_info();
  if (is_new(text)) tell("note", text);
}

void prepare_info() { pages::wipe_in_child(g_notes); }

}  // namespace prof::gpu

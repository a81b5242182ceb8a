#include "agent/jit/unwind_tables.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "agent/core/checked_copy.hpp"
#include "agent/core/pages.hpp"
#include "agent/jit/debugger_images.hpp"
#include "agent/jit/elf_image.hpp"
#include "agent/jit/made_functions.hpp"
#include "agent/jit/scratch.hpp"
#include "agent/log/file.hpp"
#include "agent/thread/guard.hpp"
#include "agent/unwind/eh_frame.hpp"
#include "agent/unwind/made_code.hpp"

namespace prof::jit {
namespace {

// What is damaged must not take for ever: bytes of call frame programs of one section.
constexpr std::uint64_t kMostProgramBytes = 64 << 20;
// Sections whose code is known. A place in the table is claimed and given up by one store.
struct Place {
  std::atomic<std::uintptr_t> section;  // 0: nobody's
  std::uintptr_t low, high;             // where its functions begin
};
constexpr std::uintptr_t kLeaving = 1;  // instead of a section: its code is being given up
constexpr std::uint32_t kPlaces = 65536, kMostProbes = 64;
struct Places {
  std::atomic<Place*> all;
};
PROF_WIPED constinit pages::Wiped<Places> g_places{};

Place* made_places() {
  std::atomic<Place*>& all = g_places.value.all;
  Place* known = all.load(std::memory_order_acquire);
  if (known != nullptr) return known;
  auto* made = static_cast<Place*>(pages::map_sparsely(sizeof(Place) * kPlaces));
  if (made == nullptr || all.compare_exchange_strong(known, made, std::memory_order_acq_rel)) return made;
  pages::unmap(made, sizeof(Place) * kPlaces);
  return known;
}

// The place that holds `wanted`, and `instead` from now on; null: there is none. What is looked for may stand behind
// places that were given up.
Place* exchange_place(Place* places, std::uintptr_t section, std::uintptr_t wanted, std::uintptr_t instead) {
  const auto first = static_cast<std::uint32_t>((section * 0x9e3779b97f4a7c15ULL) >> 48);
  for (std::uint32_t i = 0; i < kMostProbes; ++i) {
    Place& place = places[(first + i) % kPlaces];
    std::uintptr_t held = wanted;
    if (place.section.load(std::memory_order_relaxed) == wanted &&
        place.section.compare_exchange_strong(held, instead, std::memory_order_acq_rel))
      return &place;
  }
  return nullptr;
}

// Copies the section up to its end, which a length of 0 marks, page by page: nobody says how long it is. How much;
// 0: it has none.
std::size_t copy_section(std::uint8_t* to, std::uintptr_t section) {
  std::size_t copied = 0, at = 0;
  const auto reach = [&](std::size_t end) {
    while (copied < end) {
      const std::size_t piece = pages::kPage - (section + copied) % pages::kPage;
      if (copied + piece > Room::kSectionBytes || !copy_checked(to + copied, section + copied, piece)) return false;
      copied += piece;
    }
    return true;
  };
  while (reach(at + 4)) {
    std::uint32_t length = 0;
    __builtin_memcpy(&length, to + at, sizeof(length));
    if (length == 0) return __builtin_memset(to + at, 0, 8), at;
    if (length > Room::kSectionBytes) return 0;
    at += sizeof(length) + length;
  }
  return 0;
}

// Adds what the section describes, `image` having the names. `listed`: it stands in an image that may not be ready to
// run yet; what describes no function of it is no description then.
void add_tables(const Guard& guard, Room& room, std::uintptr_t section, const ElfImage& image, bool listed,
                std::size_t bytes) {
  Place* const places = made_places();
  if (places == nullptr) return;
  // Another thread may have found it in an image just before it was registered.
  Place* place = exchange_place(places, section, section, section);
  if (place == nullptr) place = exchange_place(places, section, 0, section);
  if (place == nullptr) return;
  MadeFunctions functions(guard, room, image, section);
  std::uint64_t program_bytes_left = kMostProgramBytes;
  eh::Section all(room.section, bytes, section);
  eh::Description d{};
  while (all.next(d)) {
    const std::uint64_t length = d.end - d.begin;
    const ElfImage::Function* f = image.at(d.begin);
    if (listed && (f == nullptr || f->bytes != length)) continue;
    const auto program =
        static_cast<std::uint64_t>(d.common_program_end - d.common_program + d.program_end - d.program);
    const bool afford = program <= program_bytes_left;
    if (afford) program_bytes_left -= program;
    functions.add(d.begin, length, afford ? rows_of(d, room.rows, Room::kRows) : 0);
  }
  functions.add_others();
  place->low = functions.low();
  place->high = functions.high();
}

}  // namespace

void tables_registered(const void* section, const void* caller) {
  const HookGuard guard;
  if (!guard || section == nullptr || !log::ensure_created()) return;
  const auto at = reinterpret_cast<std::uintptr_t>(section);
  {
    const Scratch scratch;
    Room* const room = scratch.get();
    const std::size_t bytes = room != nullptr ? copy_section(room->section, at) : 0;
    eh::Description first{};
    if (bytes == 0 || !eh::Section(room->section, bytes, at).next(first)) return;
    ElfImage image({room->image, sizeof(room->image)});
    image_of_code(first.begin, caller, image);
    add_tables(guard, *room, at, image, false, bytes);
  }
  look_at_images(guard);
}

bool tables_known(std::uintptr_t section) {
  Place* const places = g_places.value.all.load(std::memory_order_acquire);
  return places != nullptr && exchange_place(places, section, section, section) != nullptr;
}

void tables_found(const Guard& guard, Room& room, std::uintptr_t section, const ElfImage& image) {
  if (const std::size_t bytes = copy_section(room.section, section); bytes != 0)
    add_tables(guard, room, section, image, true, bytes);
}

void give_up_tables(std::uintptr_t section) {
  Place* const places = g_places.value.all.load(std::memory_order_acquire);
  if (places == nullptr || section == 0) return;
  while (Place* const place = exchange_place(places, section, section, kLeaving)) {
    made_code::remove(section, place->low, place->high);
    place->section.store(0, std::memory_order_release);
  }
}

void tables_given_back(const void* section) {
  if (g_places.value.all.load(std::memory_order_relaxed) == nullptr) return;
  const HookGuard guard;
  if (guard) give_up_tables(reinterpret_cast<std::uintptr_t>(section));
}

void prepare_unwind_tables() { pages::wipe_in_child(g_places); }

}  // namespace prof::jit

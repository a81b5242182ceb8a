#include "agent/jit/unwind_tables.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "agent/core/checked_copy.hpp"
#include "agent/core/pages.hpp"
#include "agent/jit/debugger_images.hpp"
#include "agent/jit/elf_image.hpp"
#include "agent/jit/line_program.hpp"
#include "agent/jit/names.hpp"
#include "agent/log/file.hpp"
#include "agent/thread/guard.hpp"
#include "agent/unwind/eh_frame.hpp"
#include "agent/unwind/made_code.hpp"

namespace prof::jit {
namespace {

constexpr std::size_t kMostBytes = 4 << 20;  // of a section
constexpr std::size_t kMostRows = 4096;      // of a function
// What is damaged must not take for ever: bytes of call frame programs, rows of line tables, for one section.
constexpr std::uint64_t kMostProgramBytes = 64 << 20;
constexpr std::uint32_t kMostLineRows = 4 << 20;
// Functions of one section stand no further apart; those that do are not taken.
constexpr std::uintptr_t kMostApart = std::uintptr_t{256} << 20;

// Sections whose code is known. A place in the table is claimed and given up by one store.
struct Place {
  std::atomic<std::uintptr_t> section;  // 0: nobody's
  std::uintptr_t low, high;             // where its functions begin
};
constexpr std::uintptr_t kLeaving = 1;  // instead of a section: its code is being given up
constexpr std::uint32_t kPlaces = 65536, kMostProbes = 64;
struct Room {  // for what is looked at
  RowAt rows[kMostRows];
  char image[1 << 20];
  std::uint8_t section[kMostBytes + pages::kPage];
};

struct Places {
  std::atomic<Place*> all;
  std::atomic<Room*> spare;
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

// Memory for as long as it is looked at: that of the last one, if nobody else has it.
class Scratch {
 public:
  Scratch() : room_(g_places.value.spare.exchange(nullptr, std::memory_order_acq_rel)) {
    if (room_ == nullptr) room_ = static_cast<Room*>(pages::map_sparsely(sizeof(Room)));
  }
  ~Scratch() {
    Room* none = nullptr;
    if (room_ == nullptr || g_places.value.spare.compare_exchange_strong(none, room_, std::memory_order_acq_rel))
      return;
    pages::unmap(room_, sizeof(Room));
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  Room* get() const { return room_; }

 private:
  Room* room_;
};

// Copies the section up to its end, which a length of 0 marks, page by page: nobody says how long it is. How much;
// 0: it has none.
std::size_t copy_section(std::uint8_t* to, std::uintptr_t section) {
  std::size_t copied = 0, at = 0;
  const auto reach = [&](std::size_t end) {
    while (copied < end) {
      const std::size_t piece = pages::kPage - (section + copied) % pages::kPage;
      if (copied + piece > kMostBytes || !copy_checked(to + copied, section + copied, piece)) return false;
      copied += piece;
    }
    return true;
  };
  while (reach(at + 4)) {
    std::uint32_t length = 0;
    __builtin_memcpy(&length, to + at, sizeof(length));
    if (length == 0) return at;
    if (length > kMostBytes) return 0;
    at += sizeof(length) + length;
  }
  return 0;
}

class Registration {
 public:
  Registration(const Guard& guard, std::uintptr_t section, Place& place)
      : guard_(guard), section_(section), place_(place) {}

  void run(Room& room, std::size_t bytes, const void* caller) {
    const std::uint8_t* const copy = room.section;
    RowAt* const rows = room.rows;
    eh::Description d{};
    eh::Section first(copy, bytes, section_);
    if (!first.next(d)) return;
    place_.low = d.begin;
    place_.high = d.begin + 1;
    ElfImage image({room.image, sizeof(room.image)});
    image_of_code(d.begin, caller, image);
    image_ = &image;
    eh::Section all(copy, bytes, section_);
    while (all.next(d)) {
      const auto program =
          static_cast<std::uint64_t>(d.common_program_end - d.common_program + d.program_end - d.program);
      const bool afford = program <= program_bytes_left_;
      if (afford) program_bytes_left_ -= program;
      add(d.begin, d.end - d.begin, rows, afford ? rows_of(d, rows, kMostRows) : 0);
    }
    // Functions without a description.
    for (std::size_t i = 0; i < image.functions(); ++i) {
      const ElfImage::Function& f = image.function(i);
      made_code::Code known{};
      if (f.bytes != 0 && !made_code::find(f.address, known)) add(f.address, f.bytes, rows, 0);
    }
  }

 private:
  void add(std::uintptr_t start, std::uint64_t bytes, const RowAt* rows, std::size_t count) {
    const std::uintptr_t low = std::min(place_.low, start), high = std::max(place_.high, start + 1);
    if (high - low > kMostApart || bytes > code_bytes_left_) return;
    code_bytes_left_ -= bytes;
    place_.low = low;
    place_.high = high;
    std::uint64_t frame = 0;
    if (const ElfImage::Function* f = image_->at(start); f != nullptr) {
      char source[1024];
      const SourceLine line = first_line(*image_, *f, line_rows_left_, source, sizeof(source));
      frame = frame_of(guard_, image_->name(*f), line.file, line.line);
    }
    made_code::add(start, bytes, frame, rows, count, section_);
  }

  const Guard& guard_;
  const std::uintptr_t section_;
  Place& place_;
  const ElfImage* image_ = nullptr;
  std::uint64_t program_bytes_left_ = kMostProgramBytes, code_bytes_left_ = kMostApart;
  std::uint32_t line_rows_left_ = kMostLineRows;
};

}  // namespace

void tables_registered(const void* section, const void* caller) {
  const HookGuard guard;
  if (!guard || section == nullptr || !log::ensure_created()) return;
  const auto at = reinterpret_cast<std::uintptr_t>(section);
  Place* const places = made_places();
  const Scratch scratch;
  Room* const room = scratch.get();
  if (places == nullptr || room == nullptr) return;
  const std::size_t bytes = copy_section(room->section, at);
  if (bytes == 0) return;
  Place* const place = exchange_place(places, at, 0, at);
  if (place == nullptr) return;
  __builtin_memset(room->section + bytes, 0, 8);
  Registration(guard, at, *place).run(*room, bytes, caller);
}

void tables_given_back(const void* section) {
  Place* const places = g_places.value.all.load(std::memory_order_acquire);
  const auto at = reinterpret_cast<std::uintptr_t>(section);
  if (places == nullptr || at == 0) return;
  const HookGuard guard;
  if (!guard) return;
  Place* const place = exchange_place(places, at, at, kLeaving);
  if (place == nullptr) return;
  made_code::remove(at, place->low, place->high);
  place->section.store(0, std::memory_order_release);
}

void prepare_unwind_tables() { pages::wipe_in_child(g_places); }

}  // namespace prof::jit

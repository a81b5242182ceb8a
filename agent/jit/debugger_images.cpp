#include "agent/jit/debugger_images.hpp"

#include <algorithm>
#include <atomic>

#include "agent/core/checked_copy.hpp"
#include "agent/core/clock.hpp"
#include "agent/core/pages.hpp"
#include "agent/jit/file_symbol.hpp"
#include "agent/jit/made_functions.hpp"
#include "agent/jit/scratch.hpp"
#include "agent/jit/unwind_tables.hpp"
#include "agent/unwind/elf_symbols.hpp"
#include "agent/unwind/made_code.hpp"
#include "agent/unwind/objects.hpp"

namespace prof::jit {
namespace {

constexpr char kName[] = "__jit_debug_descriptor";
constexpr unsigned kMostNewer = 256;    // than the image of code whose maker is at work with it
constexpr unsigned kMostImages = 4096;  // of one list; what is behind them is not seen
constexpr std::uint64_t kMostBytes = 256 << 20, kMostInTick = 2 << 20;  // of images, in one look
constexpr std::uint64_t kWholeEvery = 50'000'000;  // ns from one look at whole lists to the next, at least
constexpr std::uint64_t kWholeShare = 50;          // times what the last one took
constexpr std::uint64_t kCheapLook = 1'000'000;    // ns

struct Descriptor {
  std::uint32_t version, action;
  std::uintptr_t relevant, first;
};
struct ListEntry {
  std::uintptr_t next, previous, image;
  std::uint64_t bytes;
};

// Makers of code, and where their descriptors are.
struct Maker {
  std::atomic<std::uintptr_t> start;  // of its object; 0: nobody's
  std::uintptr_t end, descriptor;     // 0: it has none
  std::atomic<bool> known;
};
constexpr std::size_t kMostMakers = 16;
constinit Maker g_makers[kMostMakers]{};

// An image whose functions are known.
struct Known {
  std::uintptr_t entry;  // of the list; 0: nobody's, kGone: nobody's any more
  std::uint64_t content;
  std::uintptr_t low, high;  // of functions that go with it alone
  std::uintptr_t tables;     // that were found by it; 0: none. They go with it at the latest
  std::uint32_t look;        // in which it was seen last
};
constexpr std::uintptr_t kGone = 1;
constexpr std::size_t kMostKnown = 8192;  // no more than half of these are in use

// Of who looks, one at a time.
struct Looks {
  std::atomic<bool> busy;
  std::atomic<Known*> known;
  std::atomic<std::uint64_t> seen[kMostMakers];  // of their descriptors
  std::uint64_t whole_ns;                        // when the next look at whole lists is due
  std::uint64_t took_ns;                         // the last one
  std::uint32_t count, look;
};
PROF_WIPED constinit pages::Wiped<Looks> g_looks{};

std::uintptr_t descriptor_in(const Object& object) {
  if (const Symbol exported = exported_symbol(object, kName); exported.address != 0) return exported.address;
  return symbol_in_file(object, kName);
}

// Its file is read once: the symbol table of a library with all of LLVM in it is tens of megabytes.
std::uintptr_t descriptor_of(const Object& object) {
  for (Maker& m : g_makers) {
    std::uintptr_t start = m.start.load(std::memory_order_acquire);
    if (start == 0 && m.start.compare_exchange_strong(start, object.start)) {
      m.end = object.end;
      m.descriptor = descriptor_in(object);
      m.known.store(true, std::memory_order_release);
      return m.descriptor;
    }
    if (start != object.start || !m.known.load(std::memory_order_acquire) || m.end != object.end) continue;
    return m.descriptor;
  }
  return 0;
}

std::uint64_t mark_of(const Descriptor& d) {
  return (d.first * 0x9e3779b97f4a7c15ULL ^ d.relevant) * 0x9e3779b97f4a7c15ULL ^ d.action ^ 1ULL << 63;
}

// Calls `see(maker, its descriptor)` for all that are known.
template <class See>
void each_maker(const See& see) {
  for (std::size_t i = 0; i < kMostMakers; ++i) {
    const Maker& m = g_makers[i];
    Descriptor d{};
    if (m.known.load(std::memory_order_acquire) && m.descriptor != 0 && copy_checked(d, m.descriptor) && d.version == 1)
      see(i, d);
  }
}

Known* place_of(std::uintptr_t entry) {
  Known* const all = g_looks.value.known.load(std::memory_order_relaxed);
  Known* free = nullptr;
  for (std::size_t i = 0; i < kMostKnown; ++i) {
    Known& k = all[((entry * 0x9e3779b97f4a7c15ULL >> 48) + i) % kMostKnown];
    if (k.entry == entry) return &k;
    if (free == nullptr && k.entry <= kGone) free = &k;
    if (k.entry == 0) break;
  }
  if (free == nullptr || g_looks.value.count >= kMostKnown / 2) return nullptr;
  ++g_looks.value.count;
  *free = {entry, 0, 0, 0, 0, 0};
  return free;
}

void forget(Known& known) {
  made_code::remove(known.entry, known.low, known.high);
  give_up_tables(known.tables);
  known.low = known.high = known.tables = 0;
}

class Look {
 public:
  Look(const Guard& guard, Room& room)
      : guard_(guard),
        room_(room),
        look_(++g_looks.value.look),
        bytes_left_(guard.kind() == log::RegionKind::Ordinary ? kMostBytes : kMostInTick) {}

  // Newer images stand before older ones: behind one that is known as it is all are known. With makers that have it
  // otherwise, a look at the whole list finds them.
  void at(const Descriptor& descriptor, bool whole) {
    bool news = true;
    ListEntry entry{};
    std::uintptr_t next = descriptor.first;
    unsigned i = 0;
    for (; i < kMostImages && next != 0 && (news || whole); ++i, next = entry.next) {
      if (!copy_checked(entry, next)) break;
      Known* const known = place_of(next);
      if (known == nullptr) break;
      if (news || known->content == 0) news &= take(*known, entry);
      known->look = look_;
    }
    whole_ &= next == 0;
  }

  // False: some images are left for the next look.
  bool finished() const { return finished_; }

  // What was in no list is gone, if all were read to their ends.
  void give_up() const {
    if (!whole_) return;
    Known* const all = g_looks.value.known.load(std::memory_order_relaxed);
    for (std::size_t i = 0; i < kMostKnown; ++i) {
      if (all[i].entry <= kGone || all[i].look == look_) continue;
      forget(all[i]);
      all[i].entry = kGone;
      --g_looks.value.count;
    }
  }

 private:
  // False: it was known as it is.
  bool take(Known& known, const ListEntry& entry) {
    if (entry.bytes > bytes_left_) {
      finished_ &= entry.bytes > kMostInTick;  // else the next look takes it
      return true;
    }
    bytes_left_ -= entry.bytes;
    ElfImage image({room_.image, sizeof(room_.image)});
    const bool is_image = image.read(entry.image, entry.bytes);
    const std::uint64_t content = is_image ? image.fingerprint() : 1;
    if (content == known.content) return false;
    forget(known);
    known.content = content;
    if (!is_image) return true;
    const Elf64_Shdr* const frames = image.section(".eh_frame");
    const std::uintptr_t tables = frames != nullptr && (frames->sh_flags & SHF_ALLOC) != 0 ? frames->sh_addr : 0;
    if (tables != 0 && !tables_known(tables)) {
      tables_found(guard_, room_, tables, image);
      known.tables = tables;
    }
    MadeFunctions functions(guard_, room_, image, known.entry);
    functions.add_others();
    known.low = functions.low();
    known.high = functions.high();
    return true;
  }

  const Guard& guard_;
  Room& room_;
  const std::uint32_t look_;
  std::uint64_t bytes_left_;
  bool whole_ = true, finished_ = true;
};

bool make_known() {
  std::atomic<Known*>& known = g_looks.value.known;
  if (known.load(std::memory_order_relaxed) == nullptr)
    known.store(static_cast<Known*>(pages::map_sparsely(sizeof(Known) * kMostKnown)), std::memory_order_relaxed);
  return known.load(std::memory_order_relaxed) != nullptr;
}

}  // namespace

bool image_of_code(std::uintptr_t address, const void* caller, ElfImage& image) {
  Object object{};
  if (!object_at(reinterpret_cast<std::uintptr_t>(caller), object)) return false;
  Descriptor descriptor{};
  const std::uintptr_t at = descriptor_of(object);
  if (at == 0 || !copy_checked(descriptor, at) || descriptor.version != 1) return false;
  ListEntry entry{};
  std::uintptr_t next = descriptor.first;
  for (unsigned i = 0; i < kMostNewer && next != 0; ++i, next = entry.next) {
    if (!copy_checked(entry, next)) return false;
    if (image.read(entry.image, entry.bytes, address)) return true;
  }
  return false;
}

void look_at_images(const Guard& guard) {
  Looks& looks = g_looks.value;
  if (looks.busy.exchange(true, std::memory_order_acquire)) return;
  const Scratch scratch;
  if (scratch.get() != nullptr && make_known()) {
    const std::uint64_t now = clock::monotonic();
    const bool whole = now >= looks.whole_ns;
    Look look(guard, *scratch.get());
    each_maker([&](std::size_t maker, const Descriptor& d) {
      // What is as it was is read again only to see whether images were changed in their places.
      if (!whole && looks.seen[maker].load(std::memory_order_relaxed) == mark_of(d)) return;
      look.at(d, whole);
      looks.seen[maker].store(look.finished() ? mark_of(d) : 0, std::memory_order_relaxed);
    });
    if (whole) {
      look.give_up();
      const std::uint64_t ended = clock::monotonic();
      looks.took_ns = ended - now;
      looks.whole_ns = ended + std::max(kWholeEvery, kWholeShare * looks.took_ns);
    }
  }
  looks.busy.store(false, std::memory_order_release);
}

std::uint64_t look_if_changed(const Guard& guard) {
  if (g_makers[0].start.load(std::memory_order_relaxed) == 0) return 0;
  bool changed = false;
  each_maker([&](std::size_t maker, const Descriptor& d) {
    changed |= g_looks.value.seen[maker].load(std::memory_order_relaxed) != mark_of(d);
  });
  if (!changed) return 0;
  const std::uint64_t began = clock::thread_cpu();
  // A host must not stand still for what is large: then the next look at whole lists comes in its turn.
  if (g_looks.value.took_ns < kCheapLook) g_looks.value.whole_ns = 0;
  look_at_images(guard);
  return clock::thread_cpu() - began;
}

void prepare_images() { pages::wipe_in_child(g_looks); }

}  // namespace prof::jit

#include "agent/unwind/made_code.hpp"

#include <atomic>

#include "agent/core/hash_tree.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/readable.hpp"
#include "agent/unwind/objects.hpp"

namespace prof::made_code {
namespace {

constexpr std::uint32_t kMostEntries = 32768, kMostLinks = 4 * kMostEntries;
constexpr std::uint32_t kMostPages = 1024;  // of one piece of code: of a longer one the rest is not found
constexpr std::uint32_t kIds = 65536;       // one of two with the same remainder is forgotten

// Whoever changes one makes `version` odd, and even again.
struct Entry {
  std::atomic<std::uint32_t> version;
  std::uint32_t id;
  std::uint32_t next_free;
  Code code;  // of no bytes: nothing stands there any more
};

// The pieces that reach into a page, the last one first.
struct Link {
  std::uint32_t entry, next;  // numbers, from 1 on; 0: none
};

// Made when the first code is announced.
struct Tables {
  Entry entries[kMostEntries];
  Link links[kMostLinks];
  std::atomic<std::uint32_t> heads[kMostLinks];  // by the number of a page
  std::uint32_t by_id[kIds];
};

struct State {
  std::atomic<Tables*> tables;
  std::atomic<std::uint32_t> entries, links, pages;
  std::atomic<bool> full;
  std::atomic<std::uint64_t> free;  // number of the first entry that nobody has, and above it how often that changed
  HashTree page_numbers;
};
PROF_WIPED constinit pages::Wiped<State> g_state{};

std::uint64_t hash_of(std::uintptr_t page) { return (page + 1) * 0x9e3779b97f4a7c15ULL; }

Tables* made_tables() {
  Tables* known = g_state.value.tables.load(std::memory_order_acquire);
  if (known != nullptr) return known;
  auto* made = static_cast<Tables*>(pages::map_sparsely(sizeof(Tables)));
  if (made == nullptr) return nullptr;
  if (g_state.value.tables.compare_exchange_strong(known, made, std::memory_order_acq_rel)) return made;
  pages::unmap(made, sizeof(Tables));
  return known;
}

std::atomic<std::uint32_t>* head_of(Tables& t, std::uintptr_t page) {
  const std::uint32_t number = g_state.value.page_numbers.find(hash_of(page));
  return number != 0 ? &t.heads[number - 1] : nullptr;
}

std::atomic<std::uint32_t>* made_head(Tables& t, std::uintptr_t page) {
  if (auto* head = head_of(t, page)) return head;
  State& s = g_state.value;
  const std::uint32_t mine = s.pages.fetch_add(1, std::memory_order_relaxed) + 1;
  if (mine > kMostLinks) return nullptr;
  const std::uint32_t number = s.page_numbers.insert(hash_of(page), mine);
  return number != 0 ? &t.heads[number - 1] : nullptr;
}

// A copy of what the entry says; false: it is being changed.
bool read(const Entry& entry, Code& code) {
  const std::uint32_t before = entry.version.load(std::memory_order_acquire);
  if (before % 2 != 0) return false;
  code = entry.code;
  std::atomic_thread_fence(std::memory_order_acquire);
  return entry.version.load(std::memory_order_relaxed) == before;
}

bool begin_change(Entry& entry) {
  std::uint32_t version = entry.version.load(std::memory_order_relaxed);
  if (version % 2 != 0 || !entry.version.compare_exchange_strong(version, version + 1, std::memory_order_acquire))
    return false;
  std::atomic_thread_fence(std::memory_order_release);
  return true;
}
void end_change(Entry& entry) { entry.version.fetch_add(1, std::memory_order_release); }

constexpr std::uint64_t kChange = std::uint64_t{1} << 32;

void give_back(Tables& t, std::uint32_t entry) {
  std::atomic<std::uint64_t>& head = g_state.value.free;
  std::uint64_t seen = head.load(std::memory_order_relaxed);
  do t.entries[entry - 1].next_free = static_cast<std::uint32_t>(seen);
  while (!head.compare_exchange_weak(seen, ((seen & ~(kChange - 1)) + kChange) | entry, std::memory_order_acq_rel));
}

// The number of an entry that is nobody's; beyond kMostEntries: there is none.
std::uint32_t take_entry(Tables& t) {
  std::atomic<std::uint64_t>& head = g_state.value.free;
  std::uint64_t seen = head.load(std::memory_order_acquire);
  while (const auto first = static_cast<std::uint32_t>(seen)) {
    const std::uint64_t rest = ((seen & ~(kChange - 1)) + kChange) | t.entries[first - 1].next_free;
    if (head.compare_exchange_weak(seen, rest, std::memory_order_acq_rel)) return first;
  }
  return g_state.value.entries.fetch_add(1, std::memory_order_relaxed) + 1;
}

// Nothing stands there any more, if `is_meant` says so. True: it does not.
template <class IsMeant>
bool empty(Tables& t, Entry& entry, const IsMeant& is_meant) {
  if (!is_meant(entry) || !begin_change(entry)) return false;  // who has just taken another one is not disturbed
  const bool meant = entry.code.end != 0 && is_meant(entry);
  if (meant) {
    entry.code = {};
    entry.id = 0;
  }
  end_change(entry);
  if (meant) give_back(t, static_cast<std::uint32_t>(&entry - t.entries) + 1);
  return meant;
}

// Calls `see(entry)` for those that reach into the page of `address`, until it says true; the number of that one.
template <class See>
std::uint32_t search(Tables& t, std::uintptr_t address, const See& see) {
  const auto* head = head_of(t, address / pages::kPage);
  if (head == nullptr) return 0;
  for (std::uint32_t at = head->load(std::memory_order_acquire); at != 0; at = t.links[at - 1].next) {
    if (see(t.entries[t.links[at - 1].entry - 1])) return t.links[at - 1].entry;
  }
  return 0;
}

bool is_linked(Tables& t, std::uintptr_t page, std::uint32_t entry) {
  return search(t, page * pages::kPage, [&](const Entry& e) { return &e == &t.entries[entry - 1]; }) != 0;
}

bool link(Tables& t, std::uintptr_t page, std::uint32_t entry) {
  if (is_linked(t, page, entry)) return true;
  auto* head = made_head(t, page);
  if (head == nullptr) return false;
  const std::uint32_t mine = g_state.value.links.fetch_add(1, std::memory_order_relaxed) + 1;
  if (mine > kMostLinks) return false;
  t.links[mine - 1] = {entry, head->load(std::memory_order_relaxed)};
  while (!head->compare_exchange_weak(t.links[mine - 1].next, mine, std::memory_order_acq_rel)) {
  }
  return true;
}

// What was known of the new code's bytes is not so any more. True: something was.
bool give_up_old(Tables& t, const Code& code) {
  bool any = false;
  for (std::uintptr_t page = code.start / pages::kPage; page <= (code.end - 1) / pages::kPage; ++page) {
    search(t, page * pages::kPage, [&](Entry& e) {
      any |= empty(t, e, [&](const Entry& now) { return now.code.start < code.end && code.start < now.code.end; });
      return false;
    });
  }
  return any;
}

// As far as it can be read, and is worth it.
Shape shape_at(std::uintptr_t start, std::uint64_t bytes) {
  constexpr std::uint64_t kMostRead = 256 << 10;
  if (bytes > kMostRead) bytes = kMostRead;
  for (std::uintptr_t page = start; page < start + bytes; page = (page / pages::kPage + 1) * pages::kPage) {
    const std::uintptr_t word = page & ~std::uintptr_t{7};
    if (readable(word)) continue;
    bytes = page - start;
    break;
  }
  return bytes == 0 ? Shape{}
                    : shape_of(reinterpret_cast<const unsigned char*>(start), static_cast<std::uint32_t>(bytes));
}

}  // namespace

bool add(std::uintptr_t start, std::uint32_t bytes, std::uint64_t frame, std::uint32_t id) {
  State& s = g_state.value;
  constexpr std::uint64_t kMostBytes = std::uint64_t{kMostPages} * pages::kPage;
  Code code{start, start + (bytes < kMostBytes ? bytes : kMostBytes), frame, {}};
  if (bytes == 0 || code.end <= code.start || s.full.load(std::memory_order_relaxed)) return false;
  Tables* t = made_tables();
  if (t == nullptr) return false;
  code.shape = shape_at(start, code.end - start);
  const bool took = give_up_old(*t, code);
  std::uint32_t entry = take_entry(*t);
  // Somebody may just be looking whether it is still what he means: that one is lost.
  while (entry <= kMostEntries && !begin_change(t->entries[entry - 1])) entry = take_entry(*t);
  bool room = entry <= kMostEntries;
  if (room) {
    t->entries[entry - 1].code = code;
    t->entries[entry - 1].id = id;
    end_change(t->entries[entry - 1]);
  }
  for (std::uintptr_t page = code.start / pages::kPage; room && page <= (code.end - 1) / pages::kPage; ++page)
    room = link(*t, page, entry);
  if (room)
    t->by_id[id % kIds] = entry;
  else
    s.full.store(true, std::memory_order_release);
  if (took || !room) modules_changed();
  return room;
}

void remove(std::uint32_t id) {
  Tables* t = g_state.value.tables.load(std::memory_order_acquire);
  if (t == nullptr || id == 0) return;
  const std::uint32_t entry = t->by_id[id % kIds];
  if (entry != 0 && empty(*t, t->entries[entry - 1], [&](const Entry& e) { return e.id == id; })) modules_changed();
}

bool find(std::uintptr_t address, Code& code) {
  const State& s = g_state.value;
  Tables* t = s.tables.load(std::memory_order_acquire);
  if (t == nullptr || s.full.load(std::memory_order_acquire)) return false;
  return search(*t, address,
                [&](const Entry& e) { return read(e, code) && address >= code.start && address < code.end; }) != 0;
}

void prepare() { pages::wipe_in_child(g_state); }

}  // namespace prof::made_code

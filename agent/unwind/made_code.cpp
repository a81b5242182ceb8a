#include "agent/unwind/made_code.hpp"

#include <atomic>

#include "agent/core/hash_tree.hpp"
#include "agent/core/pages.hpp"
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

bool change(Entry& entry, const Code& code, std::uint32_t id) {
  std::uint32_t version = entry.version.load(std::memory_order_relaxed);
  if (version % 2 != 0 || !entry.version.compare_exchange_strong(version, version + 1, std::memory_order_acquire))
    return false;
  std::atomic_thread_fence(std::memory_order_release);
  entry.code = code;
  entry.id = id;
  entry.version.store(version + 2, std::memory_order_release);
  return true;
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

// What is known of the new code's bytes is not so any more. True: something was.
bool give_up_old(Tables& t, const Code& code) {
  bool any = false;
  for (std::uintptr_t page = code.start / pages::kPage; page <= (code.end - 1) / pages::kPage; ++page) {
    search(t, page * pages::kPage, [&](Entry& e) {
      const bool overlaps = e.code.start < code.end && code.start < e.code.end;
      if (overlaps) any |= change(e, {}, 0);
      return false;
    });
  }
  return any;
}

}  // namespace

bool add(std::uintptr_t start, std::uint32_t bytes, std::uint64_t frame, std::uint32_t id) {
  State& s = g_state.value;
  constexpr std::uint64_t kMostBytes = std::uint64_t{kMostPages} * pages::kPage;
  const Code code{start, start + (bytes < kMostBytes ? bytes : kMostBytes), frame};
  if (bytes == 0 || code.end <= code.start || s.full.load(std::memory_order_relaxed)) return false;
  Tables* t = made_tables();
  if (t == nullptr) return false;
  const bool took = give_up_old(*t, code);
  std::uint32_t entry = search(*t, start, [&](Entry& e) { return e.code.end == 0 && change(e, code, id); });
  const bool again = entry != 0;
  if (!again) {
    entry = s.entries.fetch_add(1, std::memory_order_relaxed) + 1;
    if (entry <= kMostEntries) change(t->entries[entry - 1], code, id);
  }
  bool room = entry <= kMostEntries;
  for (std::uintptr_t page = code.start / pages::kPage; room && page <= (code.end - 1) / pages::kPage; ++page)
    room = link(*t, page, entry);
  if (!room) {
    s.full.store(true, std::memory_order_release);
    modules_changed();
    return false;
  }
  t->by_id[id % kIds] = entry;
  if (took || again) modules_changed();
  return true;
}

void remove(std::uint32_t id) {
  Tables* t = g_state.value.tables.load(std::memory_order_acquire);
  if (t == nullptr) return;
  const std::uint32_t entry = t->by_id[id % kIds];
  if (entry != 0 && t->entries[entry - 1].id == id && id != 0) change(t->entries[entry - 1], {}, 0);
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

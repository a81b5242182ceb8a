#include "agent/unwind/made_code.hpp"

#include <atomic>

#include "agent/core/hash_tree.hpp"
#include "agent/core/number_list.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/readable.hpp"
#include "agent/unwind/made_inlines.hpp"
#include "agent/unwind/made_rows.hpp"
#include "agent/unwind/objects.hpp"

namespace prof::made_code {
namespace {

constexpr std::uint32_t kMostEntries = 131072, kMostLinks = 4 * kMostEntries;
constexpr std::uint32_t kMostPages = 1024;  // of one piece of code: of a longer one the rest is not found
constexpr std::uint32_t kIds = 65536;       // one of two with the same remainder is forgotten

// Whoever changes one makes `version` odd, and even again.
struct Entry {
  std::atomic<std::uint32_t> version;
  std::uint32_t id;  // 0: it has none
  std::uint32_t next_free;
  Code code;  // of no bytes: nothing stands there any more
};

// The pieces that reach into a page, the last one first.
struct Link {
  std::atomic<std::uint32_t> entry;
  std::uint32_t next;  // numbers, from 1 on; 0: none
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
  NumberList free;  // entries that nobody has
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

// The number of an entry that is nobody's; beyond kMostEntries: there is none.
std::uint32_t take_entry(Tables& t) {
  State& s = g_state.value;
  if (const std::uint32_t free =
          s.free.pop([&](std::uint32_t n) -> std::uint32_t& { return t.entries[n - 1].next_free; }))
    return free;
  return s.entries.fetch_add(1, std::memory_order_relaxed) + 1;
}

// Nothing stands there any more, if `is_meant` says so. True: it does not.
template <class IsMeant>
bool empty(Tables& t, Entry& entry, const IsMeant& is_meant) {
  if (!is_meant(entry) || !begin_change(entry)) return false;  // who has just taken another one is not disturbed
  const bool meant = entry.code.end != 0 && is_meant(entry);
  const std::uint32_t rows = entry.code.rows, inlines = entry.code.inlines;
  if (meant) {
    entry.code = {};
    entry.id = 0;
  }
  end_change(entry);
  if (!meant) return false;
  made_rows::give_back(rows);
  made_inlines::give_back(inlines);
  g_state.value.free.push(static_cast<std::uint32_t>(&entry - t.entries) + 1,
                          [&](std::uint32_t n) -> std::uint32_t& { return t.entries[n - 1].next_free; });
  return true;
}

// Calls `see(entry)` for those that reach into the page of `address`, until it says true; the number of that one.
template <class See>
std::uint32_t search(Tables& t, std::uintptr_t address, const See& see) {
  const auto* head = head_of(t, address / pages::kPage);
  if (head == nullptr) return 0;
  for (std::uint32_t at = head->load(std::memory_order_acquire); at != 0; at = t.links[at - 1].next) {
    const std::uint32_t entry = t.links[at - 1].entry.load(std::memory_order_acquire);
    if (see(t.entries[entry - 1])) return entry;
  }
  return 0;
}

bool link(Tables& t, std::uintptr_t page, std::uint32_t entry);

bool is_linked(Tables& t, std::uintptr_t page, std::uint32_t entry) {
  return search(t, page * pages::kPage, [&](const Entry& e) { return &e == &t.entries[entry - 1]; }) != 0;
}

// Whether what the entry says of is known not to reach into the page.
bool left_page(const Entry& entry, std::uintptr_t page) {
  Code code{};
  return read(entry, code) &&
         (code.end == 0 || page < code.start / pages::kPage || page > (code.end - 1) / pages::kPage);
}

// Lets a link of the page lead to the entry that led to one which has gone elsewhere: what comes and goes in the same
// pages never takes more links than what is there at a time.
bool take_link(Tables& t, std::uintptr_t page, std::uint32_t entry, std::uint32_t first) {
  for (std::uint32_t at = first; at != 0; at = t.links[at - 1].next) {
    std::atomic<std::uint32_t>& place = t.links[at - 1].entry;
    std::uint32_t old = place.load(std::memory_order_acquire);
    if (!left_page(t.entries[old - 1], page) || !place.compare_exchange_strong(old, entry)) continue;
    // It may have come back just now, and have seen that it is linked.
    return left_page(t.entries[old - 1], page) || link(t, page, old);
  }
  return false;
}

bool link(Tables& t, std::uintptr_t page, std::uint32_t entry) {
  std::atomic_thread_fence(std::memory_order_seq_cst);  // what the entry says comes before the look at links
  if (is_linked(t, page, entry)) return true;
  auto* head = made_head(t, page);
  if (head == nullptr) return false;
  if (take_link(t, page, entry, head->load(std::memory_order_acquire))) return true;
  const std::uint32_t mine = g_state.value.links.fetch_add(1, std::memory_order_relaxed) + 1;
  if (mine > kMostLinks) return false;
  t.links[mine - 1].entry.store(entry, std::memory_order_relaxed);
  t.links[mine - 1].next = head->load(std::memory_order_relaxed);
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

std::uintptr_t end_of(std::uintptr_t start, std::uint64_t bytes) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{kMostPages} * pages::kPage;
  return start + (bytes < kMostBytes ? bytes : kMostBytes);
}

bool acceptable(const Code& code) {
  return code.end > code.start && !g_state.value.full.load(std::memory_order_relaxed) && made_tables() != nullptr;
}

// `id`: 0 for none.
bool put(const Code& code, std::uint32_t id) {
  State& s = g_state.value;
  Tables* const t = made_tables();
  const bool took = give_up_old(*t, code);
  std::uint32_t entry = take_entry(*t);
  // Somebody may just be looking whether it is still what he means: that one is lost.
  while (entry <= kMostEntries && !begin_change(t->entries[entry - 1])) entry = take_entry(*t);
  bool room = entry <= kMostEntries;
  if (room) {
    Entry& e = t->entries[entry - 1];
    e.code = code;
    e.id = id;
    end_change(e);
  }
  for (std::uintptr_t page = code.start / pages::kPage; room && page <= (code.end - 1) / pages::kPage; ++page)
    room = link(*t, page, entry);
  if (!room)
    s.full.store(true, std::memory_order_release);
  else if (id != 0)
    t->by_id[id % kIds] = entry;
  if (took || !room) made_code_changed();
  return room;
}

// Calls `ask(code, offset)` for what stands at the address, until it says true. False: no code did, or what did was
// changed meanwhile, so that what its records answered is worth nothing.
template <class Ask>
bool ask_code(std::uintptr_t address, const Ask& ask) {
  const State& s = g_state.value;
  Tables* t = s.tables.load(std::memory_order_acquire);
  if (t == nullptr || s.full.load(std::memory_order_acquire)) return false;
  return search(*t, address, [&](const Entry& e) {
           Code code{};
           const std::uint32_t version = e.version.load(std::memory_order_acquire);
           if (!read(e, code) || address < code.start || address >= code.end) return false;
           const bool answered = ask(code, static_cast<std::uint32_t>(address - code.start));
           std::atomic_thread_fence(std::memory_order_acquire);
           return answered && e.version.load(std::memory_order_relaxed) == version;
         }) != 0;
}

}  // namespace

bool add(std::uintptr_t start, std::uint32_t bytes, std::uint64_t frame, std::uint32_t id) {
  Code code{start, end_of(start, bytes), frame, {}, 0, 0, 0};
  if (!acceptable(code)) return false;
  code.shape = shape_at(start, code.end - start);
  return put(code, id);
}

bool add(std::uintptr_t start, std::uint64_t bytes, std::uint64_t frame, const RowAt* rows, std::size_t count,
         std::uintptr_t group, std::uint32_t inlines) {
  Code code{start, end_of(start, bytes), frame, {}, group, 0, inlines};
  if (!acceptable(code)) {
    made_inlines::give_back(inlines);
    return false;
  }
  code.rows = made_rows::keep(rows, count);
  if (code.rows == 0) code.shape = shape_at(start, code.end - start);
  return put(code, 0);
}

void name(std::uintptr_t start, std::uint64_t frame) {
  Tables* t = g_state.value.tables.load(std::memory_order_acquire);
  if (t == nullptr) return;
  const auto is_nameless = [&](const Entry& e) { return e.code.start == start && e.code.frame == 0; };
  const bool found = search(*t, start, [&](Entry& e) {
                       if (!is_nameless(e) || !begin_change(e)) return false;
                       const bool still = is_nameless(e);
                       if (still) e.code.frame = frame;
                       end_change(e);
                       return still;
                     }) != 0;
  if (found) made_code_changed();
}

void remove(std::uint32_t id) {
  Tables* t = g_state.value.tables.load(std::memory_order_acquire);
  if (t == nullptr || id == 0) return;
  const std::uint32_t entry = t->by_id[id % kIds];
  if (entry != 0 && empty(*t, t->entries[entry - 1], [&](const Entry& e) { return e.id == id; })) made_code_changed();
}

void remove(std::uintptr_t group, std::uintptr_t low, std::uintptr_t high) {
  Tables* t = g_state.value.tables.load(std::memory_order_acquire);
  if (t == nullptr || group == 0 || high <= low) return;
  bool any = false;
  for (std::uintptr_t page = low / pages::kPage; page <= (high - 1) / pages::kPage; ++page) {
    search(*t, page * pages::kPage, [&](Entry& e) {
      any |= empty(*t, e, [&](const Entry& now) { return now.code.group == group; });
      return false;
    });
  }
  if (any) made_code_changed();
}

bool find(std::uintptr_t address, Code& code) {
  const State& s = g_state.value;
  Tables* t = s.tables.load(std::memory_order_acquire);
  if (t == nullptr || s.full.load(std::memory_order_acquire)) return false;
  return search(*t, address,
                [&](const Entry& e) { return read(e, code) && address >= code.start && address < code.end; }) != 0;
}

bool row_at(std::uintptr_t address, Row& row) {
  return ask_code(address, [&](const Code& code, std::uint32_t offset) {
    if (code.rows != 0) return made_rows::find(code.rows, offset, row);
    row = prof::row_at(code.shape, offset);
    return true;
  });
}

std::uint32_t inlined_at(std::uintptr_t address, std::uintptr_t* to, std::uint32_t room) {
  std::uint32_t n = 0;
  if (!made_inlines::any()) return 0;
  const bool known = ask_code(address, [&](const Code& code, std::uint32_t offset) {
    if (code.inlines != 0) n = made_inlines::find(code.inlines, offset, to, room);
    return true;
  });
  return known ? n : 0;
}

std::uint64_t frame_at(std::uintptr_t address) {
  std::uint64_t frame = 0, at_line = 0;
  const bool known = ask_code(address, [&](const Code& code, std::uint32_t offset) {
    frame = code.frame;
    at_line = code.inlines != 0 ? made_inlines::own_frame(code.inlines, offset) : 0;
    return true;
  });
  return known && at_line != 0 ? at_line : frame;
}

void prepare() {
  pages::wipe_in_child(g_state);
  made_rows::prepare();
  made_inlines::prepare();
}

}  // namespace prof::made_code

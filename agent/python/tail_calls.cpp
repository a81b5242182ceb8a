#include "agent/python/tail_calls.hpp"

#include <link.h>

#include "agent/unwind/eh_frame.hpp"

namespace prof::python {
namespace {

constexpr std::size_t kInstructions = 256;
// What only begins a run is short. A loop in one piece, which is the usual case, need not be looked for in tables.
constexpr std::uintptr_t kLongestBeginning = 16 << 10;

struct Range {
  std::uintptr_t begin, end;
  bool holds(std::uintptr_t at) const { return at >= begin && at < end; }
};

constexpr std::size_t kMostRanges = 8;
struct Ranges {
  Range all[kMostRanges];
  std::size_t count = 0;
  void add(std::uintptr_t begin, std::uintptr_t end) {
    if (count < kMostRanges) all[count++] = {begin, end};
  }
  bool hold(std::uintptr_t at) const {
    for (std::size_t i = 0; i < count; ++i) {
      if (all[i].holds(at)) return true;
    }
    return false;
  }
};

struct Segments {
  std::uintptr_t bias;
  Ranges code, data;
};

// Of data the part that the file has: the table has its contents from there.
int take_segments(dl_phdr_info* info, std::size_t, void* into) {
  auto& segments = *static_cast<Segments*>(into);
  if (info->dlpi_addr != segments.bias) return 0;
  for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& p = info->dlpi_phdr[i];
    if (p.p_type != PT_LOAD) continue;
    const std::uintptr_t begin = info->dlpi_addr + p.p_vaddr;
    if ((p.p_flags & PF_X) != 0) segments.code.add(begin, begin + p.p_filesz);
    if ((p.p_flags & PF_W) != 0) segments.data.add((begin + 7) & ~std::uintptr_t{7}, begin + p.p_filesz);
  }
  return 1;
}

bool are_functions(const Object& object, const std::uintptr_t* table) {
  for (std::size_t i = 0; i < kInstructions; ++i) {
    eh::Description d{};
    if (eh::find_description(object, table[i], d) != eh::Search::Found || d.begin != table[i]) return false;
  }
  return true;
}

// Most instructions have a function of their own; those numbers that are none share one.
bool differ(const std::uintptr_t* table) {
  std::size_t repeated = 0;
  for (std::size_t i = 1; i < kInstructions; ++i) repeated += table[i] == table[i - 1];
  return repeated < kInstructions / 2;
}

bool has_table(const Object& object, const Ranges& code, const Range& data) {
  std::size_t length = 0;
  for (std::uintptr_t at = data.begin; at + 8 <= data.end; at += 8) {
    const auto* word = reinterpret_cast<const std::uintptr_t*>(at);
    length = code.hold(*word) ? length + 1 : 0;
    if (length < kInstructions) continue;
    const std::uintptr_t* table = word - (kInstructions - 1);
    if (differ(table) && are_functions(object, table)) return true;
  }
  return false;
}

}  // namespace

bool has_tail_calls(const Object& object, std::uintptr_t eval_entry) {
  eh::Description d{};
  if (eh::find_description(object, eval_entry, d) != eh::Search::Found || d.end - d.begin > kLongestBeginning)
    return false;
  Segments segments{object.bias, {}, {}};
  dl_iterate_phdr(take_segments, &segments);
  for (std::size_t i = 0; i < segments.data.count; ++i) {
    if (has_table(object, segments.code, segments.data.all[i])) return true;
  }
  return false;
}

}  // namespace prof::python

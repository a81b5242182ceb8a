#include "report/show/memory/memory_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/fold/interest.hpp"
#include "report/fold/memory/resident.hpp"
#include "report/show/numbers.hpp"
#include "report/show/stack_text.hpp"

namespace prof::show {
namespace {

constexpr std::size_t kNamedFrames = 3;  // of native code

std::string count(std::uint64_t value) { return grouped(model::to_signed(value)); }

std::string share_of(std::int64_t part, std::uint64_t whole) {
  return percent(static_cast<double>(part), static_cast<double>(whole));
}

}  // namespace

std::vector<std::string> heap_sentences(const fold::HeapTotals& totals) {
  const bool exact = totals.mode == log::HeapMode::Exact;
  const auto size = [](std::int64_t value) { return bytes(static_cast<double>(value)); };
  std::vector<std::string> out;
  std::string levels;
  if (totals.levels_known) {
    levels = fmt::format("{} {} live, {} at the highest peak of one process",
                         exact ? ";" : ". Estimated:", size(totals.live_bytes), size(totals.peak_bytes));
  }
  out.push_back(fmt::format("Exact: {} allocations of {}, {} frees{}.", count(totals.allocations),
                            bytes(static_cast<double>(totals.allocated_bytes)), count(totals.frees), levels));
  if (exact && totals.allocations > 0) {
    out.push_back(fmt::format(
        "{} temporary allocations ({} %); {} short-lived ({} %): freed before their thread allocated {} others. {} "
        "reallocations moved {}. Largest block: {}.",
        grouped(totals.heap.temporary), share_of(totals.heap.temporary, totals.allocations),
        grouped(totals.heap.short_lived), share_of(totals.heap.short_lived, totals.allocations), log::kShortLife,
        count(totals.reallocations), size(totals.heap.moved_bytes), size(totals.heap.largest)));
  }
  if (totals.foreign_frees > 0) {
    out.push_back(fmt::format("{} frees were of blocks that are not in the books: counted, not guessed.",
                              count(totals.foreign_frees)));
  }
  return out;
}

std::string python_sentence(const fold::HeapTotals& totals) {
  std::string levels;
  if (totals.levels_known) {
    levels =
        fmt::format(" {} live, {} at the peak of one process.", bytes(static_cast<double>(totals.python_live_bytes)),
                    bytes(static_cast<double>(totals.python_peak_bytes)));
  }
  return fmt::format(
      "Exact: {} allocations and {} frees of Python's own allocators.{} The arenas that they come from are in the "
      "other tables, too.",
      count(totals.python_allocations), count(totals.python_frees), levels);
}

std::string rate(double bytes_per_s) { return bytes(bytes_per_s) + "/s"; }

std::string site_name(const symbols::Symbols& symbols, std::span<const std::uint32_t> stack, bool wide) {
  if (stack.empty()) return "(no stack)";
  const auto name_of = [&](std::size_t frame) {
    const std::uint32_t location = stack[frame];
    const symbols::Function& function = symbols.function(symbols.location(location).function);
    const bool placed = function.language == symbols::Language::Python && !symbols::is_import_system(function);
    const std::string label = location_label(symbols, location, wide);
    return placed ? fmt::format("{} ({})", label, location_place(symbols, location, wide)) : label;
  };
  const std::size_t leaf = fold::first_frame_of_interest(symbols, stack);
  const std::size_t python = fold::first_python_frame(symbols, stack);
  std::string name = name_of(leaf);
  if (python < stack.size() && python > leaf) return name + " <- " + name_of(python);
  for (std::size_t f = leaf + 1; f < stack.size() && f < leaf + kNamedFrames; ++f) name += " <- " + name_of(f);
  return name;
}

std::string leak_name(const symbols::Symbols& symbols, const fold::Leak& leak, bool wide) {
  if (leak.stack.empty()) return "(no stack)";
  const std::uint32_t named = leak.stack[leak.frame];
  const symbols::Function& function = symbols.function(symbols.location(named).function);
  if (function.language == symbols::Language::Python) {
    return fmt::format("{} ({})", location_label(symbols, named, wide), location_place(symbols, named, wide));
  }
  std::string out;
  for (std::size_t i = leak.frame; i < std::min(leak.stack.size(), leak.frame + kNamedFrames); ++i) {
    if (!out.empty()) out += " <- ";
    out += location_label(symbols, leak.stack[i], wide);
  }
  return out;
}

std::string why_no_leaks(fold::LeaksKnown known) {
  switch (known) {
    case fold::LeaksKnown::ByThread:
      return "What is live, and so what grows, cannot be told by thread.";
    case fold::LeaksKnown::Sampled:
      return "How memory grew over time is recorded in exact mode only: prof run --heap exact.";
    case fold::LeaksKnown::TooShort:
      return "No process lived long enough to tell what keeps growing: it takes half a second.";
    case fold::LeaksKnown::Yes:
      break;
  }
  return {};
}

}  // namespace prof::show

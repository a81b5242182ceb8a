// What is said of the memory of a run in sentences.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "report/fold/memory/heap.hpp"
#include "report/fold/memory/leaks.hpp"
#include "report/show/view.hpp"

namespace prof::show {

// What was counted of malloc and its family, and how much was live. One sentence for each thing to be said.
std::vector<std::string> heap_sentences(const fold::HeapTotals& totals);

// The same of Python's own allocators.
std::string python_sentence(const fold::HeapTotals& totals);

// "3.20 MiB/s".
std::string rate(double bytes_per_s);

// Who wanted the memory and, if that was native code, which line of Python it worked for; else who called it. Leaf
// first.
std::string site_name(const symbols::Symbols& symbols, std::span<const std::uint32_t> stack, bool wide);

// What answers for growing memory: "Trainer.fit (train.py:12)" or, of native code, "grow <- main".
std::string leak_name(const symbols::Symbols& symbols, const fold::Leak& leak, bool wide);

// Why there are no figures of growth; nothing where there are.
std::string why_no_leaks(fold::LeaksKnown known);

}  // namespace prof::show

// Which operator each event of a trace belongs to.
#pragma once

#include <cstdint>
#include <vector>

#include "report/model/process.hpp"

namespace prof::fold {

// The host's events of a trace, indices into Trace::events, as they lie within one another: by thread, then in the
// order of their beginning, outer ones first.
std::vector<std::size_t> by_thread(const model::Trace& trace);

// For each event of the trace the number of its operator or range: of such ones their own, of other events on the host
// that of the innermost one around them, of work on a device that of the call that asked for it. From 1 on; 0: none.
std::vector<std::uint32_t> operator_numbers(const model::Trace& trace, const std::vector<std::size_t>& by_thread);

}  // namespace prof::fold

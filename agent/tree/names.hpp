// Names in the log: of API functions, kernels, copies, ranges, operators and streams.
#pragma once

#include <cstdint>
#include <string_view>

#include "agent/contract/format.hpp"
#include "agent/thread/guard.hpp"

namespace prof::log {

// The id of a name, described in the log if need be; longer ones than 4000 bytes are cut. 0: there is no log, or no
// room for another name, which was counted. The same name always has the same id. Hook contexts; takes a lock for a
// new name only.
std::uint32_t name_id(const Guard& guard, NameKind kind, std::string_view name, std::string_view group = {});

// The id that a name has; 0: none so far. Hook contexts; lock-free.
std::uint32_t find_name(NameKind kind, std::string_view name, std::string_view group = {});

// Names that were given ids so far, of one kind: for those who bound their number.
std::uint32_t names_of(NameKind kind);

// Once at start.
void prepare_names();

}  // namespace prof::log

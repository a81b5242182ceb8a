// What the parts of the JSON document share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "report/formats/json_members.hpp"
#include "report/model/metrics.hpp"
#include "report/show/text.hpp"

namespace prof::formats {

inline Json seconds(std::int64_t ns) { return static_cast<double>(ns) / 1e9; }
inline Json seconds(std::uint64_t ns) { return static_cast<double>(ns) / 1e9; }

inline Json blocked(const model::WaitMetric& wait, bool known) { return known ? seconds(wait.blocked_ns()) : Json(); }

inline Json text(const std::string& value) { return show::valid_utf8(value); }
inline Json text_or_null(const std::string& value) { return value.empty() ? Json() : text(value); }

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

}  // namespace prof::formats

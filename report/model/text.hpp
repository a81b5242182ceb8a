// Names and paths as text: their parts, and whether they are among those that the report knows.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace prof {

// A count, a time or a size, for arithmetic that may lose its last digits: shares, rates, averages.
template <std::integral T>
constexpr double real(T value) {
  return static_cast<double>(value);
}

// And back, its fraction cut off: the largest or the least that there is where it is beyond them, as times of damaged
// logs are; 0 of what is no number.
constexpr std::int64_t whole_number(double value) {
  return value == value ? static_cast<std::int64_t>(std::clamp(value, -9e18, 9e18)) : 0;
}

// Of a letter of ASCII, a digit or '_': what the identifiers of programs are made of.
constexpr bool in_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// The part behind the last '/': the whole where there is none. The view is of `path`'s text.
constexpr std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// The part behind the last '.': the whole where there is none. The view is of `name`'s text.
constexpr std::string_view last_part(std::string_view name) { return name.substr(name.rfind('.') + 1); }

constexpr bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Whether `text` is one of `names`, a list of texts.
template <typename Names>
constexpr bool is_one_of(std::string_view text, const Names& names) {
  return std::find(std::begin(names), std::end(names), text) != std::end(names);
}

template <typename Beginnings>
constexpr bool begins_with_any(std::string_view text, const Beginnings& beginnings) {
  return std::any_of(std::begin(beginnings), std::end(beginnings),
                     [&](std::string_view beginning) { return text.starts_with(beginning); });
}

}  // namespace prof

// Which word of a record is which figure of a metric: a list per metric. By it records become metrics, and metrics are
// added up with the rules of agent/contract/fields.hpp. A word that a metric's list does not mention does not compile.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "agent/contract/fields.hpp"
#include "report/model/metrics_base.hpp"

namespace prof::model {

template <typename Words, typename Metric>
struct Taken {
  std::uint64_t Words::*word;
  std::int64_t Metric::*figure = nullptr;  // null: read by hand, or not shown
  bool is_signed = false;                  // in two's complement
};

// Of each metric with a list: `Words`, `list`.
template <typename Metric>
struct WordsOf;

// The lists: PROF_METRIC(TheMetric, log::TheWords, PROF_SAME(calls), PROF_AS(total_ns, ns)...); in namespace
// prof::model.
#define PROF_SAME(name) \
  { &Words::name, &Metric::name }
#define PROF_AS(name, figure) \
  { &Words::name, &Metric::figure }
#define PROF_SIGNED(name) \
  { &Words::name, &Metric::name, true }
// More than a figure by itself: read in the code beside the list.
#define PROF_BY_HAND(name) \
  { &Words::name }
#define PROF_NOT_SHOWN(name) PROF_BY_HAND(name)
// What a metric has as `each`.
#define PROF_LEAST_AND_MOST PROF_BY_HAND(min_ns), PROF_BY_HAND(max_ns)
#define PROF_METRIC(metric, words, ...)                                                                          \
  template <>                                                                                                    \
  struct WordsOf<metric> {                                                                                       \
    using Words = words;                                                                                         \
    using Metric = metric;                                                                                       \
    static constexpr Taken<Words, Metric> list[] = {__VA_ARGS__};                                                \
    static_assert(mentions_all(list), #words " has words that " #metric " does not mention, or mentions twice"); \
  }

template <typename Words>
consteval std::size_t index_of(std::uint64_t Words::*word) {
  Words words{};
  words.*word = 1;
  const auto all = std::bit_cast<std::array<std::uint64_t, sizeof(Words) / sizeof(std::uint64_t)>>(words);
  return static_cast<std::size_t>(std::find(all.begin(), all.end(), 1) - all.begin());
}

template <typename Words>
consteval std::string_view rule_of(std::uint64_t Words::*word) {
  for (const log::Field& field : log::fields::kOf<Words>) {
    if (field.offset == index_of(word) * sizeof(std::uint64_t)) return field.rule;
  }
  return {};
}

template <typename Words, typename Metric, std::size_t count>
consteval bool mentions_all(const Taken<Words, Metric> (&list)[count]) {
  std::array<int, sizeof(Words) / sizeof(std::uint64_t)> times{};
  for (const auto& taken : list) ++times[index_of(taken.word)];
  return std::all_of(times.begin(), times.end(), [](int n) { return n == 1; });
}

// Whether a record counted anything of which there are a least and a most.
template <typename Words>
bool counted(const Words& words) {
  if constexpr (requires { words.untimed; }) {
    return words.count > words.untimed;
  } else if constexpr (requires { words.count; }) {
    return words.count != 0;
  } else {
    return words.calls != 0;
  }
}

template <typename Metric, std::size_t i>
void take_figure(Metric& to, const typename WordsOf<Metric>::Words& words) {
  constexpr auto taken = WordsOf<Metric>::list[i];
  if constexpr (taken.figure != nullptr) {
    const std::uint64_t word = words.*taken.word;
    to.*taken.figure = taken.is_signed ? static_cast<std::int64_t>(word) : to_signed(word);
  }
}

template <typename Metric, std::size_t i>
void add_figure(Metric& sum, const Metric& other) {
  constexpr auto taken = WordsOf<Metric>::list[i];
  if constexpr (taken.figure != nullptr) {
    constexpr std::string_view rule = rule_of(taken.word);
    static_assert(rule == "sum" || rule == "max" || rule == "any", "no rule for figures of one word");
    std::int64_t& to = sum.*taken.figure;
    const std::int64_t value = other.*taken.figure;
    if constexpr (rule == "sum") to = saturated_sum(to, value);
    if constexpr (rule == "max") to = std::max(to, value);
    if constexpr (rule == "any") to = value != 0 ? value : to;
  }
}

template <typename Metric>
using Indices = std::make_index_sequence<std::size(WordsOf<Metric>::list)>;

// What a record says: `each`, and the figures that the list takes. Others are as they are in a new metric.
template <typename Metric>
Metric metric_from(const typename WordsOf<Metric>::Words& words) {
  Metric metric;
  [&]<std::size_t... i>(std::index_sequence<i...>) { (take_figure<Metric, i>(metric, words), ...); }
  (Indices<Metric>());
  if constexpr (requires { metric.each; }) {
    if (counted(words)) metric.each = extremes(words.min_ns, words.max_ns);
  }
  return metric;
}

// Adds up `each`, and the figures that the list takes.
template <typename Metric>
Metric& add_up(Metric& sum, const Metric& other) {
  [&]<std::size_t... i>(std::index_sequence<i...>) { (add_figure<Metric, i>(sum, other), ...); }
  (Indices<Metric>());
  if constexpr (requires { sum.each; }) sum.each += other.each;
  return sum;
}

}  // namespace prof::model

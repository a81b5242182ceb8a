// Figures of the tree added up by the places of the program that answer for them, and findings made of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "report/findings/evidence.hpp"
#include "report/findings/finding.hpp"

namespace prof::findings {

Place place_of(const symbols::Symbols& symbols, std::uint32_t location);

template <typename Figures>
struct AtPlace {
  std::optional<Place> place;  // none: nothing of Python leads there
  Figures figures;
};

// `of(node)` gives the figures (a type with +=) of a node of evidence.lines() as an optional; nothing leaves the node
// out. `place(node)` says who answers for a node that is not left out: Evidence::own_place() where it is not given. In
// no order.
template <typename Figures, typename Of, typename At>
std::vector<AtPlace<Figures>> by_place(const Evidence& evidence, Of of, At at) {
  using Key = std::tuple<bool, std::string, std::int64_t, std::string>;
  std::map<Key, AtPlace<Figures>> sums;
  const auto& nodes = evidence.lines().nodes();
  for (std::uint32_t node = 1; node < nodes.size(); ++node) {
    const std::optional<Figures> figures = of(node);
    if (!figures) continue;
    std::optional<Place> place = at(node);
    const Key key = place ? Key{true, place->file, place->line, place->function} : Key{};
    AtPlace<Figures>& sum = sums[key];
    sum.place = std::move(place);
    sum.figures += *figures;
  }
  std::vector<AtPlace<Figures>> out;
  for (auto& [key, sum] : sums) out.push_back(std::move(sum));
  return out;
}

template <typename Figures, typename Of>
std::vector<AtPlace<Figures>> by_place(const Evidence& evidence, Of of) {
  return by_place<Figures>(evidence, of, [&](std::uint32_t node) { return evidence.own_place(node); });
}

// The places with the most of `value(figures)`, at most three, and none with less than a tenth of the first one's.
template <typename Figures, typename Value>
std::vector<Place> top_places(std::vector<AtPlace<Figures>> sums, Value value) {
  std::stable_sort(sums.begin(), sums.end(),
                   [&](const auto& a, const auto& b) { return value(a.figures) > value(b.figures); });
  std::vector<Place> out;
  double first = 0;
  for (const AtPlace<Figures>& sum : sums) {
    const auto its = static_cast<double>(value(sum.figures));
    if (!sum.place || its <= 0 || its < 0.1 * first) continue;
    if (out.empty()) first = its;
    if (out.size() < 3) out.push_back(*sum.place);
  }
  return out;
}

// Leaves out places of libraries, which have no line, where there are others.
void prefer_lines(std::vector<Place>& places);

// Puts lines that start a backward pass behind the others: what it computes follows from what those in front of it did,
// and those are what can be changed. Not where they took little beside it, by `ns`: then it is what has to be looked
// at.
void put_backward_last(const Evidence& evidence, std::vector<Place>& places,
                       const std::function<std::int64_t(const Place&)>& ns);

// Sets what heeding the finding could save to that share of the wall time that savings are told of, 1 at most.
void could_save(Finding& finding, const Evidence& evidence, double share);
// The same to a share of the run's wall time, of what was measured over the whole run: nobody knows how much of it lies
// in steps.
void could_save_of_run(Finding& finding, const Evidence& evidence, double share);
// Of a time that was measured over the whole run: its share of that, 0 to 1; and the saving set to it.
double share_of_run(const Evidence& evidence, std::int64_t ns);
void could_save_time(Finding& finding, const Evidence& evidence, std::int64_t ns);

// Whether any frame of the node's stack, itself included, has a function for which `is` holds.
template <typename Is>
bool below(const fold::CallTree& tree, std::uint32_t node, Is is) {
  for (; node != 0; node = tree.nodes()[node].parent) {
    if (is(tree.function(node))) return true;
  }
  return false;
}

// The same of all nodes, in one pass.
template <typename Is>
std::vector<bool> all_below(const fold::CallTree& tree, Is is) {
  enum class Answer : std::uint8_t { Unasked, Yes, No };
  std::vector<Answer> known;  // by function: trees have many nodes of few
  std::vector<bool> out(tree.nodes().size());
  for (std::uint32_t node = 1; node < out.size(); ++node) {
    const std::uint32_t id = tree.function_id(node);
    if (id >= known.size()) known.resize(id + 1, Answer::Unasked);
    if (known[id] == Answer::Unasked) known[id] = is(tree.function(node)) ? Answer::Yes : Answer::No;
    out[node] = out[tree.nodes()[node].parent] || known[id] == Answer::Yes;
  }
  return out;
}

}  // namespace prof::findings

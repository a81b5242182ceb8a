#include "report/findings/evaluation.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include "report/findings/places.hpp"
#include "report/findings/source_words.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace {

constexpr std::string_view kBackward = ".backward(";

bool switches_off(std::string_view code) {
  return code.find("no_grad(") != std::string_view::npos || code.find("inference_mode(") != std::string_view::npos;
}

// The last line with the word in the function that line `number` is in; 0: there is none.
std::size_t last_in_function(const std::vector<std::string>& lines, std::size_t number, std::string_view word) {
  if (number < 1 || number > lines.size()) return 0;
  // From the function's head on, as far as it is indented.
  std::size_t head = number;
  std::size_t indent = indent_of(code_of(lines[number - 1], "#"));
  for (std::size_t at = number; at >= 1 && indent > 0; --at) {
    const std::string_view code = code_of(lines[at - 1], "#");
    const std::size_t its = indent_of(code);
    if (its == code.size() || its >= indent) continue;
    indent = its;
    head = at;
    if (code.substr(its).starts_with("def ") || code.substr(its).starts_with("async def ")) break;
  }
  std::size_t last = 0;
  lines_below(lines, head, [&](std::string_view code, std::size_t at) {
    if (code.find(word) != std::string_view::npos) last = at;
    return true;
  });
  return last;
}

// Of the nodes of Evidence::lines(), whether they are own lines for which something holds.
class KnownLines {
 public:
  KnownLines(const Evidence& evidence, IsLine is) : evidence_(evidence), files_(evidence.sources()), is_(is) {}

  bool operator()(std::uint32_t node) {
    const fold::CallTree& tree = evidence_.lines();
    if (is_ == nullptr || !evidence_.own().function(tree.function_id(node))) return false;
    const std::uint32_t location = tree.nodes()[node].location;
    const auto [found, made] = known_.try_emplace(location, false);
    if (made) {
      const Place place = place_of(evidence_.symbols(), location);
      found->second = place.line > 0 && is_(files_.file(place.file).lines, static_cast<std::size_t>(place.line));
    }
    return found->second;
  }

 private:
  const Evidence& evidence_;
  symbols::SourceFiles& files_;
  IsLine is_;
  std::map<std::uint32_t, bool> known_;  // by location
};

}  // namespace

bool without_gradients(const std::vector<std::string>& lines, std::size_t number) {
  if (number < 1 || number > lines.size()) return false;
  const auto code = [&](std::size_t at) { return code_of(lines[at - 1], "#"); };
  // Outwards, from block to block, up to the function's head and what stands above it.
  std::size_t indent = indent_of(code(number));
  const auto heads = [&](std::size_t at, std::string_view word) {
    return code(at).substr(indent_of(code(at))).starts_with(word);
  };
  if (heads(number, "with ") && switches_off(code(number))) return true;
  for (std::size_t at = number - 1; at >= 1; --at) {
    if (indent_of(code(at)) >= indent || indent_of(code(at)) == code(at).size()) continue;
    indent = indent_of(code(at));
    if (heads(at, "with ") && switches_off(code(at))) return true;
    if (!heads(at, "def ") && !heads(at, "async def ")) continue;
    for (std::size_t above = at - 1; above >= 1 && heads(above, "@"); --above) {
      if (switches_off(code(above))) return true;
    }
    return false;
  }
  return false;
}

bool evaluates(const std::vector<std::string>& lines, std::size_t number) {
  return without_gradients(lines, number) && last_in_function(lines, number, ".eval()") != 0;
}

bool trains(const std::vector<std::string>& lines, std::size_t number) {
  return last_in_function(lines, number, kBackward) != 0 && !evaluates(lines, number);
}

bool is_before_backward(const std::vector<std::string>& lines, std::size_t number) {
  return number < last_in_function(lines, number, kBackward);
}

void below_lines(const Evidence& evidence, const ThreadOf& thread, IsLine is_line,
                 const std::function<void(std::uint32_t node, std::int64_t cpu_ns)>& see, IsLine unless) {
  KnownLines is(evidence, is_line), is_not(evidence, unless);
  const fold::CallTree& tree = evidence.lines();
  for (const StackTime& time : stack_times(evidence.run().processes[thread.process], thread.slot)) {
    std::uint32_t node = time.cpu_ns > 0 ? tree.node_of(thread.process, time.node) : fold::CallTree::kNoNode;
    if (node == fold::CallTree::kNoNode) continue;
    std::uint32_t outermost = 0;
    for (; node != 0 && !is_not(node); node = tree.nodes()[node].parent) {
      if (is(node)) outermost = node;
    }
    if (outermost != 0 && node == 0) see(outermost, time.cpu_ns);
  }
}

std::int64_t evaluation_ns(const Evidence& evidence, const ThreadOf& thread) {
  std::int64_t ns = 0;
  below_lines(evidence, thread, without_gradients,
              [&](std::uint32_t, std::int64_t cpu_ns) { ns = model::saturated_sum(ns, cpu_ns); });
  return ns;
}

double part_without_gradients(const Evidence& evidence, const ThreadOf& thread,
                              const std::function<bool(std::string_view name)>& is_one) {
  const fold::CallTree& tree = evidence.lines();
  const std::vector<bool> inside = all_below(tree, [&](const symbols::Function& function) {
    return function.language == symbols::Language::Operator && is_one(function.name);
  });
  KnownLines is(evidence, without_gradients);
  double all = 0, without = 0;
  for (const StackTime& time : stack_times(evidence.run().processes[thread.process], thread.slot)) {
    std::uint32_t node = time.cpu_ns > 0 ? tree.node_of(thread.process, time.node) : fold::CallTree::kNoNode;
    if (node == fold::CallTree::kNoNode || !inside[node]) continue;
    all += static_cast<double>(time.cpu_ns);
    while (node != 0 && !is(node)) node = tree.nodes()[node].parent;
    if (node != 0) without += static_cast<double>(time.cpu_ns);
  }
  return all > 0 ? without / all : 0;
}

}  // namespace prof::findings

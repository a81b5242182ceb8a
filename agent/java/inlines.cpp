#include "agent/java/inlines.hpp"

#include <cstddef>
#include <iterator>
#include <optional>

#include "agent/java/line_table.hpp"
#include "agent/java/methods.hpp"
#include "agent/unwind/made_inlines.hpp"

namespace prof::java {
namespace {

using made_inlines::Node;
using made_inlines::Span;

constexpr std::uint32_t kMostNodes = 1024, kMostSpans = 2048;  // of one method; behind them no line is known
static_assert(kMostNodes <= made_inlines::kMostNodes && kMostSpans <= made_inlines::kMostSpans);
constexpr int kMostRecords = 16;

// The tables of lines of the methods of one piece of code: most come again and again.
class LineTables {
 public:
  explicit LineTables(abi::Tools* tools) : tools_(tools) {}

  std::uint32_t line_of(abi::Method method, std::int32_t place) {
    std::optional<Known>& known = known_[reinterpret_cast<std::uintptr_t>(method) / sizeof(void*) % std::size(known_)];
    if (!known || known->method != method) known.emplace(tools_, method);
    return known->lines.at(place);
  }

 private:
  struct Known {
    Known(abi::Tools* tools, abi::Method of) : method(of), lines(tools, of) {}
    abi::Method method;
    LineTable lines;
  };
  abi::Tools* const tools_;
  std::optional<Known> known_[64];
};

class Inlines {
 public:
  explicit Inlines(abi::Tools* tools) : tools_(tools), lines_(tools) {}

  // The code before `end` that no earlier point held belongs to what holds at the point.
  void add(std::uint32_t end, const abi::Point& point) {
    if (end < next_) return;
    const std::uint32_t node = node_of(point);
    if (spans_ == 0 ? node != 0 : span_[spans_ - 1].node != node) put(node);
    next_ = end + 1;
  }
  std::uint32_t keep() {
    if (spans_ != 0 && span_[spans_ - 1].node != 0) put(0);  // behind the last point
    return made_inlines::keep(span_, spans_, node_, nodes_);
  }

 private:
  void put(std::uint32_t node) {
    if (spans_ + 1 < kMostSpans || (spans_ < kMostSpans && node == 0)) span_[spans_++] = {next_, node};
  }
  // From the outermost method, which is the code's own, inwards.
  std::uint32_t node_of(const abi::Point& point) {
    std::uint32_t at = 0;
    for (std::int32_t i = point.count - 1; i >= 0; --i) {
      const std::uint32_t line = point.places != nullptr ? lines_.line_of(point.methods[i], point.places[i]) : 0;
      const std::uint32_t token = token_of(tools_, point.methods[i], line);
      const std::uint32_t inner = token != 0 ? child(at, token) : 0;
      if (inner == 0) return at;
      at = inner;
    }
    return at;
  }
  std::uint32_t child(std::uint32_t parent, std::uint32_t token) {
    for (std::uint32_t i = nodes_; i > parent; --i) {
      if (node_[i - 1].parent == parent && node_[i - 1].token == token) return i;
    }
    if (nodes_ == kMostNodes) return 0;
    node_[nodes_++] = {parent, token};
    return nodes_;
  }

  abi::Tools* const tools_;
  LineTables lines_;
  std::uint32_t next_ = 0, spans_ = 0, nodes_ = 0;
  Span span_[kMostSpans];
  Node node_[kMostNodes];
};

}  // namespace

std::uint32_t inlines_of(abi::Tools* tools, const void* code, std::uint32_t bytes, const abi::Record* records) {
  for (int i = 0; records != nullptr && i < kMostRecords; ++i, records = records->next) {
    if (records->kind != abi::kInlines || records->version[0] != abi::kInlinesVersion) continue;
    const auto& record = *reinterpret_cast<const abi::InlinesRecord*>(records);
    Inlines inlines(tools);
    for (std::int32_t k = 0; k < record.count; ++k) {
      const abi::Point& point = record.points[k];
      const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(point.code) - reinterpret_cast<std::uintptr_t>(code);
      if (at < bytes && point.count > 0 && point.methods != nullptr) inlines.add(static_cast<std::uint32_t>(at), point);
    }
    return inlines.keep();
  }
  return 0;
}

}  // namespace prof::java

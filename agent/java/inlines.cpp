#include "agent/java/inlines.hpp"

#include <cstddef>

#include "agent/java/methods.hpp"
#include "agent/unwind/made_inlines.hpp"

namespace prof::java {
namespace {

using made_inlines::Node;
using made_inlines::Span;

constexpr std::uint32_t kMostNodes = 512, kMostSpans = 1024;  // of one method; what comes after them is its own
constexpr int kMostRecords = 16;

class Inlines {
 public:
  explicit Inlines(abi::Tools* tools) : tools_(tools) {}

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
    for (std::int32_t i = point.count - 2; i >= 0; --i) {
      const std::uint32_t token = token_of(point.methods[i]);
      const std::uint32_t inner = token != 0 ? child(at, token) : 0;
      if (inner == 0) return at;
      at = inner;
    }
    return at;
  }
  std::uint32_t token_of(abi::Method method) {
    if (method != last_) last_token_ = frame_of(tools_, method).token;
    last_ = method;
    return last_token_;
  }
  std::uint32_t child(std::uint32_t parent, std::uint32_t token) {
    for (std::uint32_t i = nodes_; i > 0; --i) {
      if (node_[i - 1].parent == parent && node_[i - 1].token == token) return i;
    }
    if (nodes_ == kMostNodes) return 0;
    node_[nodes_++] = {parent, token};
    return nodes_;
  }

  abi::Tools* const tools_;
  abi::Method last_ = nullptr;
  std::uint32_t last_token_ = 0, next_ = 0, spans_ = 0, nodes_ = 0;
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

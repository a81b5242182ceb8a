#include "agent/calls/arena.hpp"

#include "agent/core/pages.hpp"

namespace prof::python::calls {
namespace {

constexpr std::size_t kAlign = 64;
constexpr std::size_t kBlock = 16 << 10;

std::size_t rounded(std::size_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign; }

}  // namespace

void* Arena::take(std::size_t bytes) {
  bytes = rounded(bytes);
  if (static_cast<std::size_t>(end_ - at_) < bytes) {
    const std::size_t need = bytes + kAlign > kBlock ? bytes + kAlign : kBlock;
    auto* block = static_cast<Block*>(pages::map(need, pages::InChild::Kept));
    if (block == nullptr) return nullptr;
    block->before = newest_;
    block->bytes = need;
    newest_ = block;
    at_ = reinterpret_cast<char*>(block) + kAlign;
    end_ = reinterpret_cast<char*>(block) + need;
  }
  void* taken = at_;
  at_ += bytes;
  return taken;
}

void Arena::give_back() {
  while (newest_ != nullptr) {
    Block* before = newest_->before;
    pages::unmap(newest_, newest_->bytes);
    newest_ = before;
  }
  at_ = end_ = nullptr;
}

}  // namespace prof::python::calls

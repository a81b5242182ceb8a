#include "agent/range/nvtx.hpp"

#include <cstddef>
#include <cstring>
#include <string_view>

#include "agent/core/process.hpp"
#include "agent/range/nvtx_abi.hpp"
#include "agent/range/ranges.hpp"
#include "agent/range/texts.hpp"

namespace prof::range {
namespace {

using nvtx::Attributes;
using nvtx::Callbacks;
using nvtx::Slot;

using Domain = const void*;

std::string_view text(const char* s) { return s != nullptr ? std::string_view(s) : std::string_view(); }

class Wide {
 public:
  explicit Wide(const wchar_t* s) : text_(narrow(s, room_, sizeof(room_))) {}
  std::string_view text() const { return text_; }

 private:
  char room_[512];
  std::string_view text_;
};

class Message {
 public:
  explicit Message(const Attributes* a)
      : wide_(of_type(a, nvtx::kUnicode) ? static_cast<const wchar_t*>(a->message) : nullptr) {
    payload = a != nullptr && a->bytes >= offsetof(Attributes, message_type) && a->payload_type != nvtx::kNoPayload
                  ? a->payload
                  : 0;
    if (of_type(a, nvtx::kAscii))
      text = range::text(static_cast<const char*>(a->message));
    else if (of_type(a, nvtx::kRegistered))
      text = text_of(a->message);
    else
      text = wide_.text();
  }
  std::string_view text;
  std::uint64_t payload;

 private:
  static bool of_type(const Attributes* a, std::int32_t type) {
    return a != nullptr && a->bytes >= sizeof(Attributes) && a->message_type == type;
  }
  Wide wide_;
};

void mark_a(const char* s) { mark(text(s), {}); }
void mark_w(const wchar_t* s) { mark(Wide(s).text(), {}); }
int push_a(const char* s) { return push(text(s), {}); }
int push_w(const wchar_t* s) { return push(Wide(s).text(), {}); }
int pop_plain() { return pop({}); }
std::uint64_t start_a(const char* s) { return start(text(s), {}); }
std::uint64_t start_w(const wchar_t* s) { return start(Wide(s).text(), {}); }
void end_any(std::uint64_t id) { end(id); }

void mark_in(Domain domain, const Attributes* a) {
  const Message m(a);
  mark(m.text, text_of(domain), m.payload);
}
int push_in(Domain domain, const Attributes* a) {
  const Message m(a);
  return push(m.text, text_of(domain), m.payload);
}
int pop_in(Domain domain) { return pop(text_of(domain)); }
std::uint64_t start_in(Domain domain, const Attributes* a) {
  const Message m(a);
  return start(m.text, text_of(domain), m.payload);
}
void end_in(Domain, std::uint64_t id) { end(id); }
void mark_ex(const Attributes* a) { mark_in(nullptr, a); }
int push_ex(const Attributes* a) { return push_in(nullptr, a); }
std::uint64_t start_ex(const Attributes* a) { return start_in(nullptr, a); }

const void* register_a(Domain, const char* s) { return text_handle(text(s)); }
const void* register_w(Domain, const wchar_t* s) { return text_handle(Wide(s).text()); }
Domain domain_a(const char* s) { return text_handle(text(s)); }
Domain domain_w(const wchar_t* s) { return text_handle(Wide(s).text()); }

struct Row {
  std::uint32_t index;
  Slot function;
};
template <class F>
Row row(std::uint32_t index, F* function) {
  return {index, reinterpret_cast<Slot>(function)};
}

bool fill(const Callbacks& callbacks, std::uint32_t module, const Row* rows, std::size_t count) {
  Slot** table = nullptr;
  std::uint32_t slots = 0;
  if (callbacks.module_table(module, &table, &slots) == 0 || table == nullptr) return false;
  for (std::size_t i = 0; i < count; ++i) {
    // A table of another version may be shorter.
    if (rows[i].index < slots && table[rows[i].index] != nullptr) *table[rows[i].index] = rows[i].function;
  }
  return true;
}

template <std::size_t N>
bool fill(const Callbacks& callbacks, std::uint32_t module, const Row (&rows)[N]) {
  return fill(callbacks, module, rows, N);
}

}  // namespace

int attach_nvtx(const void* (*get_export_table)(std::uint32_t)) {
  if (process().stage.load(std::memory_order_acquire) != Stage::Ready || !process().options.ranges) return 0;
  const auto* callbacks =
      get_export_table != nullptr ? static_cast<const Callbacks*>(get_export_table(nvtx::kCallbacks)) : nullptr;
  if (callbacks == nullptr || callbacks->bytes < sizeof(Callbacks) || callbacks->module_table == nullptr) return 0;
  const Row core[] = {
      row(nvtx::MarkEx, mark_ex),        row(nvtx::MarkA, mark_a),        row(nvtx::MarkW, mark_w),
      row(nvtx::RangeStartEx, start_ex), row(nvtx::RangeStartA, start_a), row(nvtx::RangeStartW, start_w),
      row(nvtx::RangeEnd, end_any),      row(nvtx::RangePushEx, push_ex), row(nvtx::RangePushA, push_a),
      row(nvtx::RangePushW, push_w),     row(nvtx::RangePop, pop_plain)};
  const Row core2[] = {row(nvtx::DomainMarkEx, mark_in),
                       row(nvtx::DomainRangeStartEx, start_in),
                       row(nvtx::DomainRangeEnd, end_in),
                       row(nvtx::DomainRangePushEx, push_in),
                       row(nvtx::DomainRangePop, pop_in),
                       row(nvtx::DomainRegisterStringA, register_a),
                       row(nvtx::DomainRegisterStringW, register_w),
                       row(nvtx::DomainCreateA, domain_a),
                       row(nvtx::DomainCreateW, domain_w)};
  const bool plain = fill(*callbacks, nvtx::kCore, core), domains = fill(*callbacks, nvtx::kCore2, core2);
  return plain || domains ? 1 : 0;
}

}  // namespace prof::range

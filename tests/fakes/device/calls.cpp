// Calls: who makes them, which of them fail, what they are told by.
#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <map>

#include "tests/fakes/device/fakegpu.hpp"

namespace fakegpu {
namespace {

constexpr int kInitializationError = 3;  // the same number in both APIs

struct ThreadCalls {
  std::uint32_t depth = 0;
  std::uint32_t correlation = 0;
  std::uint32_t library = 0;
};
thread_local ThreadCalls thread_calls;

std::atomic<std::uint32_t> last_correlation{0};
std::atomic<pid_t> owner{0};
std::atomic<Observer*> the_observer{nullptr}, the_first_observer{nullptr};

struct Rule {
  std::uint64_t nth;  // 0: every
  int error;
  std::atomic<std::uint64_t> seen{0};
};

std::multimap<std::string, Rule, std::less<>>& rules() {
  static auto& all = *[] {
    auto* made = new std::multimap<std::string, Rule, std::less<>>;
    std::string_view rest = setting("FAKE_GPU_FAIL");
    while (!rest.empty()) {
      const std::string one(rest.substr(0, rest.find(',')));
      rest.remove_prefix(std::min(rest.size(), one.size() + 1));
      const auto first = one.find(':'), second = one.rfind(':');
      if (first == std::string::npos || second == first) abort();
      auto& rule =
          made->emplace(std::piecewise_construct, std::forward_as_tuple(one.substr(0, first)), std::tuple<>())->second;
      const std::string nth = one.substr(first + 1, second - first - 1);
      rule.nth = nth == "*" ? 0 : std::stoull(nth);
      rule.error = std::stoi(one.substr(second + 1));
    }
    return made;
  }();
  return all;
}

int asked_error(const char* name) {
  if (rules().empty()) return 0;
  int error = 0;
  const auto [begin, end] = rules().equal_range(std::string_view(name));
  for (auto rule = begin; rule != end; ++rule) {
    const std::uint64_t nth = ++rule->second.seen;
    if (rule->second.nth == 0 || rule->second.nth == nth) error = rule->second.error;
  }
  return error;
}

}  // namespace

Scope::Scope(Domain domain, std::uint32_t cbid, const char* name) : call_{} {
  ThreadCalls& thread = thread_calls;
  own_ = thread.depth == 0 && thread.library == 0;
  if (thread.depth++ == 0) thread.correlation = ++last_correlation;
  call_.domain = domain;
  call_.cbid = cbid;
  call_.name = name;
  call_.correlation = thread.correlation;
  call_.tid = thread_id();
  call_.start = now();
  if (claimed() && owner.load() != getpid()) {  // what a mutex was at the fork nobody knows
    refused_ = kInitializationError;
    return;
  }
  call_.context = current_id();
  refused_ = asked_error(name);
  if (Observer* const who = observer()) who->entered(call_);
}

Scope::~Scope() {
  if (refused_ != 0 && call_.result == 0) call_.result = refused_;
  call_.end = now();
  if (Observer* const who = observer(); who != nullptr && !(claimed() && owner.load() != getpid())) who->left(call_);
  if (--thread_calls.depth == 0) thread_calls.correlation = 0;
  if (own_) {
    write_ledger(
        R"({"t":"call","pid":%d,"tid":%u,"domain":"%s","name":"%s","rc":%lld,"bytes":%llu,"start":%llu,"end":%llu,"correlation":%u})",
        getpid(), call_.tid, call_.domain == Domain::Runtime ? "runtime" : "driver", call_.name,
        static_cast<long long>(call_.result), static_cast<unsigned long long>(bytes_),
        static_cast<unsigned long long>(call_.start), static_cast<unsigned long long>(call_.end), call_.correlation);
  }
}

std::uint32_t current_correlation() { return thread_calls.correlation; }

LibraryScope::LibraryScope() { ++thread_calls.library; }
LibraryScope::~LibraryScope() { --thread_calls.library; }

void claim() {
  pid_t nobody = 0;
  owner.compare_exchange_strong(nobody, getpid());
}
bool claimed() { return owner.load() != 0; }

void observe(Observer* who) {
  the_observer = who;
  Observer* nobody = nullptr;
  if (who != nullptr) the_first_observer.compare_exchange_strong(nobody, who);
}
Observer* first_observer() { return the_first_observer.load(); }
Observer* observer() { return the_observer.load(std::memory_order_acquire); }

void told_wait(const Stream* stream, std::uint64_t from) {
  Observer* const who = observer();
  if (who == nullptr || thread_calls.depth == 0) return;
  ApiCall call{};
  call.correlation = thread_calls.correlation;
  call.tid = thread_id();
  call.context = current_id();
  who->waited(call, stream != nullptr ? stream_id(stream) : UINT32_MAX, from, now());
}

}  // namespace fakegpu

extern "C" void fakegpu_library_kernel(const char* name, void* stream) {
  using namespace fakegpu;
  const LibraryScope library;
  Scope scope(Domain::Driver, 307, "cuLaunchKernel");
  if (scope.refused() != 0) return;
  launch(stream_of(stream), intern(name), Shape{{1, 1, 1}, {32, 1, 1}, 0});
}

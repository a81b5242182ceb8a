// C++: objects on the heap, and exceptions thrown through frames of our own, of C's qsort and of a handler's caller.
#include <cstdlib>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/hosts/host.h"

namespace {

struct alignas(64) Wide {
  uint64_t words[24];
};

struct Counts {
  explicit Counts(int& count) : count_(count) { ++count_; }
  ~Counts() { --count_; }
  int& count_;
};

[[gnu::noinline]] uint64_t descend(struct step* s, int depth, int& alive) {
  Counts counts(alive);
  std::string text(below(s, 200), 'a');
  if (depth == 0) {
    if (once_in(s, 2)) throw std::runtime_error(text);
    throw static_cast<int>(text.size());
  }
  if (once_in(s, 6)) {
    try {
      return descend(s, depth - 1, alive);
    } catch (const std::exception& error) {
      fold(s, std::string(error.what()).size());
      throw;
    }
  }
  return descend(s, depth - 1, alive) + text.size();
}

int compare(const void* a, const void* b) {
  const int x = *static_cast<const int*>(a), y = *static_cast<const int*>(b);
  if (x == 77 || y == 77) throw x + y;
  return x - y;
}

}  // namespace

extern "C" void objects_operation(struct step* s) {
  std::vector<std::unique_ptr<std::string>> strings;
  for (int i = 0; i < 50; ++i) strings.push_back(std::make_unique<std::string>(below(s, 300), 'b'));
  uint64_t sum = 0;
  for (const auto& text : strings) sum += text->size();
  std::unique_ptr<Wide[]> wide(new Wide[between(s, 1, 40)]);
  CHECK(reinterpret_cast<uintptr_t>(wide.get()) % 64 == 0);
  wide[0].words[3] = sum;
  volatile size_t too_much = static_cast<size_t>(PTRDIFF_MAX) - 64;
  auto* none = new (std::nothrow) char[too_much];
  CHECK(none == nullptr);
  bool refused = false;
  try {
    auto* volatile large = new char[too_much];
    delete[] large;
  } catch (const std::bad_alloc&) {
    refused = true;
  }
  CHECK(refused);
  fold(s, wide[0].words[3]);
}

extern "C" void throw_up_operation(struct step* s) {
  for (int i = 0; i < 6; ++i) {
    int alive = 0;
    uint64_t came = 0;
    try {
      descend(s, static_cast<int>(below(s, 60)), alive);
    } catch (const std::runtime_error& error) {
      came = std::string(error.what()).size() + 1000;
    } catch (int value) {
      came = static_cast<uint64_t>(value);
    }
    CHECK(alive == 0);
    fold(s, came);
  }
  int numbers[20];
  for (int& number : numbers) number = static_cast<int>(below(s, 90));
  int thrown = 0;
  try {
    qsort(numbers, 20, sizeof(int), compare);
  } catch (int) {
    thrown = 1;
  }
  fold(s, static_cast<uint64_t>(thrown));
}

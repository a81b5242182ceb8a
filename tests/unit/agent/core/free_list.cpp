#include <atomic>
#include <thread>
#include <vector>

#include "agent/core/free_list.hpp"
#include "tests/support/catch.hpp"

using namespace prof;

namespace {

struct Object {
  std::atomic<int> users{0};
  Object* next_free = nullptr;
};

}  // namespace

TEST_CASE("agent: free objects come back, the last one first") {
  FreeList<Object, &Object::next_free> list;
  Object a, b;
  CHECK(list.pop() == nullptr);
  list.push(&a);
  list.push(&b);
  CHECK(list.pop() == &b);
  CHECK(list.pop() == &a);
  CHECK(list.pop() == nullptr);
}

// Catches lists that take an object which was taken and given back meanwhile for one that was there all the time: two
// then have the same object.
TEST_CASE("agent: an object of a free list is in one thread's hands") {
  FreeList<Object, &Object::next_free> list;
  std::vector<Object> objects(3);
  for (Object& o : objects) list.push(&o);
  std::atomic<int> shared{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 100000; ++i) {
        Object* mine = list.pop();
        if (mine == nullptr) continue;
        if (mine->users.fetch_add(1) != 0) ++shared;
        mine->users.fetch_sub(1);
        list.push(mine);
      }
    });
  }
  for (std::thread& t : threads) t.join();
  CHECK(shared == 0);
  int left = 0;
  while (list.pop() != nullptr) ++left;
  CHECK(left == 3);
}

#include "report/findings/source_blocks.hpp"

#include "tests/support/catch.hpp"

using prof::findings::block_of_with;
using prof::findings::Lines;
using prof::findings::lock_around;

namespace {

const Lines kMethod = {"class Client:",                                    // 1
                       "    async def status(self, number):",              // 2
                       "        async with self._lock:  # one at a time",  // 3
                       "            if self.token is None:",               // 4
                       "                await self.login()",               // 5
                       "",                                                 // 6
                       "            return await self.get(number)",        // 7
                       "        log(number)",                              // 8
                       "    def other(self):",                             // 9
                       "        with open(self.path) as file:",            // 10
                       "            return file.read()"};                  // 11

}  // namespace

TEST_CASE("source blocks: what stands below a with", "[findings]") {
  const auto block = block_of_with(kMethod, 3);
  REQUIRE(block);
  CHECK(block->first == 4);
  CHECK(block->last == 7);
  REQUIRE(block_of_with(kMethod, 10));
  CHECK(block_of_with(kMethod, 10)->last == 11);
  for (const std::size_t other : {0, 2, 4, 8, 12}) CHECK_FALSE(block_of_with(kMethod, other));
  CHECK_FALSE(block_of_with({"with lock: count += 1"}, 1));
}

TEST_CASE("source blocks: the lock that is held in a line", "[findings]") {
  CHECK(lock_around(kMethod, 5) == 3);
  CHECK(lock_around(kMethod, 7) == 3);
  for (const std::size_t other : {0, 1, 3, 8, 9, 11, 12}) CHECK(lock_around(kMethod, other) == 0);
}

TEST_CASE("source blocks: what is no lock", "[findings]") {
  const auto is_lock = [](const char* head) { return lock_around({head, "    await ask()"}, 2) == 1; };
  CHECK(is_lock("async with self._lock:"));
  CHECK(is_lock("with Lock() as held:"));
  CHECK(is_lock("with write_mutex, open(path) as file:"));
  CHECK_FALSE(is_lock("async with open_device(3) as block_device:"));
  CHECK_FALSE(is_lock("async with clock:"));
  CHECK_FALSE(is_lock("with open('/dev/null') as unblocked:"));
}

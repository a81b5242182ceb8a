#include "report/findings/awaiting_lines.hpp"

#include "tests/support/catch.hpp"

using prof::findings::awaits_in_turn;
using prof::findings::Lines;

namespace {

// The lines of such a function that await in turn.
std::vector<std::int64_t> in_turn(Lines body) {
  body.insert(body.begin(), "async def page(parts):");
  std::vector<std::int64_t> out;
  for (std::int64_t number = -1; number <= static_cast<std::int64_t>(body.size()) + 1; ++number)
    if (awaits_in_turn(body, number)) out.push_back(number);
  return out;
}
using Found = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("statements that await an answer which the others do not need", "[findings]") {
  CHECK(in_turn({"    user = await get(1)", "    news = await get(2)", "    return user, news"}) == Found{2, 3});
  CHECK(in_turn({"    user = await get(1)", "    key = user[0]", "    a, b = await get(key)",
                 "    c = await get(2)"}) == Found{2, 4, 5});
  CHECK(in_turn({"    async with get(1) as a:", "        x = await a.json()",
                 "    async with get(2) as b:", "        y = await b.json()"}) == Found{2, 3, 4, 5});
  CHECK(in_turn({"    user = await get(", "        1,", "    )", "    # the next one", "",
                 "    news = await get(2)"}) == Found{2, 3, 4, 7});
}

TEST_CASE("statements that need not be told of", "[findings]") {
  CHECK(in_turn({"    user = await get(1)", "    news = await get(user)"}).empty());
  CHECK(in_turn({"    user = await get(1)", "    key = user[0]", "    name = key + 1", "    news = await get(name)"})
            .empty());
  CHECK(in_turn({"    async with get(1) as a:", "        x = await a.json()", "        y = await a.json()"}).empty());
  CHECK(in_turn({"    head = await r.readline()", "    body = await r.readexactly(9)"}).empty());
  CHECK(in_turn({"    x = await asyncio.sleep(1)", "    y = await asyncio.gather(a, b)"}).empty());
  CHECK(in_turn({"    user = await get(1)", "    if user:", "        news = await get(2)"}).empty());
  CHECK(in_turn({"    task = create_task(get(1))", "    user = await get(2)", "    news = await get(3)"}).empty());
  CHECK(in_turn({"    await get(1)", "    await get(2)"}).empty());
  CHECK(in_turn({}).empty());
  CHECK_FALSE(awaits_in_turn({}, 1));
  CHECK_FALSE(awaits_in_turn({"x = await get(1)", "y = await get(2)"}, 1));
}

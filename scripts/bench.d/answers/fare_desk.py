"""Fare desk: an asyncio service that answers quote requests for coach routes.

Route data comes from a (slow) store; a fare table is worked out per route and
kept; each request is priced against the table of its route.

What is wrong: FareBook.table() looks into its cache, then awaits the store, and
only then works out the table and stores it.  Requests come in bursts for one
route, so all of a burst miss and each works out the very same table again
(cache stampede): 240 tables worked out where 40 routes exist.
First screen should say: the event loop is kept busy by work_out_table, called
from FareBook.table (the line marked FAULT), mostly for routes already worked
out (same argument, same result, 6 times each); about half of the wall time.
Mend: remember the running load per route and let the others of the burst await it.
"""
import asyncio
import math
import random
import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Request:
    number: int
    route: str
    day: int
    seats: int


class RouteStore:
    """Stands for the remote database: answers after a while."""

    def __init__(self, seed):
        self._seed = seed

    async def fetch(self, route):
        await asyncio.sleep(0.01)
        rng = random.Random(f"{self._seed}/{route}")
        return [(rng.uniform(1.0, 40.0), rng.randint(1, 5)) for _ in range(105)]


def work_out_table(stops):
    """Fare between any two stops of the route."""
    table = {}
    for i in range(len(stops)):
        km = 0.0
        zone = 0
        for j in range(i + 1, len(stops)):
            km += stops[j][0]
            zone = max(zone, stops[j][1])
            base = 1.8 + 0.11 * km ** 0.93
            for kind, share in (("full", 1.0), ("child", 0.5), ("senior", 0.7)):
                table[i, j, kind] = round(base * share * (1 + 0.04 * zone), 2)
    return table


class FareBook:
    def __init__(self, store):
        self._store = store
        self._tables = {}
        self.spent_again = 0.0

    async def table(self, route):
        if route not in self._tables:  # FAULT none
            stops = await self._store.fetch(route)
            began = time.perf_counter()
            known = route in self._tables
            self._tables[route] = work_out_table(stops)  # FAULT none
            if known:
                self.spent_again += time.perf_counter() - began
        return self._tables[route]


def demand_factor(day, seats):
    total = 0.0
    for k in range(1, 60):
        total += math.sin(day * k / 7.0) / k + seats / (50.0 + k)
    return 1.0 + total / 200.0


def price(table, request):
    """Best of the tickets which cover the whole trip, and the average fare."""
    factor = demand_factor(request.day, request.seats)
    cheapest, total, count = None, 0.0, 0
    for (start, stop, kind), fare in table.items():
        if kind == "child" and request.seats < 2:
            continue
        amount = fare * factor * request.seats
        if stop - start > 30 and (cheapest is None or amount < cheapest):
            cheapest = amount
        total += amount
        count += 1
    return round(cheapest, 2), round(total / count, 2)


class Desk:
    def __init__(self, book):
        self.book = book
        self.answers = {}

    async def answer(self, request):
        table = await self.book.table(request.route)
        for shift in range(5):
            moved = Request(request.number, request.route, request.day + shift, request.seats)
            self.answers[request.number, shift] = price(table, moved)
            await asyncio.sleep(0)


async def serve():
    rng = random.Random(11)
    desk = Desk(FareBook(RouteStore(5)))
    routes = [f"R{n:03d}" for n in range(40)]
    number = 0
    for route in routes:
        burst = []
        for _ in range(6):
            burst.append(Request(number, route, rng.randint(1, 300), rng.randint(1, 6)))
            number += 1
        await asyncio.gather(*(desk.answer(request) for request in burst))
    return desk


def main():
    desk = asyncio.run(serve())
    cheapest = sum(answer[0] for answer in desk.answers.values())
    print(f"{len(desk.answers)} quotes, cheapest together {cheapest:.2f}")
    print(f"truth {desk.book.spent_again:.3f}")


if __name__ == "__main__":
    main()

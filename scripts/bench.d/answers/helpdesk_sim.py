"""Discrete-event model of a support desk: callers wait by priority, lose patience, and leave.

What is wrong: Cancelled callers are taken out of the waiting heap by list.remove + heapify: O(n) dataclass
comparisons each.
Mend: Lazy deletion: only set the state, take_next skips those not waiting.
"""
import heapq
import random
import statistics
import time
from dataclasses import dataclass, field

ARRIVE, LEAVE, DONE = range(3)


@dataclass(order=True)
class Caller:
    rank: int
    since: float
    number: int
    patience: float = field(compare=False, default=0.0)
    talk: float = field(compare=False, default=0.0)
    state: str = field(compare=False, default="waiting")


class Desk:
    def __init__(self, agents, seed):
        self.rng = random.Random(seed)
        self.free = agents
        self.waiting = []
        self.events = []
        self.sequence = 0
        self.waits = []
        self.lost = 0
        self.spent = 0.0

    def schedule(self, at, kind, caller):
        self.sequence += 1
        heapq.heappush(self.events, (at, self.sequence, kind, caller))

    def new_caller(self, now, number):
        rng = self.rng
        rank = rng.choices((0, 1, 2), (1, 3, 6))[0]
        return Caller(rank, now, number, patience=rng.expovariate(1 / 900) + 60, talk=rng.lognormvariate(5.2, 0.6))

    def take_next(self, now):
        while self.waiting and self.free:
            caller = heapq.heappop(self.waiting)
            if caller.state != "waiting":
                continue
            caller.state = "talking"
            self.free -= 1
            self.waits.append(now - caller.since)
            self.schedule(now + caller.talk, DONE, caller)

    def give_up(self, caller):
        if caller.state != "waiting":
            return
        began = time.perf_counter()
        caller.state = "lost"
        self.waiting.remove(caller)  # FAULT heaps-made-anew
        heapq.heapify(self.waiting)  # FAULT heaps-made-anew
        self.spent += time.perf_counter() - began
        self.lost += 1

    def run(self, callers, rate):
        now = 0.0
        for number in range(callers):
            now += self.rng.expovariate(rate)
            self.schedule(now, ARRIVE, self.new_caller(now, number))
        while self.events:
            now, _, kind, caller = heapq.heappop(self.events)
            if kind == ARRIVE:
                heapq.heappush(self.waiting, caller)
                self.schedule(now + caller.patience, LEAVE, caller)
            elif kind == LEAVE:
                self.give_up(caller)
            else:
                caller.state = "served"
                self.free += 1
            self.take_next(now)


def quantiles(waits):
    cuts = statistics.quantiles(waits, n=20)
    return cuts[9], cuts[17], cuts[18]


def bootstrap(waits, rounds, seed):
    rng = random.Random(seed)
    means = sorted(sum(rng.choices(waits, k=len(waits))) / len(waits) for _ in range(rounds))
    return means[int(rounds * 0.05)], means[int(rounds * 0.95)]


def service_level(waits, target):
    return sum(1 for wait in waits if wait <= target) / len(waits)


def scenario(agents, callers, rate, seed):
    desk = Desk(agents, seed)
    desk.run(callers, rate)
    low, high = bootstrap(desk.waits, rounds=550, seed=seed)
    median, p90, p95 = quantiles(desk.waits)
    print(f"agents {agents}: served {len(desk.waits)} lost {desk.lost} level {service_level(desk.waits, 120):.3f} "
          f"median {median:.1f} p90 {p90:.1f} p95 {p95:.1f} mean 90% [{low:.2f}, {high:.2f}]")
    return desk.spent


def main():
    spent = 0.0
    for agents in (120, 160, 200):
        spent += scenario(agents, callers=24000, rate=1.15, seed=agents)
    print(f"truth {spent:.3f}")


if __name__ == "__main__":
    main()

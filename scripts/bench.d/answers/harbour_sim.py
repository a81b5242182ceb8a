"""Simulates a container harbour: ships queue for quays, cranes unload them.

What is wrong: trace() makes a text of all that waits for each event, and the level is INFO: none of them is written.
First screen should say: text is made for log messages that are not written, at the lines in trace(), some 1.2 s.
Mend: ask log.isEnabledFor(logging.DEBUG) first.
"""
import heapq
import logging
import random
import time

log = logging.getLogger("harbour")


class Ship:
    def __init__(self, number, containers, priority):
        self.number, self.containers, self.priority = number, containers, priority
        self.arrived = 0.0

    def __lt__(self, other):
        return (self.priority, self.number) < (other.priority, other.number)

    def __repr__(self):
        return f"Ship({self.number}, containers={self.containers}, prio={self.priority}, at={self.arrived:.2f})"


class Harbour:
    def __init__(self, quays, seed):
        self.rng = random.Random(seed)
        self.free = list(range(quays))
        self.waiting = []
        self.events = []
        self.now = 0.0
        self.waits = []
        self.yard = [0] * 60
        self.traced = 0.0

    def at(self, delay, what, ship, quay=None):
        heapq.heappush(self.events, (self.now + delay, ship.number, what, ship, quay))

    def trace(self, what, ship):
        began = time.perf_counter()
        log.debug(f"{self.now:10.2f} {what:<8} {ship!r} free={self.free} "  # FAULT log-texts
                  f"waiting={[s.number for s in self.waiting]} yard={sum(self.yard)}")  # FAULT log-texts
        self.traced += time.perf_counter() - began

    def arrive(self, ship):
        ship.arrived = self.now
        heapq.heappush(self.waiting, ship)

    def berth(self):
        while self.free and self.waiting:
            ship = heapq.heappop(self.waiting)
            quay = self.free.pop()
            self.waits.append(self.now - ship.arrived)
            self.trace("berth", ship)
            self.at(self.unload(ship, quay), "leave", ship, quay)

    def unload(self, ship, quay):
        """Puts each container on the lowest of a few stacks near the quay."""
        minutes, yard, rng = 0.0, self.yard, self.rng.random
        for _ in range(ship.containers):
            first = int(rng() * 54)
            stack = min(range(first, first + 6), key=yard.__getitem__)
            yard[stack] += 1
            minutes += 1.5 + 0.2 * abs(quay * 6 - stack) / 10
        return minutes

    def carry_off(self):
        for stack, height in enumerate(self.yard):
            self.yard[stack] = height - height // 3

    def run(self):
        while self.events:
            self.now, _, what, ship, quay = heapq.heappop(self.events)
            self.trace(what, ship)
            if what == "arrive":
                self.arrive(ship)
            else:
                self.free.append(quay)
                self.carry_off()
            self.berth()


def season(ships, seed):
    harbour = Harbour(quays=8, seed=seed)
    rng = random.Random(seed + 1)
    moment = 0.0
    for number in range(ships):
        moment += rng.expovariate(1 / 6.6)
        harbour.at(moment, "arrive", Ship(number, rng.randrange(10, 50), rng.randrange(3)))
    harbour.run()
    return harbour


def main():
    logging.basicConfig(level=logging.INFO)
    total, worst, traced = 0.0, 0.0, 0.0
    for seed in range(12):
        harbour = season(7000, seed * 10)
        total += sum(harbour.waits) / len(harbour.waits)
        worst = max(worst, max(harbour.waits))
        traced += harbour.traced
    print(f"mean wait {total / 12:.3f} worst {worst:.2f} yard {sum(harbour.yard)}")
    print("truth", traced)


if __name__ == "__main__":
    main()

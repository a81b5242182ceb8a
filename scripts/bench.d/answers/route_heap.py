"""Finds the cheapest ways over a terrain, by Dijkstra's algorithm with a priority queue.

What is wrong: to lower an entry's priority, the queue searches its heap list for the old entry, removes it and heapifies
the whole list, which costs time in proportion to the frontier at every relaxation.
First screen should say: most of the time is in list.remove and heapify in Frontier.lower - linear work for each update
of the heap.
Mend: push the better entry and skip stale ones when they are popped.
"""
import heapq
import time

SIDE = 255


class Frontier:
    def __init__(self):
        self.heap = []
        self.best = {}
        self.lowering = 0.0
        self.lowered = 0

    def push(self, cost, cell):
        self.best[cell] = cost
        heapq.heappush(self.heap, (cost, cell))

    def lower(self, cost, cell):
        began = time.perf_counter()
        self.heap.remove((self.best[cell], cell))  # FAULT heaps-made-anew list-searches
        heapq.heapify(self.heap)  # FAULT heaps-made-anew list-searches
        self.push(cost, cell)
        self.lowering += time.perf_counter() - began
        self.lowered += 1

    def pop(self):
        while self.heap:
            cost, cell = heapq.heappop(self.heap)
            if self.best[cell] == cost:
                return cost, cell
        return None


def terrain(side):
    heights = []
    state = 12345
    for _ in range(side * side):
        state = (state * 1103515245 + 12345) % 2 ** 31
        heights.append(1 + (state >> 16) % 97)
    return heights


def steps(cell, side):
    y, x = divmod(cell, side)
    for dy, dx, far in ((0, 1, 10), (1, 0, 10), (0, -1, 10), (-1, 0, 10), (1, 1, 14), (-1, -1, 14), (1, -1, 14), (-1, 1, 14)):
        if 0 <= y + dy < side and 0 <= x + dx < side:
            yield (y + dy) * side + x + dx, far


def cheapest(heights, side, start, frontier):
    done = {}
    frontier.push(0, start)
    while (entry := frontier.pop()) is not None:
        cost, cell = entry
        if cell in done:
            continue
        done[cell] = cost
        for other, far in steps(cell, side):
            if other in done:
                continue
            price = cost + far * (heights[cell] + heights[other])
            known = frontier.best.get(other)
            if known is None:
                frontier.push(price, other)
            elif price < known:
                frontier.lower(price, other)
    return done


heights = terrain(SIDE)
lowering, far, lowered = 0.0, [], 0
for start in (0, SIDE * SIDE // 2 + SIDE // 2, SIDE - 1, SIDE * 40 + 7):
    frontier = Frontier()
    costs = cheapest(heights, SIDE, start, frontier)
    far.append(max(costs.values()))
    lowering += frontier.lowering
    lowered += frontier.lowered
print("farthest", far)
entries = [(c, i) for i, c in enumerate(heights[:400])]
heapq.heapify(entries)
began = time.perf_counter()
for i in range(1000):
    heapq.heappush(entries, (i % 90, i))
    heapq.heappop(entries)
print("truth", lowering - lowered * (time.perf_counter() - began) / 1000)

"""Shortest travel times in a street network with Dijkstra's algorithm."""
import heapq
import random


class StreetNetwork:
    def __init__(self, width, height, seed=19):
        rng = random.Random(seed)
        self.width = width
        n = width * height
        self.edges = [[] for _ in range(n)]
        for node in range(n):
            x = node % width
            if x + 1 < width:
                self._link(node, node + 1, 20 + int(rng.random() * 70))
            if node + width < n:
                self._link(node, node + width, 20 + int(rng.random() * 70))

    def _link(self, a, b, seconds):
        self.edges[a].append((b, seconds))
        self.edges[b].append((a, seconds))

    def node(self, x, y):
        return y * self.width + x


def travel_times(network, source):
    edges = network.edges
    times = [None] * len(edges)
    heap = [(0, source)]
    while heap:
        t, node = heapq.heappop(heap)
        if times[node] is not None:
            continue
        times[node] = t
        for other, seconds in edges[node]:
            if times[other] is None:
                heapq.heappush(heap, (t + seconds, other))
    return times


def coverage(times, limit):
    return sum(t <= limit for t in times) / len(times)


def main():
    network = StreetNetwork(420, 420)
    stations = [(20, 20), (130, 130), (240, 50), (60, 230), (200, 200), (10, 140), (300, 350), (390, 90)]
    best = None
    for x, y in stations:
        times = travel_times(network, network.node(x, y))
        best = times if best is None else list(map(min, best, times))
        print(f"station {x},{y}: {coverage(times, 3000):.3f}")
    print(f"all stations: {coverage(best, 3000):.3f}")


if __name__ == "__main__":
    main()

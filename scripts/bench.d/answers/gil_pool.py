"""Find near-duplicate product titles; 'parallel' with threads."""
import random
import time
from concurrent.futures import ThreadPoolExecutor


def distance(a, b):
    previous = list(range(len(b) + 1))
    for i, ca in enumerate(a, 1):
        current = [i]
        for j, cb in enumerate(b, 1):
            other = min(previous[j], current[j - 1]) + 1
            current.append(min(other, previous[j - 1] + (ca != cb)))  # FAULT lock-contention
        previous = current
    return previous[-1]


def similar_in(block):
    found = []
    for i, a in enumerate(block):
        for b in block[i + 1:]:
            if abs(len(a) - len(b)) < 6 and distance(a, b) < 9:
                found.append((a, b))
    return found


def titles(n):
    rng = random.Random(3)
    words = "red blue large small cotton wool shirt sock hat glove steel lamp desk chair".split()
    return [" ".join(rng.choice(words) for _ in range(4)) for _ in range(n)]


def main():
    all_titles = titles(600)
    blocks = [all_titles[i:i + 50] for i in range(0, len(all_titles), 50)]
    t = time.perf_counter()
    with ThreadPoolExecutor(max_workers=4) as pool:
        results = list(pool.map(similar_in, blocks))  # FAULT lock-contention
    wall = time.perf_counter() - t
    print(sum(map(len, results)), "pairs; phase %.3f" % wall)
    print("truth %.3f" % (wall / 2))     # two processors


main()

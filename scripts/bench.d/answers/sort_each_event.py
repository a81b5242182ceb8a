"""A leaderboard kept up to date while game events come in."""
import random
import time

cost = 0.0
cpu = 0.0


class Leaderboard:
    def __init__(self):
        self.entries = []

    def add(self, player, score):
        global cost, cpu
        self.entries.append((player, score))
        c = time.thread_time()
        t = time.perf_counter()
        self.entries = sorted(self.entries, key=lambda e: -e[1])  # FAULT sorted-again
        cost += time.perf_counter() - t
        cpu += time.thread_time() - c

    def top(self, n=10):
        return self.entries[:n]


def simulate(rng, rounds=180):
    score = 0
    for r in range(rounds):
        throw = rng.randrange(1, 21)
        score += throw * (3 if r % 7 == 0 else 1)
        if score % 13 == 0:
            score -= throw
    return score


def main():
    rng = random.Random(9)
    board = Leaderboard()
    for event in range(6500):
        board.add("player%d" % (event % 700), simulate(rng))
    print(board.top(3))
    print("truth %.3f %.3f" % (cost, cpu))


main()

"""A price board: each visitor opens a board of derived quotes that follows a price feed while it is open.

What is wrong: Board.__init__ subscribes self.on_price with the feed, and nothing ever unsubscribes it; the
feed's list of listeners keeps each board that was ever opened, with its 3,000 rows, alive.

First screen should say: memory grows without bound, about 400 kB a visit and about 308 MB in the run: Board objects
(their rows, made in Board.build) are held by PriceFeed.listeners, to which `feed.subscribe(self.on_price)`
adds one at each visit; amount as printed by `truth` (growth of RSS from the 10th visit to the end).

Mend: close() must unsubscribe the board (or the feed must hold it by a weak reference).
"""
import gc
import math
import os
import random


def rss_bytes():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class PriceFeed:
    def __init__(self):
        self.prices = {f"SYM{n:03d}": 20.0 + n for n in range(300)}
        self.listeners = []
        self.rnd = random.Random(17)

    def subscribe(self, listener):
        self.listeners.append(listener)

    def unsubscribe(self, listener):
        self.listeners.remove(listener)

    def tick(self):
        symbol = self.rnd.choice(list(self.prices))
        self.prices[symbol] *= 1 + self.rnd.gauss(0, 0.01)
        for listener in self.listeners:
            listener(symbol, self.prices[symbol])


class Board:
    """Option prices for all symbols at ten strikes (Black-Scholes)."""

    def __init__(self, feed, visitor):
        self.feed, self.visitor = feed, visitor
        self.last = {}
        self.rows = self.build()
        feed.subscribe(self.on_price)  # FAULT host-memory-grows

    def on_price(self, symbol, price):
        self.last[symbol] = price

    def build(self):
        rows = []
        for symbol, price in self.feed.prices.items():
            for step in range(10):
                strike = price * (0.8 + 0.04 * step)
                rows.append((symbol, round(strike, 2), self.call(price, strike)))
        return rows

    @staticmethod
    def call(price, strike, vol=0.3, rate=0.02, years=0.5):
        spread = vol * math.sqrt(years)
        d1 = (math.log(price / strike) + (rate + vol * vol / 2) * years) / spread
        d2 = d1 - spread
        root = math.sqrt(2)
        return (price * (1 + math.erf(d1 / root)) - strike * math.exp(-rate * years) * (1 + math.erf(d2 / root))) / 2

    def render(self):
        cheap = sorted(self.rows, key=lambda row: row[2])[:20]
        return "\n".join(f"{symbol} {strike:9.2f} {value:8.3f}" for symbol, strike, value in cheap)

    def close(self):
        self.last.clear()


def visit(feed, visitor):
    board = Board(feed, visitor)
    try:
        feed.tick()
        return len(board.render())
    finally:
        board.close()


def main(visits=750):
    feed, sent, start = PriceFeed(), 0, 0
    for visitor in range(visits):
        sent += visit(feed, visitor)
        if visitor == 10:
            gc.collect()
            start = rss_bytes()
    gc.collect()
    print(f"{visits} visits, {sent} characters sent")
    print(f"truth {rss_bytes() - start} bytes")


if __name__ == "__main__":
    main()

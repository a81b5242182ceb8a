"""Replay a day of quotes and measure how orders moved the price.

Keeps the quotes of the last while in a window; for every order the price some
time before it is looked up, then slippage by trader and candles are computed.

What is wrong: the window is a deque and the look-up runs bisect on it; access
to the middle of a deque walks from an end, so each look-up costs thousands of
steps instead of twenty.
First screen should say: bisect on a deque (indexing in the middle is linear) in
QuoteWindow.before(), line 61, about 2.7 s of 3.8 s.
Mend: keep times and prices in lists and drop the old ones in blocks.
"""
import random
import time
from bisect import bisect_left
from collections import defaultdict, deque
from dataclasses import dataclass

QUOTES = 1_100_000
KEEP = 600_000          # milliseconds that the window reaches back
BLOCK = 10_000          # quotes between two blocks of orders
ORDERS = 180            # orders by block
NEEDED = 0.03            # seconds of all look-ups in the mended program


@dataclass
class Order:
    trader: str
    when: int
    side: int
    size: int


@dataclass
class Candle:
    start: int
    open: float
    high: float
    low: float
    close: float


class QuoteWindow:
    def __init__(self, keep):
        self.keep = keep
        self.times = deque()
        self.prices = deque()

    def push(self, when, price):
        self.times.append(when)
        self.prices.append(price)

    def expire(self, now):
        horizon = now - self.keep
        while self.times and self.times[0] < horizon:
            self.times.popleft()
            self.prices.popleft()

    def before(self, when):
        """Price of the last quote before `when`."""
        place = bisect_left(self.times, when)  # FAULT deque-positions
        return self.prices[max(0, place - 1)]  # FAULT deque-positions


def quotes(seed=4):
    rng = random.Random(seed)
    when, price = 0, 100.0
    gauss, step = rng.gauss, rng.random
    for _ in range(QUOTES):
        when += 1 + int(step() * 2)
        price += gauss(0, 0.01)
        yield when, price


def orders_for(now, rng):
    for _ in range(ORDERS):
        yield Order(f"trader-{rng.randrange(40)}", now - rng.randrange(1000),
                    rng.choice((-1, 1)), rng.randrange(1, 500))


def candles(stream, width=5_000):
    """Group quotes into candles of `width` milliseconds."""
    current, out = None, []
    for when, price in stream:
        start = when - when % width
        if current is None or current.start != start:
            current = Candle(start, price, price, price, price)
            out.append(current)
        current.high = max(current.high, price)
        current.low = min(current.low, price)
        current.close = price
    return out


def replay(lag_steps=(1_000, 60_000, 300_000)):
    rng = random.Random(9)
    window = QuoteWindow(KEEP)
    slippage = defaultdict(lambda: [0.0] * len(lag_steps))
    seen, spent = [], 0.0
    for number, (when, price) in enumerate(quotes(), 1):
        window.push(when, price)
        if number % 2 == 0:
            seen.append((when, price))
        if number % BLOCK:
            continue
        window.expire(when)
        block = list(orders_for(when, rng))
        started = time.perf_counter()
        for order in block:
            row = slippage[order.trader]
            for k, lag in enumerate(lag_steps):
                row[k] += order.side * order.size * (price - window.before(order.when - lag))
        spent += time.perf_counter() - started
    return slippage, seen, spent


def main():
    slippage, seen, spent = replay()
    bars = candles(seen)
    worst = min(slippage, key=lambda name: slippage[name][-1])
    print(f"{len(bars)} candles, {len(slippage)} traders, widest "
          f"{max(b.high - b.low for b in bars):.3f}")
    print(f"worst {worst}: " + " ".join(f"{v:.1f}" for v in slippage[worst]))
    print(f"truth {max(0.0, spent - NEEDED):.3f}")


if __name__ == "__main__":
    main()

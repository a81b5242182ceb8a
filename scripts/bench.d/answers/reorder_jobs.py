"""Nightly reorder jobs of a wholesaler: one job a store, each forecasts its articles and logs orders.

What is wrong: get_logger() adds a new FileHandler to the same logger each time that it is called, and each job
calls it; the 110th job writes each of its lines 110 times (the log has every line many times over).

First screen should say: logging takes about 1.2 s: Logger.info at the line in Job.run goes through up to 110
handlers for each record (4,400 records, 244,200 emits), since get_logger() adds a handler per call and
none is removed; amount as printed by `truth` (seconds in log.info). The marked line is the cause.

Mend: add the handler only if the logger has none.
"""
import logging
import math
import os
import random
import tempfile
import time

STORES, ARTICLES = 110, 40


def get_logger(path):
    logger = logging.getLogger("reorder")
    logger.setLevel(logging.INFO)
    logger.propagate = False
    handler = logging.FileHandler(path)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    logger.addHandler(handler)  # FAULT logging
    return logger


def smooth(series, alpha, beta):
    level, trend, error = series[0], 0.0, 0.0
    for value in series[1:]:
        error += (value - level - trend) ** 2
        before = level
        level = alpha * value + (1 - alpha) * (level + trend)
        trend = beta * (level - before) + (1 - beta) * trend
    return error, level + trend


class Job:
    logging_time = 0.0

    def __init__(self, store, log_path):
        self.store = store
        self.log = get_logger(log_path)
        self.rnd = random.Random(store)

    def sales(self):
        base = self.rnd.uniform(5, 80)
        return [max(0.0, base * (1 + 0.2 * math.sin(day / 7)) + self.rnd.gauss(0, base / 6)) for day in range(90)]

    def forecast(self, series):
        tries = ((smooth(series, a / 5, b / 5)) for a in range(1, 5) for b in range(1, 5))
        return min(tries)[1]

    def run(self):
        ordered = 0
        for article in range(ARTICLES):
            need = self.forecast(self.sales()) * 7
            stock = self.rnd.randrange(400)
            quantity = max(0, math.ceil((need - stock) / 12) * 12)
            started = time.perf_counter()
            self.log.info("store %03d article %03d need %.1f stock %d order %d",
                          self.store, article, need, stock, quantity)
            Job.logging_time += time.perf_counter() - started
            ordered += quantity
        return ordered


def main():
    with tempfile.TemporaryDirectory(prefix="reorder.") as folder:
        path = os.path.join(folder, "reorder.log")
        total = sum(Job(store, path).run() for store in range(STORES))
        logging.shutdown()
        print(f"ordered {total} pieces")
    print(f"truth {Job.logging_time:.3f}")


if __name__ == "__main__":
    main()

"""Event processing with debug logging that is switched off."""
import logging
import json
import random
import time

logging.basicConfig(level=logging.INFO, format="%(message)s")
log = logging.getLogger("engine")
cost = 0.0


class Engine:
    def __init__(self, accounts):
        self.state = {"acc%03d" % i: {"balance": 0, "history": [], "limit": 500 + i} for i in range(accounts)}

    def apply(self, account, amount):
        global cost
        a = self.state[account]
        if a["balance"] + amount > a["limit"]:
            amount = a["limit"] - a["balance"]
        a["balance"] += amount
        a["history"] = (a["history"] + [amount])[-5:]
        t = time.perf_counter()
        log.debug("state after %s: %s" % (account, json.dumps(self.state, sort_keys=True)))  # FAULT json logging
        cost += time.perf_counter() - t

    def interest(self):
        total = 0.0
        for a in self.state.values():
            rate = 0.01
            for day in range(250):
                total += a["balance"] * rate / 365
                rate *= 0.999
        return total


def main():
    rng = random.Random(4)
    engine = Engine(200)
    total = 0.0
    for step in range(2600):
        engine.apply("acc%03d" % rng.randrange(200), rng.randrange(-80, 120))
        if step % 60 == 0:
            total += engine.interest()
    print("%.2f" % total)
    print("truth %.3f" % cost)


main()

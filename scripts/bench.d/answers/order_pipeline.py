"""Run the nightly orders of each region through a three-stage pipeline.

What is wrong: the stages learn that a region is done only when get() times out: half a second after the last item, in
each region.
First screen should say: the threads of Stage end after a wait of 0.5 s has timed out, which main waits for.
Mend: put None behind the last item, and hand it on.
"""
import hashlib
import json
import queue
import random
import threading
import zlib

REGIONS = ("north", "south", "east", "west", "islands", "export")
ORDERS = 2000
PATIENCE = 0.5


class Stage(threading.Thread):
    """Takes items from its inbox, works on them, hands them on."""

    def __init__(self, name, work, inbox, outbox):
        super().__init__(name=name)
        self.work = work
        self.inbox = inbox
        self.outbox = outbox
        self.handled = 0

    def run(self):
        while True:
            try:
                item = self.inbox.get(timeout=PATIENCE)  # FAULT late-ends
            except queue.Empty:
                break
            self.outbox.put(self.work(item))
            self.handled += 1


def parse(line):
    order = json.loads(line)
    order["items"] = [(sku, int(count), float(price))
                      for sku, count, price in order["items"]]
    return order


def price(order):
    gross = sum(count * unit for _, count, unit in order["items"])
    discount = 0.05 if gross > 5000 else 0.0
    order["net"] = round(gross * (1 - discount), 2)
    weights = {}
    for sku, count, _ in order["items"]:
        weights[sku] = weights.get(sku, 0) + count
    order["weights"] = sorted(weights.items())
    return order


def pack(order):
    document = json.dumps(order, sort_keys=True).encode()
    return (order["number"], order["net"], zlib.compress(document, 6),
            hashlib.sha1(document).hexdigest())


def make_orders(region, rng):
    for number in range(ORDERS):
        items = [("sku%04d" % rng.randrange(3000), str(rng.randint(1, 9)),
                  "%.2f" % rng.uniform(1, 90)) for _ in range(40)]
        yield json.dumps({"region": region, "number": number, "items": items})


class Pipeline:
    def __init__(self):
        queues = [queue.Queue() for _ in range(4)]
        self.entry, self.exit = queues[0], queues[-1]
        self.stages = [
            Stage(name, work, queues[n], queues[n + 1])
            for n, (name, work) in enumerate(
                [("parse", parse), ("price", price), ("pack", pack)])
        ]

    def process(self, lines):
        for stage in self.stages:
            stage.start()
        for line in lines:
            self.entry.put(line)
        for stage in self.stages:
            stage.join()
        results = []
        while not self.exit.empty():
            results.append(self.exit.get())
        return results


def main():
    rng = random.Random(31)
    for region in REGIONS:
        results = Pipeline().process(make_orders(region, rng))
        value = sum(net for _, net, _, _ in results)
        size = sum(len(blob) for _, _, blob, _ in results)
        seal = hashlib.sha1("".join(h for *_, h in results).encode()).hexdigest()
        print("%-8s %5d orders %14.2f %9d bytes %s" % (
            region, len(results), value, size, seal[:10]))
    print("truth %.3f" % (PATIENCE * len(REGIONS)))


if __name__ == "__main__":
    main()

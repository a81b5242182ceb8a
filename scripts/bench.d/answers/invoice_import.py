"""Import invoice batches with a pool of two threads.

A batch is a CSV text with some thousand lines.  Batches that do not add up
are refused and listed at the end; the others go to the totals by customer.

What is wrong: the list of refused batches stores the exception objects; each
holds its traceback, that holds the frame of parse_batch(), and that the raw
text and the parsed rows of the batch.  They stay alive to the end.
First screen should say: memory grows by 175 MB, held by exceptions stored in
Importer.refused (line 82) through their tracebacks: `raw` and `rows` of
parse_batch().
Mend: store str(problem) (or problem.with_traceback(None)) instead of the exception.
"""
import csv
import io
import random
import sys
from collections import defaultdict, deque
from concurrent.futures import ThreadPoolExecutor

BATCHES = 330
LINES = 3500
WINDOW = 4


class BatchRefused(Exception):
    pass


def make_batch(number):
    """The text of one batch; every third has a wrong closing total."""
    rng = random.Random(number)
    out = ["customer;article;quantity;cents"]
    total = 0
    for line in range(LINES):
        quantity, cents = rng.randrange(1, 20), rng.randrange(100, 99999)
        total += quantity * cents
        out.append(f"C{rng.randrange(900):05d};A{line % 700:06d}-{number:04d};"
                   f"{quantity};{cents}")
    if number % 3 == 0:
        total += 1
    out.append(f"TOTAL;;;{total}")
    return "\n".join(out)


def parse_batch(number):
    raw = make_batch(number)
    rows = list(csv.DictReader(io.StringIO(raw), delimiter=";"))
    closing = rows.pop()
    total = 0
    for row in rows:
        total += int(row["quantity"]) * int(row["cents"])
    if closing["customer"] != "TOTAL" or total != int(closing["cents"]):
        raise BatchRefused(f"batch {number}: lines give {total}, "
                           f"closing line says {closing['cents']}")
    sums = defaultdict(int)
    for row in rows:
        sums[row["customer"]] += int(row["quantity"]) * int(row["cents"])
    return number, dict(sums)


class Importer:
    def __init__(self, workers=2):
        self.pool = ThreadPoolExecutor(workers)
        self.by_customer = defaultdict(int)
        self.accepted = 0
        self.refused = []

    def run(self, numbers):
        running = deque()
        for number in numbers:
            running.append((number, self.pool.submit(parse_batch, number)))
            if len(running) >= WINDOW:
                self.take(*running.popleft())
        while running:
            self.take(*running.popleft())
        self.pool.shutdown()

    def take(self, number, future):
        problem = future.exception()
        if isinstance(problem, BatchRefused):
            self.refused.append((number, problem))  # FAULT host-memory-grows
            return
        _, sums = future.result()
        self.accepted += 1
        for customer, cents in sums.items():
            self.by_customer[customer] += cents

    def report(self):
        top = sorted(self.by_customer.items(), key=lambda kv: -kv[1])[:5]
        print(f"{self.accepted} batches accepted, {len(self.refused)} refused")
        for customer, cents in top:
            print(f"  {customer} {cents / 100:15.2f}")
        for number, reason in self.refused[:3]:
            print(f"  refused {number}: {reason}")


def real_size(value):
    """Bytes of an object as the allocator hands them out (16 byte steps)."""
    return (sys.getsizeof(value) + 15) // 16 * 16


def row_size(row):
    # one character strings and the keys are shared
    return real_size(row) + sum(real_size(v) for v in row.values() if len(v) > 1)


def held_by_tracebacks(reasons):
    """Bytes which the frames behind the stored exceptions keep alive."""
    size = 0
    for reason in reasons:
        step = getattr(reason, "__traceback__", None)
        while step is not None:
            if step.tb_frame.f_code is parse_batch.__code__:
                rows = step.tb_frame.f_locals["rows"]
                some = rows[::50]
                size += sys.getsizeof(step.tb_frame.f_locals["raw"]) + sys.getsizeof(rows)
                size += sum(map(row_size, some)) * len(rows) // len(some)
            step = step.tb_next
    return size


def main():
    importer = Importer()
    importer.run(range(BATCHES))
    importer.report()
    held = held_by_tracebacks(reason for _, reason in importer.refused)
    print(f"truth {held / 1e6:.0f} MB")


if __name__ == "__main__":
    main()

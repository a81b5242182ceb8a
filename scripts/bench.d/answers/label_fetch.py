"""Fetches the shipping labels of a day's parcels from the carrier and packs
them for the printers.

What is wrong: fetch_labels() asks for each result in the statement after
submit(), so that one of the pool's eight threads is busy at a time.
First screen should say: each result of a pool is waited for before the next
piece of work is given to it, at the line marked FAULT.
Mend: submit all of them, then ask for the results.
"""
import hashlib
import threading
import time
import zlib
from concurrent.futures import ThreadPoolExecutor

PARCELS = 110
WORKERS = 8
BOOKING = 0.02  # what the carrier takes for one parcel


class Carrier:
    """Answers as the carrier's gateway does, over a connection for each caller."""

    def __init__(self):
        self.booked = 0
        self.lock = threading.Lock()

    def label(self, parcel):
        time.sleep(BOOKING)
        with self.lock:
            self.booked += 1
        seed = hashlib.sha256(b"label%d" % parcel).digest()
        return b"".join(hashlib.md5(seed + i.to_bytes(2, "big")).hexdigest().encode() for i in range(300))


def fetch_labels(carrier, parcels):
    labels, waited = {}, 0.0
    with ThreadPoolExecutor(max_workers=8) as pool:
        for parcel in parcels:
            future = pool.submit(carrier.label, parcel)
            began = time.perf_counter()
            labels[parcel] = future.result()  # FAULT results-at-once
            waited += time.perf_counter() - began
    return labels, waited


def pack(labels):
    return sum(len(zlib.compress(body * 4, 9)) for body in labels.values())


def main():
    carrier = Carrier()
    labels, waited = fetch_labels(carrier, range(PARCELS))
    print(f"{carrier.booked} labels, {pack(labels)} bytes")
    print("truth", waited * (1 - 1 / WORKERS))


if __name__ == "__main__":
    main()

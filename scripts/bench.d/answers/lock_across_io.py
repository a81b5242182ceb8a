"""Threads refresh prices; the cache's lock is held while the network answers."""
import http.client
import json
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

held = 0.0
waited = 0.0


class PriceCache:
    def __init__(self):
        self._lock = threading.Lock()
        self._prices = {}
        self._local = threading.local()

    def _connection(self):
        if not hasattr(self._local, "conn"):
            self._local.conn = http.client.HTTPConnection(os.environ["SERVICE"])
        return self._local.conn

    def _download(self, sku):
        conn = self._connection()
        conn.request("GET", f"/price/{sku}?delay=12")
        return json.loads(conn.getresponse().read())[0]["price"]

    def get(self, sku):
        global held, waited
        t = time.perf_counter()
        with self._lock:  # FAULT lock-contention
            t1 = time.perf_counter()
            if sku not in self._prices:
                self._prices[sku] = self._download(sku)
            held += time.perf_counter() - t1
            waited += t1 - t
            return self._prices[sku]


def value_of(cache, basket):
    return sum(cache.get(sku) * n for sku, n in basket)


def histogram(values):
    bins = {}
    for rounds in range(300):
        for v in values:
            key = int(v) // 50 + rounds % 3
            bins[key] = bins.get(key, 0) + 1
    return bins


def main():
    cache = PriceCache()
    baskets = [[(f"{b}-{i}", i + 1) for i in range(6)] for b in range(32)]
    t = time.perf_counter()
    with ThreadPoolExecutor(8) as pool:
        values = list(pool.map(lambda b: value_of(cache, b), baskets))
    wall = time.perf_counter() - t
    print(len(histogram(values)), "bins; phase %.3f held %.3f waited by all threads %.3f" % (wall, held, waited))
    print("truth %.3f" % (wall - held / 8))


main()

"""Simulates visitors who move among pages of a site, each page as likely as its weight.

What is wrong: random.choices(pages, weights=...) with one draw per call adds up all 6000 weights on every call.
First screen should say: the time is in random.choices called from Site.next_page (itertools.accumulate over 6000 weights
for each single draw).
Mend: pass cum_weights, which is computed once.
"""
import collections
import itertools
import random
import time

PAGES = 6000


class Site:
    def __init__(self, rng):
        self.rng = rng
        self.pages = [f"/shop/{i % 60}/item-{i}.html" for i in range(PAGES)]
        self.weights = [1 / (1 + i * 7919 % PAGES) for i in range(PAGES)]
        self.cumulated = list(itertools.accumulate(self.weights))
        self.drawing = 0.0
        self.drawn = 0

    def next_page(self):
        began = time.perf_counter()
        page = self.rng.choices(self.pages, weights=self.weights)[0]  # FAULT random-choices
        self.drawing += time.perf_counter() - began
        self.drawn += 1
        return page

    def walk(self, length):
        for _ in range(length):
            yield self.next_page()


class Sessions:
    def __init__(self):
        self.views = collections.Counter()
        self.pairs = collections.Counter()
        self.depth = collections.Counter()

    def add(self, walk, clock):
        last = None
        for page in walk:
            section = page.split("/")[2]
            self.views[page] += 1
            for window in (60, 300, 3600):
                self.depth[section, clock // window % 24] += 1
            if last is not None:
                self.pairs[last, section] += 1
            last = section
            clock += len(page)
        return clock


def entropy(counter):
    import math
    total = sum(counter.values())
    return -sum(n / total * math.log2(n / total) for n in counter.values())


rng = random.Random(21)
site = Site(rng)
sessions = Sessions()
clock = 0
for visitor in range(5400):
    clock = sessions.add(site.walk(3 + visitor % 9), clock)
    if visitor % 20 == 0:
        entropy(sessions.views), entropy(sessions.pairs)
print("views", sum(sessions.views.values()), "entropy", round(entropy(sessions.pairs), 4))
began = time.perf_counter()
for _ in range(200):
    rng.choices(site.pages, cum_weights=site.cumulated)
print("truth", site.drawing - site.drawn * (time.perf_counter() - began) / 200)

"""Crawl frontier: extract links and remember what was seen."""
import time

cost = 0.0
cpu = 0.0


def links_of(page, n):
    body = "".join('<a href="http://host/p/%d/%d">x</a>' % (i % 31, (page * 37 + i * i) % 19000) for i in range(n))
    out = []
    at = 0
    while (at := body.find('href="', at)) >= 0:
        end = body.index('"', at + 6)
        out.append(body[at + 6:end].lower().rstrip("/"))
        at = end
    return out


class Frontier:
    def __init__(self):
        self.seen = []
        self.todo = []

    def add(self, url):
        global cost, cpu
        c = time.thread_time()
        t = time.perf_counter()
        known = url in self.seen  # FAULT list-searches
        cost += time.perf_counter() - t
        cpu += time.thread_time() - c
        if not known:
            self.seen.append(url)
            self.todo.append(url)


def main():
    frontier = Frontier()
    total = 0
    for page in range(300):
        for url in links_of(page, 60):
            frontier.add(url)
        for page_again in range(20):
            total += len(links_of(page * page_again, 60))
    print(len(frontier.seen), total)
    print("truth %.3f %.3f" % (cost, cpu))


main()

"""Report server: answers are cached by their request, which carries a unique id."""
import hashlib
import time

_cache = {}
kept = 0


def build_report(request):
    rows = []
    digest = hashlib.sha256(request["id"].encode()).hexdigest()
    for n in range(700):
        rows.append((n, "%s-%d" % (digest[:16], n), n * request["factor"]))
    return rows


def answer(request):
    key = (request["id"], request["factor"])
    if key not in _cache:
        _cache[key] = build_report(request)  # FAULT host-memory-grows
    return _cache[key]


def total(rows):
    s = 0.0
    for n, name, value in rows:
        s += value if name[-1] != "7" else -value
    return s


def rss_kib():
    with open("/proc/self/status") as f:
        return int([line for line in f if line.startswith("VmRSS")][0].split()[1])


def main():
    start_kib = rss_kib()
    t0 = time.perf_counter()
    result = 0.0
    n = 0
    while time.perf_counter() - t0 < 4.0 and n < 2500:
        rows = answer({"id": "req-%d" % n, "factor": n % 7 + 0.5})
        result += total(rows)
        time.sleep(0.0005)
        n += 1
    rss = rss_kib()
    print("%.1f, %d requests" % (result, n))
    print("truth %d bytes" % ((rss - start_kib) * 1024))


main()

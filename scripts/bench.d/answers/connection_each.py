"""Synchronise the catalogue of a shop with the supplier's API."""
import os
import time
import requests

BASE = "http://" + os.environ["SERVICE"]
cost = 0.0


def get_item(item_id):
    global cost
    t = time.perf_counter()
    r = requests.get(f"{BASE}/catalogue/{item_id}", timeout=5)  # FAULT network-waits
    cost += time.perf_counter() - t
    r.raise_for_status()
    return r.json()[0]


def normalise(item):
    words = item["name"].split()
    slug = "-".join(w.lower() for w in words)
    return {"slug": slug, "price": round(item["price"] * 1.19, 2), "tags": sorted(item["tags"])}


def render(catalogue):
    out = []
    for page in range(40):
        for slug, item in catalogue.items():
            out.append(f"<li>{page} {slug}: {item['price']:.2f} {','.join(item['tags'])}</li>")
    return "\n".join(out)


def main():
    catalogue = {}
    n = 320
    for item_id in range(n):
        item = normalise(get_item(item_id))
        catalogue[item["slug"]] = item
    html = render(catalogue)
    # what it would have taken with one session
    s = requests.Session()
    s.get(f"{BASE}/catalogue/0")
    t = time.perf_counter()
    for item_id in range(30):
        s.get(f"{BASE}/catalogue/{item_id}")
    each = (time.perf_counter() - t) / 30
    print(len(html), "bytes; cost %.3f" % cost)
    print("truth %.3f" % (cost - n * each))


main()

"""Download a list of pages with a pool, then index their words."""
import os
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor, as_completed

BASE = "http://" + os.environ["SERVICE"]
MAX_WORKERS = 2


def download(page):
    with urllib.request.urlopen(f"{BASE}/page/{page}?delay=50") as r:  # FAULT few-workers
        return page, r.read()


def index(pages):
    words = {}
    for rounds in range(400):
        for number, body in pages.items():
            for word in body.decode().split():
                words.setdefault(word, set()).add(number)
    return words


def main():
    pages = {}
    t = time.perf_counter()
    with ThreadPoolExecutor(max_workers=MAX_WORKERS) as pool:  # FAULT few-workers
        futures = [pool.submit(download, n) for n in range(90)]
        for f in as_completed(futures):
            number, body = f.result()
            pages[number] = body
    wall = time.perf_counter() - t
    words = index(pages)
    print(len(words), "words; phase %.3f" % wall)
    print("truth %.3f" % (wall - wall * MAX_WORKERS / 16))


main()

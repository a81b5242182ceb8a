"""Synchronise a shop's catalogue with a supplier's web service (a stub on localhost) and price it.

What is wrong: the retry decorator catches URLError, of which HTTPError is a subclass, so a plain
"404 discontinued" -- final, it will not go away -- is tried four times with exponential back-off.

First screen should say: about 3.4 s of the run is time.sleep in retry() (the back-off line), all of it
for the 12 articles that answer 404 each time (caught by `except URLError`); amount as printed by
`truth`. The marked line is the cause; the sleep a few lines below it is where the time goes by.

Mend: do not retry an HTTPError below 500; raise it at once.
"""
import functools
import json
import threading
import time
from decimal import Decimal, ROUND_HALF_UP
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

ARTICLES = 120
GONE = set(range(7, ARTICLES, 10))
waited = 0.0


class Supplier(BaseHTTPRequestHandler):
    def do_GET(self):
        number = int(self.path.rsplit("/", 1)[1])
        if number in GONE:
            self.send_error(404, "discontinued")
            return
        tiers = [[q, f"{(number + 3) * 1.37 / (1 + q / 500):.4f}"] for q in range(1, 1500)]
        body = json.dumps({"article": number, "tiers": tiers, "stock": number * 13 % 90}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


def retry(attempts=4, first_delay=0.04):
    def decorate(func):
        @functools.wraps(func)
        def wrapper(*args):
            global waited
            delay = first_delay
            for attempt in range(1, attempts + 1):
                try:
                    return func(*args)
                except URLError:  # FAULT sleeping
                    if attempt == attempts:
                        raise
                    started = time.perf_counter()
                    time.sleep(delay)
                    waited += time.perf_counter() - started
                    delay *= 2
        return wrapper
    return decorate


class Client:
    def __init__(self, base):
        self.base = base

    @retry()
    def article(self, number):
        with urlopen(f"{self.base}/article/{number}", timeout=5) as answer:
            return json.load(answer)


def price_list(article, margin=Decimal("1.22"), vat=Decimal("1.19")):
    cent = Decimal("0.01")
    return {quantity: (Decimal(cost) * margin * vat).quantize(cent, ROUND_HALF_UP)
            for quantity, cost in article["tiers"]}


def sync(client):
    prices, withdrawn = {}, []
    for number in range(ARTICLES):
        try:
            article = client.article(number)
        except HTTPError as problem:
            if problem.code != 404:
                raise
            withdrawn.append(number)
            continue
        prices[number] = price_list(article)
    return prices, withdrawn


def main():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Supplier)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    prices, withdrawn = sync(Client(f"http://127.0.0.1:{server.server_port}"))
    total = sum(sum(tiers.values()) for tiers in prices.values())
    print(f"{len(prices)} priced, {len(withdrawn)} withdrawn, check sum {total}")
    print(f"truth {waited:.3f}")


if __name__ == "__main__":
    main()

"""SOUND: downloads with enough workers, each with a connection that is kept."""
import http.client
import json
import os
import threading
from concurrent.futures import ThreadPoolExecutor

local = threading.local()


def download(n):
    if not hasattr(local, "conn"):
        local.conn = http.client.HTTPConnection(os.environ["SERVICE"])
    local.conn.request("GET", f"/doc/{n}?delay=60")
    return json.loads(local.conn.getresponse().read())[0]


def main():
    with ThreadPoolExecutor(24) as pool:
        docs = list(pool.map(download, range(900)))
    print(len(docs), sum(d["price"] for d in docs) > 0)


main()

"""Fetch map tiles from a tile server with a thread pool and compute a height profile.

What is wrong: fetch_all() calls .result() right after each submit(), so the
pool of 8 threads has one request under way at any time.
First screen should say: the main thread waits N seconds in Future.result() in
fetch_all, directly after submit: only one of 8 pool threads is busy at a time
(with 8 at once about 7/8 of N would go).
Mend: submit all first (or pool.map), then collect the results.
"""
import array
import http.client
import http.server
import math
import threading
import time
from concurrent.futures import ThreadPoolExecutor

SIZE = 128


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16

    def do_GET(self):
        time.sleep(0.035)  # stands for the distance to the tile server
        x, y = (int(p) for p in self.path.strip("/").split("/"))
        tile = array.array("H", [(x * 131 + y * 17 + i * 7) % 4000 for i in range(SIZE * SIZE)])
        body = tile.tobytes()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


class TileClient:
    def __init__(self, port):
        self.port = port
        self.local = threading.local()

    def get(self, x, y):
        conn = getattr(self.local, "conn", None)
        if conn is None:
            conn = self.local.conn = http.client.HTTPConnection("127.0.0.1", self.port)
        conn.request("GET", "/%d/%d" % (x, y))
        tile = array.array("H")
        tile.frombytes(conn.getresponse().read())
        return tile


def fetch_all(client, wanted):
    tiles, waited = {}, 0.0
    with ThreadPoolExecutor(max_workers=8) as pool:
        t0 = time.perf_counter()
        for xy in wanted:
            tiles[xy] = pool.submit(client.get, *xy).result()  # FAULT results-at-once
        waited += time.perf_counter() - t0
    return tiles, waited


def slope(tile):
    worst = 0.0
    for row in range(SIZE - 1):
        base = row * SIZE
        for col in range(SIZE - 1):
            h = tile[base + col]
            dx, dy = tile[base + col + 1] - h, tile[base + SIZE + col] - h
            worst = max(worst, math.hypot(dx, dy))
    return worst


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    wanted = [(x, y) for x in range(9) for y in range(9)]
    tiles, waited = fetch_all(TileClient(server.server_port), wanted)
    profile = {xy: slope(t) for xy, t in tiles.items()}
    print(len(profile), "tiles, steepest %.1f" % max(profile.values()))
    print("truth %.3f" % (waited * 7 / 8))  # with eight at once


if __name__ == "__main__":
    main()

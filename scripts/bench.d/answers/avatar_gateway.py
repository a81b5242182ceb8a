"""A gateway that delivers pictures of members, with a store behind it.

Four threads serve requests; pictures come from a slow picture store (a TCP
server in this process) and stay in a cache.  The pictures are then put
together to pages in the main thread.

What is wrong: PictureCache.get() holds its lock while it fetches from the
store, so all threads stand in line and the store answers one at a time.
First screen should say: three of four threads wait for PictureCache.lock, which
is held during the fetch (network) at line 79, about 2.0 s of 3.5 s of wall time.
Mend: hold the lock only for the look-up and for the entry, fetch outside.
"""
import hashlib
import random
import socketserver
import socket
import threading
import time
import zlib

MEMBERS = 200
REQUESTS = 520
THREADS = 4
STORE_DELAY = 0.014     # what the store needs for one picture
SIZE = 48


class StoreHandler(socketserver.StreamRequestHandler):
    """Answers `name\\n` with a packed picture."""

    def handle(self):
        for line in self.rfile:
            time.sleep(STORE_DELAY)
            data = zlib.compress(paint(line.strip().decode()), 1)
            self.wfile.write(len(data).to_bytes(4, "big") + data)


class Store(socketserver.ThreadingTCPServer):
    daemon_threads = True


def paint(name):
    seed = hashlib.sha256(name.encode()).digest()
    return bytes((seed[x % 32] * (y + 1) + x) & 255 for y in range(SIZE) for x in range(SIZE))


class StoreClient:
    def __init__(self, address):
        self.address = address
        self.local = threading.local()

    def fetch(self, name):
        conn = getattr(self.local, "conn", None)
        if conn is None:
            conn = self.local.conn = socket.create_connection(self.address)
            self.local.file = conn.makefile("rb")
        conn.sendall(name.encode() + b"\n")
        size = int.from_bytes(self.local.file.read(4), "big")
        return zlib.decompress(self.local.file.read(size))

    def close(self):
        self.local.file.close()
        self.local.conn.close()


class PictureCache:
    def __init__(self, client):
        self.client = client
        self.lock = threading.Lock()
        self.pictures = {}
        self.stood = []         # seconds in the queue for the lock

    def get(self, name):
        asked = time.perf_counter()
        with self.lock:
            self.stood.append(time.perf_counter() - asked)
            picture = self.pictures.get(name)
            if picture is None:
                picture = self.pictures[name] = self.client.fetch(name)  # FAULT lock-contention
            return picture


def serve(cache, names, out):
    for name in names:
        out.append((name, cache.get(name)))
    cache.client.close()


def blur(picture):
    out = bytearray(picture)
    for y in range(1, SIZE - 1):
        row = y * SIZE
        for x in range(1, SIZE - 1):
            i = row + x
            out[i] = (picture[i - 1] + picture[i + 1] + picture[i - SIZE]
                      + picture[i + SIZE] + 4 * picture[i]) >> 3
    return bytes(out)


def make_page(pictures):
    page = hashlib.sha1()
    for _, picture in pictures:
        for _ in range(3):
            picture = blur(picture)
        page.update(picture)
    return page.hexdigest()


def main():
    store = Store(("127.0.0.1", 0), StoreHandler)
    threading.Thread(target=store.serve_forever, kwargs={"poll_interval": 0.05},
                     daemon=True).start()
    cache = PictureCache(StoreClient(store.server_address))
    rng = random.Random(12)
    # every thread serves its own members, some of them often
    lots = [[f"member-{rng.randrange(k, MEMBERS, THREADS)}" for _ in range(REQUESTS // THREADS)]
            for k in range(THREADS)]
    outs = [[] for _ in lots]
    threads = [threading.Thread(target=serve, args=(cache, lot, out))
               for lot, out in zip(lots, outs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    store.shutdown()
    store.server_close()
    pages = [make_page(out) for out in outs]
    print(f"{sum(map(len, outs))} requests, {len(cache.pictures)} pictures")
    print(" ".join(page[:10] for page in pages))
    print(f"truth {sum(cache.stood) / THREADS:.3f}")


if __name__ == "__main__":
    main()

"""Mirrors the files of a local server with a pool of threads over kept connections; the server's line is the limit."""
import concurrent.futures
import hashlib
import http.client
import http.server
import os
import random
import threading
import time

FILES = 90
RATE = 12e6  # bytes a second over the line
STEP = 32768


def content(number):
    return random.Random(number).randbytes(200_000 + number * 4561 % 400_000)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    line, free = threading.Lock(), 0.0

    def do_GET(self):
        body = content(int(self.path.rsplit("/", 1)[1]))
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        for at in range(0, len(body), STEP):
            part = body[at : at + STEP]
            with self.line:  # held to take a place in the queue, not while it waits there
                Handler.free = max(Handler.free, time.monotonic()) + len(part) / RATE
                turn = Handler.free
            time.sleep(max(0.0, turn - time.monotonic()))
            self.wfile.write(part)

    def log_message(self, *arguments):
        pass


def serve(pipe):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    os.write(pipe, b"%d" % server.server_address[1])
    server.serve_forever()


class Mirror:
    def __init__(self, port, folder):
        self.port = port
        self.folder = folder
        self.local = threading.local()
        os.makedirs(folder, exist_ok=True)

    def connection(self):
        if not hasattr(self.local, "connection"):
            self.local.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        return self.local.connection

    def fetch(self, number):
        connection = self.connection()
        connection.request("GET", "/files/%d" % number)
        response = connection.getresponse()
        digest = hashlib.sha256()
        size = 0
        with open(os.path.join(self.folder, "%03d.bin" % number), "wb") as out:
            while part := response.read(65536):
                digest.update(part)
                out.write(part)
                size += len(part)
        return number, size, digest.hexdigest()


def main():
    end, pipe = os.pipe()
    child = os.fork()
    if child == 0:
        serve(pipe)
    mirror = Mirror(int(os.read(end, 16)), "mirror")
    listing = hashlib.sha256()
    total = 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=6, thread_name_prefix="fetch") as pool:
        for number, size, digest in pool.map(mirror.fetch, range(FILES)):
            listing.update(b"%d %s\n" % (number, digest.encode()))
            total += size
    os.kill(child, 15)
    os.waitpid(child, 0)
    print("files", FILES, "bytes", total, "listing", listing.hexdigest()[:16])


main()

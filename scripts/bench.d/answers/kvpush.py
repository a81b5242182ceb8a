"""Push documents to a key-value server over one kept-open connection and read back receipts.

What is wrong: Client.put() sends the header and the body with two small
send()s on a socket without TCP_NODELAY: Nagle holds the second back until the
peer's delayed acknowledgement comes, about 40 ms for every request.
First screen should say: the client waits N seconds in recv (Client.put, the
read of the receipt), about 40 ms each, while the server waits too and neither
uses CPU: write-write-read with Nagle and delayed ACK; not slow work at the server.
Mend: sendall(header + body) in one call (or set TCP_NODELAY).
"""
import json
import random
import socket
import struct
import threading
import time
import zlib


class Server(threading.Thread):
    def __init__(self):
        super().__init__(daemon=True)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = self.listener.getsockname()
        self.store = {}

    def run(self):
        conn, _ = self.listener.accept()
        with conn, conn.makefile("rb") as f:
            while True:
                head = f.read(8)
                if len(head) < 8:
                    return
                key, size = struct.unpack("!II", head)
                body = f.read(size)
                self.store[key] = zlib.crc32(body)
                conn.sendall(struct.pack("!I", self.store[key]))


class Client:
    def __init__(self, address):
        self.sock = socket.create_connection(address)
        self.waited = 0.0

    def _read(self, n):
        data = b""
        while len(data) < n:
            part = self.sock.recv(n - len(data))
            if not part:
                raise ConnectionError("server went away")
            data += part
        return data

    def put(self, key, body):
        t0 = time.perf_counter()
        self.sock.sendall(struct.pack("!II", key, len(body)))
        self.sock.sendall(body)  # FAULT network-waits
        (crc,) = struct.unpack("!I", self._read(4))
        self.waited += time.perf_counter() - t0
        return crc

    def close(self):
        self.sock.close()


def document(rnd, number):
    words = ["w%04x" % rnd.getrandbits(12) for _ in range(2500)]
    counts = {}
    for w in words:
        counts[w] = counts.get(w, 0) + 1
    top = sorted(counts.items(), key=lambda p: (-p[1], p[0]))[:25]
    return json.dumps({"id": number, "top": top, "words": len(counts)}).encode()


def main():
    server = Server()
    server.start()
    client, rnd, bad = Client(server.address), random.Random(2), 0
    for i in range(60):
        docs = [document(rnd, i * 14 + k) for k in range(14)]
        body = zlib.compress(b"\n".join(docs), 6)
        bad += client.put(i, body) != zlib.crc32(body)
    client.close()
    print("stored", len(server.store), "bad", bad)
    print("truth %.3f" % client.waited)


if __name__ == "__main__":
    main()

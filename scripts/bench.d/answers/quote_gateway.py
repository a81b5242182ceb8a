"""A small quote service on loopback and a client asking it for a portfolio.

What is wrong: the client sends the head and the body of a request in two calls without TCP_NODELAY: the body is held
back until the server's delayed acknowledgement, some 40 ms for each request.
First screen should say: the two sendall() of QuoteClient.send_message wait for each other, 2.6 s in all.
Mend: send both in one call.
"""
import json
import math
import socket
import socketserver
import struct
import threading
import time

HEADER = struct.Struct("!IH")
QUOTES = 64
STEPS = 640


class Lattice:
    """Binomial lattice for an American put."""

    def __init__(self, spot, strike, rate, vol, years, steps):
        self.spot, self.strike = spot, strike
        dt = years / steps
        self.steps = steps
        self.up = math.exp(vol * math.sqrt(dt))
        growth = math.exp(rate * dt)
        self.discount = 1.0 / growth
        self.prob = (growth - 1 / self.up) / (self.up - 1 / self.up)

    def value(self):
        spots = [self.spot * self.up ** (2 * k - self.steps)
                 for k in range(self.steps + 1)]
        values = [max(self.strike - s, 0.0) for s in spots]
        p = self.prob * self.discount
        q = (1 - self.prob) * self.discount
        strike = self.strike
        for level in range(self.steps - 1, -1, -1):
            spots = [s * self.up for s in spots[:level + 1]]
            values = [max(strike - s, q * lo + p * hi) for s, lo, hi
                      in zip(spots, values, values[1:])]
        return values[0]


class QuoteHandler(socketserver.StreamRequestHandler):
    def handle(self):
        while True:
            head = self.rfile.read(HEADER.size)
            if len(head) < HEADER.size:
                return
            length, kind = HEADER.unpack(head)
            began = time.perf_counter()
            body = self.rfile.read(length)
            self.server.waited += time.perf_counter() - began
            request = json.loads(body)
            answer = self.answer(kind, request)
            self.wfile.write(HEADER.pack(len(answer), kind) + answer)

    def answer(self, kind, request):
        value = Lattice(steps=STEPS, **request).value()
        return json.dumps({"kind": kind, "value": round(value, 6)}).encode()


class QuoteServer(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True
    waited = 0.0


class QuoteClient:
    def __init__(self, address):
        self.sock = socket.create_connection(address)
        self.reader = self.sock.makefile("rb")

    def send_message(self, kind, body):
        self.sock.sendall(HEADER.pack(len(body), kind))  # FAULT network-waits
        self.sock.sendall(body)  # FAULT network-waits

    def read_message(self):
        length, kind = HEADER.unpack(self.reader.read(HEADER.size))
        return kind, self.reader.read(length)

    def quote(self, **terms):
        self.send_message(1, json.dumps(terms).encode())
        _, body = self.read_message()
        return json.loads(body)["value"]

    def close(self):
        self.reader.close()
        self.sock.close()


def portfolio():
    for n in range(QUOTES):
        yield dict(spot=90.0 + n * 0.25, strike=100.0, rate=0.02 + 0.0002 * n,
                   vol=0.15 + 0.002 * (n % 17), years=0.5 + (n % 4) * 0.25)


def main():
    server = QuoteServer(("127.0.0.1", 0), QuoteHandler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    client = QuoteClient(server.server_address)
    total = 0.0
    worst = None
    for terms in portfolio():
        value = client.quote(**terms)
        total += value
        if worst is None or value > worst[0]:
            worst = (value, terms["spot"])
    client.close()
    server.shutdown()
    server.server_close()
    print("portfolio %.4f, dearest %.4f at spot %.2f" % (total, *worst))
    print("truth %.3f" % server.waited)


if __name__ == "__main__":
    main()

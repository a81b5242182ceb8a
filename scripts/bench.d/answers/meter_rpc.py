"""A calibration bench: asks a gauge server for samples, fits curves.

Server and client live in one process and speak a small framed protocol over
one TCP connection: 4 bytes of length, 1 byte of command, then JSON.

What is wrong: the client sends head and body of a request with two small
sendall() calls; Nagle's algorithm holds the second until the first is
acknowledged, the server delays that acknowledgement by 40 ms.
First screen should say: waiting in recv for each answer about 40 ms (Nagle and
delayed ACK) because of two small sends, GaugeClient.ask() line 73, together
about 2.5 s of 4.5 s.
Mend: send head and body in one sendall() (or set TCP_NODELAY).
"""
import json
import math
import random
import socket
import struct
import threading
import time

GAUGES = 60
SAMPLES = 60
HEAD = struct.Struct("<IB")
CMD_SAMPLE, CMD_BYE = 1, 2
QUICK = 0.00015     # seconds of one answer without the stall


def receive(conn, size):
    parts = bytearray()
    while len(parts) < size:
        part = conn.recv(size - len(parts))
        if not part:
            raise ConnectionError("closed by peer")
        parts += part
    return bytes(parts)


class GaugeServer(threading.Thread):
    def __init__(self):
        super().__init__(daemon=True)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]

    def run(self):
        conn, _ = self.listener.accept()
        with conn:
            while True:
                size, command = HEAD.unpack(receive(conn, HEAD.size))
                body = json.loads(receive(conn, size))
                if command == CMD_BYE:
                    return
                answer = json.dumps(self.samples(body["gauge"], body["count"])).encode()
                conn.sendall(HEAD.pack(len(answer), command) + answer)

    @staticmethod
    def samples(gauge, count):
        rng = random.Random(gauge)
        slope, bend = rng.uniform(0.8, 1.2), rng.uniform(0.01, 0.05)
        return [round(slope * k + bend * k * k + rng.gauss(0, 0.05), 4)
                for k in range(count)]


class GaugeClient:
    def __init__(self, port):
        self.conn = socket.create_connection(("127.0.0.1", port))
        self.waited = 0.0
        self.asked = 0

    def ask(self, command, **fields):
        body = json.dumps(fields).encode()
        self.conn.sendall(HEAD.pack(len(body), command))
        self.conn.sendall(body)  # FAULT network-waits
        if command == CMD_BYE:
            return None
        size, _ = HEAD.unpack(receive(self.conn, HEAD.size))
        return json.loads(receive(self.conn, size))

    def samples(self, gauge):
        started = time.perf_counter()
        answer = self.ask(CMD_SAMPLE, gauge=gauge, count=SAMPLES)
        self.waited += time.perf_counter() - started
        self.asked += 1
        return answer

    def close(self):
        self.ask(CMD_BYE)
        self.conn.close()


def fit(values, rounds=4200):
    """Slope and bend of the curve by gradient descent."""
    slope, bend = 1.0, 0.0
    scale = len(values)
    for _ in range(rounds):
        by_slope = by_bend = 0.0
        for k, value in enumerate(values):
            x = k / scale
            miss = slope * x + bend * x * x - value / scale
            by_slope += miss * x
            by_bend += miss * x * x
        slope -= 1.5 * by_slope / scale
        bend -= 1.5 * by_bend / scale
    return slope, bend / scale


def spread(values, slope, bend):
    return math.sqrt(sum((slope * k + bend * k * k - v) ** 2
                         for k, v in enumerate(values)) / len(values))


def main():
    server = GaugeServer()
    server.start()
    client = GaugeClient(server.port)
    curves = []
    for gauge in range(GAUGES):
        values = client.samples(gauge)
        slope, bend = fit(values)
        curves.append((gauge, slope, bend, spread(values, slope, bend)))
    client.close()
    server.join()
    server.listener.close()
    worst = max(curves, key=lambda c: c[3])
    print(f"{len(curves)} gauges, mean slope {sum(c[1] for c in curves) / GAUGES:.4f}")
    print(f"worst gauge {worst[0]}: spread {worst[3]:.3f}")
    print(f"truth {client.waited - client.asked * QUICK:.3f}")


if __name__ == "__main__":
    main()

"""Sends readings to a store by a little binary protocol, one call at a time.

What is wrong: each call goes out as two small writes (header, then body) on a socket without TCP_NODELAY: Nagle's
algorithm holds the second back until the first is acknowledged, and the other side delays that acknowledgement by 40 ms.
First screen should say: the program waits 40 ms in recv for each answer though the server is idle too - the pattern of a
write-write-read with Nagle and delayed acknowledgements at Rpc.call.
Mend: one sendall of header and body together (or set TCP_NODELAY).
"""
import os
import socket
import struct
import time
import zlib

HEADER = struct.Struct("!IHH")


def receive(sock, n):
    data = b""
    while len(data) < n:
        more = sock.recv(n - len(data))
        if not more:
            raise EOFError
        data += more
    return data


class Store:
    def __init__(self, sock):
        self.sock = sock
        self.kept = {}

    def serve(self):
        while True:
            try:
                length, kind, key = HEADER.unpack(receive(self.sock, HEADER.size))
                body = receive(self.sock, length)
            except EOFError:
                return
            self.kept[kind, key] = body
            self.sock.sendall(HEADER.pack(4, kind, key) + struct.pack("!I", zlib.crc32(body)))


class Rpc:
    def __init__(self, address):
        self.sock = socket.create_connection(address)
        self.took = []

    def call(self, kind, key, body):
        began = time.perf_counter()
        self.sock.sendall(HEADER.pack(len(body), kind, key))
        self.sock.sendall(body)  # FAULT network-waits
        length, _, _ = HEADER.unpack(receive(self.sock, HEADER.size))  # FAULT network-waits
        answer = receive(self.sock, length)
        self.took.append(time.perf_counter() - began)
        return struct.unpack("!I", answer)[0]


class Sensor:
    def __init__(self, number):
        self.state = number * 2654435761 % 2 ** 32

    def samples(self, n):
        for _ in range(n):
            self.state = (self.state * 1664525 + 1013904223) % 2 ** 32
            yield self.state >> 20

    def summary(self, n):
        low, high, total, changes, last = 1 << 12, 0, 0, 0, 0
        for value in self.samples(n):
            low = value if value < low else low
            high = value if value > high else high
            total += value
            changes += (value > 2048) != (last > 2048)
            last = value
        return struct.pack("!IIII", low, high, total // n, changes)


listener = socket.create_server(("127.0.0.1", 0))
if os.fork() == 0:
    connection, _ = listener.accept()
    listener.close()
    Store(connection).serve()
    os._exit(0)
rpc = Rpc(listener.getsockname())
listener.close()
sums = 0
for i in range(70):
    sums ^= rpc.call(1, i, Sensor(i).summary(60000))
usual = min(rpc.took)
rpc.sock.close()
os.wait()
print("sums", sums)
print("truth", sum(rpc.took) - usual * len(rpc.took))

"""Takes in telemetry over TCP: length-prefixed frames, counted by kind and summed by vehicle.

What is wrong: the protocol cuts each frame off the front of its receive buffer by making a new bytes object of all the
rest, so every chunk of up to 256 KB is copied again for each of its two thousand frames.
First screen should say: Intake.data_received spends most of the time copying the rest of the receive buffer
(self.buffer = self.buffer[...]) at every frame; the copying grows with the square of what has arrived at once.
Mend: keep an offset, and cut the buffer once when all its whole frames are read.
"""
import asyncio
import os
import socket
import struct
import time

FRAMES = 900_000
HEAD = struct.Struct(">IHd")


def vehicle(address):
    """The other end: sends all frames as fast as they are taken."""
    link = socket.create_connection(address)
    batch = bytearray()
    for i in range(FRAMES):
        body = HEAD.pack(i % 977, i % 5, (i * 31 % 1000) / 8) + b"\x55" * (60 + i % 64)
        batch += len(body).to_bytes(4, "big") + body
        if len(batch) > 1 << 20:
            link.sendall(batch)
            batch.clear()
    link.sendall(batch)
    link.close()
    os._exit(0)


class Intake(asyncio.Protocol):
    def __init__(self, finished):
        self.finished = finished
        self.buffer = b""
        self.kinds = [0] * 5
        self.sums = {}
        self.spent = 0.0

    def data_received(self, data):
        self.buffer += data
        while len(self.buffer) >= 4:
            end = 4 + int.from_bytes(self.buffer[:4], "big")
            if len(self.buffer) < end:
                break
            self.frame(self.buffer[4:end])
            began = time.perf_counter()
            self.buffer = self.buffer[end:]  # FAULT slice-copies
            self.spent += time.perf_counter() - began

    def frame(self, body):
        number, kind, value = HEAD.unpack_from(body)
        self.kinds[kind] += 1
        self.sums[number] = self.sums.get(number, 0.0) + value

    def connection_lost(self, error):
        self.finished.set_result(self)


async def main():
    loop = asyncio.get_running_loop()
    finished = loop.create_future()
    server = await loop.create_server(lambda: Intake(finished), "127.0.0.1", 0)
    address = server.sockets[0].getsockname()
    child = os.fork()
    if child == 0:
        vehicle(address)
    intake = await finished
    server.close()
    os.waitpid(child, 0)
    print("frames", sum(intake.kinds), intake.kinds)
    best = max(intake.sums, key=lambda number: (intake.sums[number], number))
    print("vehicle", best, "%.3f" % intake.sums[best])
    print("truth %.3f" % intake.spent)


asyncio.run(main())

"""Polls the controllers of a plant over their line protocol.

The vendor driver is blocking, so the collector moves every exchange off the
event loop.  The controllers are simulated in a background thread.

What is wrong: asyncio.to_thread() shares min(32, processors + 4) threads: of 36 exchanges that wait 0.2 s each, most
wait for a thread.
First screen should say: the tasks that gather() waits for wait for threads of the loop's own executor, 3 s.
Mend: an executor with a thread for each device.
"""
import asyncio
import math
import os
import random
import socket
import threading
import time


class ControllerSimulator(threading.Thread):
    """Answers `READ <id> <sweep>` with a burst of samples after a scan cycle."""

    SCAN_CYCLE = 0.2

    def __init__(self):
        super().__init__(daemon=True)
        self._ready = threading.Event()
        self._loop = None
        self.port = None

    def run(self):
        asyncio.run(self._serve())

    async def _serve(self):
        self._loop = asyncio.get_running_loop()
        self._finished = asyncio.Event()
        server = await asyncio.start_server(self._answer, "127.0.0.1", 0, backlog=256)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        async with server:
            await self._finished.wait()

    async def _answer(self, reader, writer):
        request = (await reader.readline()).split()
        device, sweep = int(request[1]), int(request[2])
        await asyncio.sleep(self.SCAN_CYCLE)
        rnd = random.Random(device * 100 + sweep)
        values = (f"{rnd.gauss(50, 4):.3f}" for _ in range(400))
        writer.write((" ".join(values) + "\n").encode())
        await writer.drain()
        writer.close()

    def start_and_wait(self):
        self.start()
        self._ready.wait()
        return self.port

    def shutdown(self):
        self._loop.call_soon_threadsafe(self._finished.set)
        self.join()


class VendorDriver:
    def __init__(self, port):
        self._address = ("127.0.0.1", port)

    def read_block(self, device, sweep):
        with socket.create_connection(self._address, timeout=10) as conn:
            conn.sendall(f"READ {device} {sweep}\n".encode())
            with conn.makefile("r") as stream:
                return [float(item) for item in stream.readline().split()]


class Collector:
    def __init__(self, driver, devices):
        self._driver = driver
        self._devices = devices
        self.history = {device: [] for device in devices}

    async def poll(self, device, sweep):
        block = await asyncio.to_thread(self._driver.read_block, device, sweep)  # FAULT default-executor
        self.history[device].extend(block)

    async def sweep(self, number):
        await asyncio.gather(*(self.poll(device, number) for device in self._devices))  # FAULT default-executor


def goertzel(samples, k):
    coeff = 2 * math.cos(2 * math.pi * k / len(samples))
    prev = prev2 = 0.0
    for sample in samples:
        prev, prev2 = sample + coeff * prev - prev2, prev
    return prev2 * prev2 + prev * prev - coeff * prev * prev2


def analyse(history):
    loudest = {}
    for device, samples in history.items():
        mean = sum(samples) / len(samples)
        centred = [sample - mean for sample in samples]
        powers = [goertzel(centred, k) for k in range(1, 401)]
        loudest[device] = 1 + max(range(len(powers)), key=powers.__getitem__)
    return loudest


async def collect(port):
    collector = Collector(VendorDriver(port), range(1, 37))
    began = time.perf_counter()
    for number in range(3):
        await collector.sweep(number)
    return collector.history, time.perf_counter() - began


def main():
    simulator = ControllerSimulator()
    port = simulator.start_and_wait()
    history, spent = asyncio.run(collect(port))
    simulator.shutdown()
    loudest = analyse(history)
    print("devices:", len(history), "samples:", sum(map(len, history.values())))
    print("loudest bins:", [loudest[device] for device in sorted(loudest)][:12])
    threads = min(32, (os.cpu_count() or 1) + 4)
    print("truth %.3f" % (spent * (1 - threads / len(history))))


if __name__ == "__main__":
    main()

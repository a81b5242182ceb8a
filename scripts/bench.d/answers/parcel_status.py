"""Ask a carrier's API (a stub on localhost) for the status of 105 parcels and report transit times.

What is wrong: the asyncio.Lock that was meant to stop two coroutines from logging in at once is held
over the whole request, so 105 "concurrent" requests go through one after the other and each waits
for the one before it.

First screen should say: the run waits, it does not compute: about 2.1 s of the wall time goes by
while one coroutine holds CarrierClient._lock over `await self._get(...)` in status() and all others
queue for it (`async with self._lock`); amount as printed by `truth` (wall time of the fetch stage).

Mend: hold the lock only around the token check and the login; do the request outside of it.
"""
import asyncio
import json
import random
import statistics
import threading
import time

LATENCY = 0.018
STOPS = ["DEPOT", "HUB", "CUSTOMS", "VAN", "LOCKER", "DOOR"]


def make_parcel(number):
    rnd = random.Random(number)
    clock, scans = 0.0, []
    for _ in range(1200):
        clock += rnd.expovariate(1 / 35)
        scans.append({"at": round(clock, 2), "stop": rnd.choice(STOPS), "ok": rnd.random() > 0.03})
    return json.dumps({"parcel": number, "scans": scans}).encode()


class CarrierStub(threading.Thread):
    """The carrier: answers every request after LATENCY seconds, any number at a time."""

    def __init__(self, parcels):
        super().__init__(daemon=True)
        self.parcels, self.port, self.ready = parcels, None, threading.Event()

    async def handle(self, reader, writer):
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        path = head.split(" ", 2)[1]
        await asyncio.sleep(LATENCY)
        body = b'{"token": "t-1"}' if path == "/login" else self.parcels[int(path.rsplit("/", 1)[1])]
        writer.write(b"HTTP/1.0 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        await writer.drain()
        writer.close()

    async def serve(self):
        server = await asyncio.start_server(self.handle, "127.0.0.1", 0, backlog=256)
        self.port = server.sockets[0].getsockname()[1]
        self.ready.set()
        await server.serve_forever()

    def run(self):
        asyncio.run(self.serve())


class CarrierClient:
    def __init__(self, port):
        self.port = port
        self._token = None
        self._lock = asyncio.Lock()

    async def _get(self, path):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(f"GET {path} HTTP/1.0\r\nX-Token: {self._token}\r\n\r\n".encode())
        raw = await reader.read()
        writer.close()
        return raw.partition(b"\r\n\r\n")[2]

    async def _login(self):
        self._token = json.loads(await self._get("/login"))["token"]

    async def status(self, number):
        async with self._lock:  # FAULT awaits-in-turn
            if self._token is None:
                await self._login()
            return await self._get(f"/parcel/{number}")


def transit_summary(bodies):
    waits = {stop: [] for stop in STOPS}
    for body in bodies:
        scans = json.loads(body)["scans"]
        for before, after in zip(scans, scans[1:]):
            if after["ok"]:
                waits[after["stop"]].append(after["at"] - before["at"])
    return {stop: (statistics.fmean(w), statistics.stdev(w)) for stop, w in waits.items()}


async def fetch_all(port, numbers):
    client = CarrierClient(port)
    return await asyncio.gather(*(client.status(n) for n in numbers))


def main():
    stub = CarrierStub({n: make_parcel(n) for n in range(105)})
    stub.start()
    stub.ready.wait()
    started = time.perf_counter()
    bodies = asyncio.run(fetch_all(stub.port, range(105)))
    truth = time.perf_counter() - started
    for stop, (mean, dev) in sorted(transit_summary(bodies).items()):
        print(f"{stop:8} {mean:7.2f} +- {dev:.2f}")
    print(f"truth {truth:.3f}")


if __name__ == "__main__":
    main()

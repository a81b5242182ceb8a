"""A gateway for measurements: many devices' connections, rows that are written in batches by a thread, and the devices.

Sound.
A hasty profiler might say wrongly: that long computations hold up the event loop (many devices have something to send
at once, and each computes for a tenth of a millisecond); that the packing of the measurements is a fault.
"""
import asyncio
import json
import random
import sqlite3
import shutil
import struct
import tempfile
import zlib
from collections import Counter
from pathlib import Path

ROOT = Path(tempfile.mkdtemp(prefix="gateway"))
DEVICES = 120
FRAMES = 1600
SAMPLES = 24
BATCH_ROWS = 2000


class Store:
    """Rows are gathered in memory and written by one thread, a batch at a time."""

    def __init__(self, path):
        self.path = path
        self.rows = []
        self.written = 0
        self.lock = asyncio.Lock()
        self.connection = sqlite3.connect(path, check_same_thread=False)
        self.connection.execute("CREATE TABLE frames (device INTEGER, seq INTEGER, mean REAL, peak REAL, crc INTEGER)")

    async def add(self, row):
        self.rows.append(row)
        if len(self.rows) >= BATCH_ROWS:
            await self.flush()

    async def flush(self):
        async with self.lock:
            rows, self.rows = self.rows, []
            if rows:
                await asyncio.to_thread(self._write, rows)

    def _write(self, rows):
        with self.connection:
            self.connection.executemany("INSERT INTO frames VALUES (?, ?, ?, ?, ?)", rows)
        self.written += len(rows)

    async def close(self):
        await self.flush()
        asked = "SELECT COUNT(*), ROUND(AVG(mean), 3), COUNT(DISTINCT device) FROM frames"
        totals = self.connection.execute(asked).fetchone()
        self.connection.close()
        return totals


class Gateway:
    def __init__(self, store):
        self.store = store
        self.kinds = Counter()
        self.format = struct.Struct(f"<IIB{SAMPLES}f")

    def decode(self, payload):
        device, seq, kind, *samples = self.format.unpack(zlib.decompress(payload))
        ordered = sorted(samples)
        trimmed = ordered[2:-2]
        mean = sum(trimmed) / len(trimmed)
        return device, seq, kind, mean, ordered[-1]

    async def serve(self, reader, writer):
        try:
            while True:
                header = await reader.readexactly(4)
                payload = await reader.readexactly(int.from_bytes(header, "big"))
                device, seq, kind, mean, peak = self.decode(payload)
                self.kinds[kind] += 1
                await self.store.add((device, seq, mean, peak, zlib.crc32(payload)))
                if seq % 20 == 19:
                    writer.write(json.dumps({"ack": seq}).encode() + b"\n")
                    await writer.drain()
        except asyncio.IncompleteReadError:
            pass
        finally:
            writer.close()


async def device(port, number):
    rng = random.Random(number)
    layout = struct.Struct(f"<IIB{SAMPLES}f")
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    acknowledged = 0
    level = rng.uniform(10, 20)
    for first in range(0, FRAMES, 20):
        burst = bytearray()
        for seq in range(first, first + 20):
            samples = [level + rng.random() for _ in range(SAMPLES)]
            payload = zlib.compress(layout.pack(number, seq, rng.randrange(4), *samples), 1)
            burst += len(payload).to_bytes(4, "big") + payload
        writer.write(burst)
        await writer.drain()
        acknowledged = json.loads(await reader.readline())["ack"]
    writer.close()
    await writer.wait_closed()
    return acknowledged


async def main():
    path = ROOT / "frames.db"
    store = Store(path)
    gateway = Gateway(store)
    server = await asyncio.start_server(gateway.serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    acks = await asyncio.gather(*(device(port, n) for n in range(DEVICES)))
    server.close()
    await server.wait_closed()
    count, mean, devices = await store.close()
    print(f"devices {devices}, frames {count}, mean {mean}, last acks {min(acks)}..{max(acks)}")
    print("kinds:", dict(sorted(gateway.kinds.items())))
    shutil.rmtree(ROOT)


if __name__ == "__main__":
    asyncio.run(main())

"""Catalogues files: a small asyncio service that asks an external tool about each upload.

What is wrong: the coroutine `probe` (behind a retrying decorator) calls subprocess.run, which blocks the event loop: six
workers are meant to probe at once, yet one tool runs at a time and everything else on the loop stands still too.
First screen should say: the event loop is blocked in subprocess.run (waiting for a child) called from the coroutine
Catalogue.probe - use asyncio.create_subprocess_exec.
Mend: asyncio.create_subprocess_exec and await communicate().
"""
import asyncio
import collections
import functools
import os
import subprocess
import tempfile
import time
import zlib

WORKERS = 6
TOOL = 'sleep 0.09; wc -c < "$1"; wc -l < "$1"'


def retrying(times):
    def wrap(coroutine):
        @functools.wraps(coroutine)
        async def call(*args):
            for attempt in range(times):
                try:
                    return await coroutine(*args)
                except OSError:
                    if attempt == times - 1:
                        raise
                    await asyncio.sleep(0.05 * 2 ** attempt)
        return call
    return wrap


async def run_tool(path):
    tool = await asyncio.create_subprocess_exec("sh", "-c", TOOL, "probe", path, stdout=subprocess.PIPE)
    out, _ = await tool.communicate()
    return out


class Catalogue:
    def __init__(self, folder):
        self.folder = folder
        self.entries = {}
        self.probing = 0.0

    @retrying(3)
    async def probe(self, path):
        began = time.perf_counter()
        out = subprocess.run(["sh", "-c", TOOL, "probe", path], stdout=subprocess.PIPE).stdout  # FAULT event-loop-blocked
        self.probing += time.perf_counter() - began
        return tuple(int(n) for n in out.split())

    async def add(self, name):
        path = os.path.join(self.folder, name)
        size, lines = await self.probe(path)
        with open(path, "rb") as file:
            content = file.read()
        words = collections.Counter(content.decode().split())
        keys = sorted(words, key=lambda w: (-words[w], w))[:50]
        self.entries[name] = (size, lines, zlib.crc32(content), keys)


async def heartbeat(beats):
    while True:
        beats.append(time.monotonic())
        await asyncio.sleep(0.02)


def make_files(folder, n):
    for i in range(n):
        with open(os.path.join(folder, f"upload-{i}.srt"), "w") as file:
            for line in range(6000):
                file.write(f"{line} at {line * i % 977} says word{line * 31 % 1013} and word{line * i % 499}\n")


async def main(folder, n):
    catalogue = Catalogue(folder)
    names = asyncio.Queue()
    for i in range(n):
        names.put_nowait(f"upload-{i}.srt")
    beats = []
    pulse = asyncio.create_task(heartbeat(beats))

    async def worker():
        while not names.empty():
            await catalogue.add(names.get_nowait())

    began = time.perf_counter()
    await asyncio.gather(*(worker() for _ in range(WORKERS)))
    took = time.perf_counter() - began
    pulse.cancel()
    began = time.perf_counter()
    await asyncio.gather(*(run_tool(os.path.join(folder, f"upload-{i}.srt")) for i in range(WORKERS)))
    together = time.perf_counter() - began
    print("entries", len(catalogue.entries), "longest", max(e[1] for e in catalogue.entries.values()))
    print("truth", took - max(took - catalogue.probing, n / WORKERS * together))


with tempfile.TemporaryDirectory(dir=".") as folder:
    make_files(folder, 36)
    asyncio.run(main(folder, 36))

"""Scoring service with request batching, driven by a few callers.

Requests are gathered into batches, because scoring a batch in one matrix
product is cheaper than scoring its rows one at a time.  The callers model the
front ends: each one sends a request, waits for its score and sends the next.

There are fewer callers than a batch has room for: each batch waits until its time
is over.
"""
import asyncio
import zlib
from dataclasses import dataclass

import numpy as np

CALLERS = 8
REQUESTS_PER_CALLER = 90
FEATURES = 220
HIDDEN = 2400


@dataclass
class BatchConfig:
    max_batch: int = 32
    max_wait: float = 0.025


@dataclass
class Request:
    features: np.ndarray
    reply: asyncio.Future


class Model:
    """A fixed two-layer network with seeded weights."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.first = rng.normal(0, 0.1, size=(FEATURES, HIDDEN))
        self.middle = rng.normal(0, 0.05, size=(HIDDEN, HIDDEN))
        self.last = rng.normal(0, 0.1, size=HIDDEN)

    def score(self, rows):
        hidden = np.tanh(rows @ self.first)
        hidden = np.tanh(hidden @ self.middle)
        return 1.0 / (1.0 + np.exp(-(hidden @ self.last)))


class Batcher:
    """Gathers requests from the queue and answers them batch by batch."""

    def __init__(self, model, config):
        self.model = model
        self.config = config
        self.queue = asyncio.Queue()
        self.batches = 0
        self.in_vain = 0.0  # seconds

    async def submit(self, features):
        reply = asyncio.get_running_loop().create_future()
        await self.queue.put(Request(features, reply))
        return await reply

    async def gather_batch(self):
        """The first request plus what follows it, up to the limits."""
        loop = asyncio.get_running_loop()
        batch = [await self.queue.get()]
        deadline = loop.time() + self.config.max_wait
        while len(batch) < self.config.max_batch:
            remaining = deadline - loop.time()
            if remaining <= 0:
                break
            began = loop.time()
            try:
                batch.append(await asyncio.wait_for(self.queue.get(), remaining))  # FAULT none
            except asyncio.TimeoutError:
                self.in_vain += loop.time() - began
                break
        return batch

    async def run(self):
        loop = asyncio.get_running_loop()
        while True:
            batch = await self.gather_batch()
            rows = np.stack([request.features for request in batch])
            scores = await loop.run_in_executor(None, self.model.score, rows)
            for request, score in zip(batch, scores):
                request.reply.set_result(float(score))
            self.batches += 1


class Caller:
    """One front end; its requests depend only on its number."""

    def __init__(self, number, batcher):
        self.number = number
        self.batcher = batcher
        self.rng = np.random.default_rng(1000 + number)

    def next_features(self):
        """Hash the tokens of a made-up page into a fixed number of buckets."""
        features = np.zeros(FEATURES)
        for token in self.rng.integers(0, 5000, size=150).tolist():
            features[zlib.crc32(b"token-%d" % token) % FEATURES] += 1.0
        return features / np.linalg.norm(features)

    async def run(self):
        accepted = 0
        total = 0.0
        for _ in range(REQUESTS_PER_CALLER):
            score = await self.batcher.submit(self.next_features())
            accepted += score > 0.5
            total += score
        return accepted, total


async def main():
    batcher = Batcher(Model(seed=17), BatchConfig())
    worker = asyncio.create_task(batcher.run())
    callers = [Caller(number, batcher) for number in range(CALLERS)]
    results = await asyncio.gather(*(caller.run() for caller in callers))
    worker.cancel()

    accepted = sum(count for count, _ in results)
    mean = sum(total for _, total in results) / (CALLERS * REQUESTS_PER_CALLER)
    print(f"requests {CALLERS * REQUESTS_PER_CALLER}")
    print(f"accepted {accepted}  mean score {mean:.6f}")
    print("truth %.3f" % batcher.in_vain)


if __name__ == "__main__":
    asyncio.run(main())

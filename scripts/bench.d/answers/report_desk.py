"""A report desk: clients submit jobs and wait for them; one worker renders them slice by slice.

What is wrong: every client waits for its job with `while ...: await asyncio.sleep(0)`, so on each turn
of the event loop all waiting clients (up to 520) are woken only to find that nothing has changed;
the worker gets one slice per turn.

First screen should say: the processor is busy with waiting: wait_for() is resumed about a million times
by asyncio.sleep(0), and the event loop spends about 1.1 s on that; amount as printed by `truth`
(time from the worker's giving way until it runs again).

Mend: let the job carry an asyncio.Event (or Future) that the worker sets; wait_for awaits it.
"""
import asyncio
import math
import random
import time
from array import array
from dataclasses import dataclass, field

CLIENTS = 520
SLICES = 8


@dataclass
class Job:
    number: int
    values: array
    status: str = "queued"
    lines: list = field(default_factory=list)


class Worker:
    def __init__(self):
        self.queue = asyncio.Queue()
        self.given_way = 0.0

    def render_slice(self, job, part):
        step = len(job.values) // SLICES
        total = 0.0
        for value in job.values[part * step:(part + 1) * step]:
            total += math.sqrt(value) * math.log1p(value)
        job.lines.append(f"{job.number:05d} part {part} sum {total:12.3f}")

    async def run(self):
        while True:
            job = await self.queue.get()
            job.status = "running"
            for part in range(SLICES):
                self.render_slice(job, part)
                left = time.perf_counter()
                await asyncio.sleep(0)      # let others have the loop
                self.given_way += time.perf_counter() - left
            job.status = "done"


class Desk:
    def __init__(self):
        self.worker = Worker()
        self.jobs = {}

    async def submit(self, number, values):
        job = self.jobs[number] = Job(number, values)
        await self.worker.queue.put(job)
        return number

    async def wait_for(self, number):
        job = self.jobs[number]
        while job.status != "done":
            await asyncio.sleep(0)  # FAULT busy-waiting
        return job.lines


async def client(desk, number):
    rnd = random.Random(number)
    values = array("d", (rnd.uniform(1, 1000) for _ in range(SLICES * 1200)))
    await desk.submit(number, values)
    lines = await desk.wait_for(number)
    return sum(float(line.rsplit(" ", 1)[1]) for line in lines)


async def main():
    desk = Desk()
    running = asyncio.create_task(desk.worker.run())
    sums = await asyncio.gather(*(client(desk, n) for n in range(CLIENTS)))
    running.cancel()
    print(f"{len(sums)} reports, grand total {sum(sums):.2f}")
    print(f"truth {desk.worker.given_way:.3f}")


if __name__ == "__main__":
    asyncio.run(main())

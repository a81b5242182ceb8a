"""Poll a fleet of electricity meters and build a load profile.

Every meter is one task; a semaphore keeps the number of open polls small.
As soon as a meter answers, its reading is checked and added to the profile.

What is wrong: the collecting loop hands the whole set of pending tasks to
asyncio.wait(..., FIRST_COMPLETED) for every answer; each call hangs a callback
on every pending task and takes it off again, so n answers cost n * n / 2.
First screen should say: asyncio.wait over thousands of pending tasks, called
from collect() line 109, quadratic, about 1.3 s of 3.2 s.
Mend: iterate asyncio.as_completed(tasks) (or feed a queue from the tasks).
"""
import asyncio
import hashlib
import json
import math
import random
import struct
import time
from dataclasses import dataclass, field

METERS = 9000
OPEN_POLLS = 40
SLOTS = 96          # quarter hours of one day
NEEDED = 0.28        # seconds which the waiting takes in the mended program


@dataclass
class Meter:
    serial: str
    scale: float
    phase: int
    latency: float


@dataclass
class Profile:
    total: list = field(default_factory=lambda: [0.0] * SLOTS)
    peaks: dict = field(default_factory=dict)
    digest: str = ""
    rejected: int = 0


def make_fleet(count, seed=20):
    rng = random.Random(seed)
    return [
        Meter(f"EM{n:06d}", rng.uniform(0.2, 4.0), rng.randrange(SLOTS),
              rng.uniform(0.001, 0.012))
        for n in range(count)
    ]


def encode_answer(meter):
    """What a meter sends: JSON head, packed values, checksum."""
    values = [
        meter.scale * (1.2 + math.sin((slot + meter.phase) * math.tau / SLOTS))
        for slot in range(SLOTS)
    ]
    body = struct.pack(f"<{SLOTS}d", *values)
    head = {"serial": meter.serial, "slots": SLOTS,
            "sum": hashlib.sha256(body).hexdigest()}
    return json.dumps(head).encode() + b"\n" + body


async def poll(meter, gate):
    async with gate:
        await asyncio.sleep(meter.latency)
        return encode_answer(meter)


def decode_answer(answer):
    head, _, body = answer.partition(b"\n")
    head = json.loads(head)
    if hashlib.sha256(body).hexdigest() != head["sum"]:
        raise ValueError(head["serial"])
    return head["serial"], struct.unpack(f"<{head['slots']}d", body)


def smooth(values, reach=4):
    out = []
    for i in range(len(values)):
        lo, hi = max(0, i - reach), min(len(values), i + reach + 1)
        window = sorted(values[lo:hi])
        out.append(window[len(window) // 2])
    return out


def absorb(profile, answer):
    try:
        serial, values = decode_answer(answer)
    except ValueError:
        profile.rejected += 1
        return
    for _ in range(5):
        values = smooth(values)
    for slot, value in enumerate(values):
        profile.total[slot] += value
    best = max(range(SLOTS), key=values.__getitem__)
    profile.peaks[serial] = (best, round(values[best], 4))


async def collect(fleet, profile):
    gate = asyncio.Semaphore(OPEN_POLLS)
    tasks = [asyncio.create_task(poll(meter, gate)) for meter in fleet]
    waited = 0.0
    pending = set(tasks)
    while pending:
        started = time.perf_counter()
        done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)  # FAULT pending-waits
        waited += time.perf_counter() - started
        for task in done:
            absorb(profile, task.result())
    return waited


def main():
    fleet = make_fleet(METERS)
    profile = Profile()
    waited = asyncio.run(collect(fleet, profile))
    text = json.dumps([sorted(profile.peaks.items())])
    profile.digest = hashlib.md5(text.encode()).hexdigest()
    print(f"{len(profile.peaks)} meters, {profile.rejected} rejected, "
          f"load {sum(profile.total):.1f} kWh, {profile.digest[:12]}")
    print(f"truth {max(0.0, waited - NEEDED):.3f}")


if __name__ == "__main__":
    main()

"""Thumbnail service: jobs go through a queue to a worker that polls."""
import queue
import threading
import time

jobs = queue.Queue()
latency = 0.0
slept = 0.0


class Job:
    def __init__(self, pixels):
        self.pixels = pixels
        self.done = threading.Event()
        self.created = time.perf_counter()
        self.result = None


def shrink(pixels, width=256):
    out = []
    for y in range(0, len(pixels) // width - 1, 2):
        row = y * width
        for x in range(0, width, 2):
            p = row + x
            out.append((pixels[p] + pixels[p + 1] + pixels[p + width] + pixels[p + width + 1]) >> 2)
    return bytes(out)


def worker():
    global latency, slept
    while True:
        if jobs.empty():
            t = time.perf_counter()
            time.sleep(0.05)  # FAULT sleeping
            slept += time.perf_counter() - t
            continue
        job = jobs.get()
        if job is None:
            return
        latency += time.perf_counter() - job.created
        job.result = shrink(job.pixels)
        job.done.set()


def submit(pixels):
    job = Job(pixels)
    jobs.put(job)
    job.done.wait()
    return job.result


def main():
    t = threading.Thread(target=worker)
    t.start()
    base = bytes(i * 7 % 256 for i in range(256 * 256))
    total = 0
    for n in range(45):
        total += sum(submit(base[n:] + base[:n]))
    jobs.put(None)
    t.join()
    print(total, "slept %.3f" % slept)
    print("truth %.3f" % latency)


main()

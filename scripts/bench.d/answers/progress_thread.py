"""Indexes a text while a thread shows the progress.

What is wrong: the progress thread spins: it reads the counter in a loop without ever sleeping, so it takes the
interpreter's lock (GIL) for half of the time and the real work takes twice as long.
First screen should say: the thread "progress" burns a whole core in Progress.watch, a loop that only polls, and competes
for the GIL with the main thread.
Mend: wait on an event with a timeout of a tenth of a second in the loop.
"""
import io
import threading
import time


class Progress:
    def __init__(self, total):
        self.total = total
        self.count = 0
        self.stop = threading.Event()
        self.screen = io.StringIO()
        self.thread = threading.Thread(target=self.watch, name="progress")

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.thread.join()

    def watch(self):
        shown = -1
        while not self.stop.is_set():  # FAULT lock-contention busy-waiting
            percent = 100 * self.count // self.total  # FAULT lock-contention busy-waiting
            if percent != shown:  # FAULT lock-contention busy-waiting
                shown = percent
                self.screen.write(f"\r{percent:3d} %")


SUFFIXES = ("ations", "ation", "ings", "ing", "ers", "er", "ed", "es", "s")


def stem(word):
    for suffix in SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            return word[:-len(suffix)]
    return word


def paragraphs(n):
    state = 99
    roots = ["index", "walk", "measur", "relat", "form", "comput", "sample", "trac", "writ", "read", "order", "merg"]
    for number in range(n):
        words = []
        for _ in range(70):
            state = (state * 1103515245 + 12345) % 2 ** 31
            pick = state >> 12
            words.append(roots[pick % 12] + SUFFIXES[pick // 12 % 9])
        yield number, words


def index(source, progress):
    postings = {}
    for number, words in source:
        for position, word in enumerate(words):
            postings.setdefault(stem(word), []).append((number, position))
        progress.count = number + 1
    return postings


def waited_for_processor():
    with open("/proc/thread-self/schedstat") as stat:
        return int(stat.read().split()[1]) / 1e9


N = 26000
with Progress(N) as progress:
    began, cpu, queue = time.perf_counter(), time.thread_time(), waited_for_processor()
    postings = index(paragraphs(N), progress)
    took, worked = time.perf_counter() - began, time.thread_time() - cpu + waited_for_processor() - queue
print("stems", len(postings), "longest", max(map(len, postings.values())))
print("truth", took - worked)  # the main thread waited for the lock all the rest

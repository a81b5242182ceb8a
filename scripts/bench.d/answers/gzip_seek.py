"""Replays the sessions of chosen users from a compressed event log by means of its index of offsets.

What is wrong: the log stays a gzip file and is sought back and forth in the order of the users; seeking backwards in gzip
starts again at the beginning of the file and unpacks all up to the place.
First screen should say: nearly all time is in GzipFile.seek called from EventLog.record: each backward seek decompresses
the file again from its start (zlib), dozens of times the size of the file in all.
Mend: unpack the file once into memory (io.BytesIO) and seek there.
"""
import gzip
import json
import random
import time

EVENTS = 80_000
PATH = "events.json.gz"


def write_log():
    draw = random.Random(5)
    index = {}
    offset = 0
    with gzip.open(PATH, "wb", compresslevel=1) as out:
        for number in range(EVENTS):
            user = draw.randrange(4000)
            event = {
                "n": number,
                "user": user,
                "page": "/catalogue/%d/item/%d" % (draw.randrange(40), draw.randrange(900)),
                "ms": draw.randrange(20, 4000),
                "token": "%032x" % draw.getrandbits(128),
                "agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/%d" % draw.randrange(80, 120),
            }
            line = json.dumps(event).encode() + b"\n"
            index.setdefault(user, []).append((offset, len(line)))
            offset += len(line)
            out.write(line)
    return index


class EventLog:
    def __init__(self, path, index):
        self.index = index
        self.file = gzip.open(path, "rb")  # FAULT compressed-seeks
        self.spent = 0.0

    def record(self, offset, size):
        began = time.perf_counter()
        self.file.seek(offset)  # FAULT compressed-seeks
        line = self.file.read(size)
        self.spent += time.perf_counter() - began
        return json.loads(line)

    def session(self, user):
        for offset, size in self.index.get(user, ()):
            yield self.record(offset, size)

    def close(self):
        self.file.close()


def summarize(events):
    pages = set()
    longest = total = 0
    for event in events:
        pages.add(event["page"])
        longest = max(longest, event["ms"])
        total += event["ms"]
    return len(pages), longest, total


def main():
    index = write_log()
    log = EventLog(PATH, index)
    seen = {user: summarize(log.session(user)) for user in random.Random(8).sample(range(4000), 60)}
    log.close()
    for user in sorted(seen, key=lambda user: seen[user][2], reverse=True)[:6]:
        print("user %4d: %2d pages, longest %4d ms, all %5d ms" % (user, *seen[user]))
    print("users", len(seen), "pages", sum(pages for pages, _, _ in seen.values()))
    print("truth %.3f" % log.spent)


main()

"""Imports uploads and keeps a list of those that failed, for the report at the end.

What is wrong: the list keeps the exceptions themselves; each holds its traceback, the traceback its frames, and the frames
their locals: the whole upload, its decoded text and its rows stay in memory for every failure.
(Giving all that up to the garbage collector to look through costs a second, too.)
First screen should say: memory grows steadily to hundreds of megabytes, allocated in Upload.read/decode in import_one and
kept alive by the exceptions in Importer.failures.
Mend: keep the name and str(error) only (or clear the traceback).
"""
import sys
import zlib

UPLOADS = 420
kept = 0


def make_upload(number):
    line = f"{number};{number * 17 % 1009};item {number % 12};{number * 3.25:.2f}\n"
    body = line * (700_000 // len(line))
    if number % 3 == 0:
        body += "end of fil"
    return zlib.compress(body.encode(), 1)


class Row:
    __slots__ = ("key", "amount")

    def __init__(self, fields):
        if len(fields) != 4:
            raise ValueError(f"{len(fields)} fields where 4 were expected")
        self.key = fields[2]
        self.amount = float(fields[3])


class Importer:
    def __init__(self):
        self.totals = {}
        self.failures = []

    def import_one(self, number, packed):
        raw = zlib.decompress(packed)
        text = raw.decode()  # FAULT host-memory-grows
        lines = text.count("\n")
        last = text[text.rfind("\n", 0, len(text) - 1) + 1:]
        sample = [Row(text[at:text.index("\n", at)].split(";")) for at in self.starts(text, lines)]
        sample.append(Row(last.split(";")))
        for row in sample:
            self.totals[row.key] = self.totals.get(row.key, 0.0) + row.amount

    @staticmethod
    def starts(text, lines):
        width = text.index("\n") + 1
        return range(0, lines * width, width * 5)

    def run(self, uploads):
        global kept
        for number, packed in uploads:
            try:
                self.import_one(number, packed)
            except ValueError as error:
                self.failures.append((number, error))  # FAULT host-memory-grows
                held = error.__traceback__.tb_next.tb_frame.f_locals
                kept += sum(sys.getsizeof(held[name]) for name in ("raw", "text", "packed", "sample"))
                kept += sum(sys.getsizeof(row) + 16 + sys.getsizeof(row.key) + sys.getsizeof(row.amount) for row in held["sample"])
                del held

    def report(self):
        for number, error in self.failures:
            yield f"upload {number}: {error}"


importer = Importer()
importer.run((number, make_upload(number)) for number in range(UPLOADS))
lines = list(importer.report())
print("imported", UPLOADS - len(lines), "failed", len(lines), "kinds", len(importer.totals))
print("truth", kept, "bytes")

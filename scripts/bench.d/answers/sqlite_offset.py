"""Exports all readings of a sensor database page by page and writes a checksum for each day.

What is wrong: the pages are asked for with LIMIT ... OFFSET; the database walks over all the rows before the offset each
time, so the export takes time with the square of the table.
First screen should say: nearly all the time is CPU inside sqlite's execute/fetch called from the generator pages(); each
page takes longer than the one before because OFFSET skips all earlier rows again.
Mend: go on after the last key (WHERE id > ? ORDER BY id LIMIT ?).
"""
import sqlite3
import time
import zlib

ROWS = 280_000
PAGE = 200


def fill(path):
    base = sqlite3.connect(path)
    base.execute("PRAGMA journal_mode = OFF")
    base.execute("CREATE TABLE reading (id INTEGER PRIMARY KEY, day INTEGER, sensor TEXT, value REAL)")
    rows = ((i, i // 5000, "s%03d" % (i % 311), (i * 37 % 1009) / 4) for i in range(1, ROWS + 1))
    base.executemany("INSERT INTO reading VALUES (?, ?, ?, ?)", rows)
    base.commit()
    return base


class Export:
    def __init__(self, base):
        self.base = base
        self.times = []

    def pages(self):
        """Yields the table in pages of PAGE rows, in the order of the key."""
        offset = 0
        while True:
            began = time.perf_counter()
            rows = self.base.execute(  # FAULT table-scans
                "SELECT id, day, sensor, value FROM reading ORDER BY id LIMIT ? OFFSET ?",  # FAULT table-scans
                (PAGE, offset),  # FAULT table-scans
            ).fetchall()
            self.times.append(time.perf_counter() - began)
            if not rows:
                return
            yield rows
            offset += PAGE

    def lost(self):
        """What the pages took beyond what pages near the beginning take."""
        return sum(self.times) - sorted(self.times[:31])[15] * len(self.times)


def checksums(export):
    days = {}
    for rows in export.pages():
        for number, day, sensor, value in rows:
            line = "%d,%s,%.2f\n" % (number, sensor, value)
            days[day] = zlib.crc32(line.encode(), days.get(day, 0))
    return days


def main():
    export = Export(fill("readings.db"))
    days = checksums(export)
    with open("checksums.txt", "w") as out:
        for day in sorted(days):
            out.write("%d %08x\n" % (day, days[day]))
    with open("checksums.txt") as file:
        print("days", len(days), "all %08x" % zlib.crc32(file.read().encode()))
    print("truth %.3f" % export.lost())


main()

"""Imports a night's scanned pages: unpacks the strips of each page, checks them,
makes previews and finds the text lines; damaged pages go into a report."""
import random
import struct
import time
import zlib
from collections import Counter

WIDTH = 1280
STRIP_ROWS = 64
STRIPS = 16
PAGES = 560
HEADER = struct.Struct("<IIHH")
INK = bytes(0 if value < 9 else 255 for value in range(256))
BLANK = bytes([255]) * (WIDTH * 12)


class DamagedPage(Exception):
    pass


class Page:
    """What is kept of an imported page."""

    def __init__(self, number, preview, lines, margins):
        self.number, self.preview = number, preview
        self.lines, self.margins = lines, margins


def make_strips(rng, count=48):
    """Compressed strips of paper: rows of ink with blank rows between."""
    strips = []
    for _ in range(count):
        rows = b""
        for _ in range(STRIP_ROWS // 32):
            rows += rng.randbytes(WIDTH * 20).translate(INK) + BLANK
        strips.append((zlib.compress(rows, 1), zlib.crc32(rows)))
    return strips


def scanner_feed(strips, rng):
    """Yields the number, header and strips of each scanned page."""
    for number in range(PAGES):
        chosen = rng.choices(strips, k=STRIPS)
        mark = sum(crc for _, crc in chosen) & 0xFFFFFFFF
        if rng.random() < 0.12:
            mark ^= 1 << rng.randrange(32)
        header = HEADER.pack(number, mark, WIDTH, STRIPS * STRIP_ROWS)
        yield number, header, [packed for packed, _ in chosen]


def unpack_page(header, packed):
    """The pixels of a page, one byte each; raises DamagedPage."""
    number, mark, width, height = HEADER.unpack(header)
    strips = [zlib.decompress(strip) for strip in packed]
    found = sum(zlib.crc32(strip) for strip in strips) & 0xFFFFFFFF
    pixels = b"".join(strips)
    if len(pixels) != width * height:
        raise DamagedPage(f"page {number}: {len(pixels)} pixels, {width * height} expected")
    if found != mark:
        raise DamagedPage(f"page {number}: checksum {found:08x}, header says {mark:08x}")
    return pixels


def make_preview(pixels):
    """Every second pixel of every second row."""
    rows = []
    for at in range(0, len(pixels), WIDTH * 2):
        rows.append(pixels[at:at + WIDTH:2])
    return b"".join(rows)


def find_lines(pixels):
    """First and last row of each run of rows with ink."""
    lines, start = [], None
    for row in range(STRIPS * STRIP_ROWS):
        ink = pixels.count(0, row * WIDTH, (row + 1) * WIDTH)
        if ink > 8 and start is None:
            start = row
        elif ink <= 8 and start is not None:
            lines.append((start, row))
            start = None
    return lines


def find_margins(pixels):
    """Ink-free columns at the left and the right edge."""
    columns = [pixels[x::WIDTH].count(0) > 2 for x in range(WIDTH)]
    if True not in columns:
        return WIDTH, WIDTH
    return columns.index(True), columns[::-1].index(True)


def import_page(number, header, packed):
    pixels = unpack_page(header, packed)
    return Page(number, make_preview(pixels), find_lines(pixels), find_margins(pixels))


def import_night(feed):
    pages, rejected = [], []
    for number, header, packed in feed:
        try:
            pages.append(import_page(number, header, packed))
        except DamagedPage as error:
            rejected.append((number, error))  # FAULT kept-errors
    return pages, rejected


def compare_previews(pages, step=29):
    """Pages whose previews look alike, by a coarse signature of ink."""
    signatures = Counter()
    for page in pages:
        cells = []
        for at in range(0, len(page.preview), step * 64):
            cells.append(page.preview.count(0, at, at + step * 64) // 20)
        signatures[tuple(cells)] += 1
    return sum(1 for count in signatures.values() if count > 1)


def pack_previews(pages):
    """Size of the previews when stored."""
    return sum(len(zlib.compress(page.preview, 4)) for page in pages)


def main():
    started = time.time()
    rng = random.Random(77)
    feed = scanner_feed(make_strips(rng), rng)
    pages, rejected = import_night(feed)
    print(f"{len(pages)} pages, {len(rejected)} rejected after {time.time() - started:.1f} s")
    print(f"{sum(len(page.lines) for page in pages)} text lines, {compare_previews(pages)} like previews")
    print(f"previews take {pack_previews(pages) >> 10} KiB")
    for number, error in rejected[:3]:
        print(f"  rejected {number}: {error}")
    print(f"done after {time.time() - started:.1f} s")
    # The pixels of each, and the strips that they were joined of.
    print(f"truth {len(rejected) * 2 * WIDTH * STRIPS * STRIP_ROWS} bytes")


if __name__ == "__main__":
    main()

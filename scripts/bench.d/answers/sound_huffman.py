"""Packs texts with Huffman codes and unpacks them again, with a decoder that goes by whole bytes (pure Python)."""
import collections
import heapq
import itertools
import random
import zlib

WORDS = (
    "the of and to in a is that for it as was with be by on not he his but at are this have from or had an they which "
    "one you were all her she there would their we him been has when who will no more if out so up said what its about "
    "than into them can only other time new some could these two may first then do any like my now over such our man"
).split()


def text(draw, size):
    words = []
    while size > 0:
        word = WORDS[min(int(draw.expovariate(0.06)), len(WORDS) - 1)]
        words.append(word)
        size -= len(word) + 1
    return " ".join(words).encode()


class Code:
    def __init__(self, counts):
        tickets = itertools.count()
        heap = [(count, next(tickets), symbol) for symbol, count in sorted(counts.items())]
        heapq.heapify(heap)
        while len(heap) > 1:
            left, right = heapq.heappop(heap), heapq.heappop(heap)
            heapq.heappush(heap, (left[0] + right[0], next(tickets), (left[2], right[2])))
        self.tree = heap[0][2]
        self.bits = dict(self.walk(self.tree, ""))

    def walk(self, node, prefix):
        if isinstance(node, tuple):
            yield from self.walk(node[0], prefix + "0")
            yield from self.walk(node[1], prefix + "1")
        else:
            yield node, prefix

    def pack(self, data):
        bits = "".join(map(self.bits.__getitem__, data))
        return len(bits), int(bits + "0" * (-len(bits) % 8), 2).to_bytes((len(bits) + 7) // 8, "big")


class Decoder:
    """A table for each inner node of the tree: for a byte, the symbols that come out and the node reached."""

    def __init__(self, tree):
        self.root = tree
        self.tables = {}
        self.table(tree)

    def table(self, start):
        if id(start) in self.tables:
            return self.tables[id(start)]
        rows = self.tables[id(start)] = []
        for byte in range(256):
            node, out = start, bytearray()
            for shift in range(7, -1, -1):
                node = node[byte >> shift & 1]
                if not isinstance(node, tuple):
                    out.append(node)
                    node = self.root
            rows.append((bytes(out), self.table(node)))
        return rows

    def unpack(self, packed, size):
        parts = []
        add = parts.append
        rows = self.tables[id(self.root)]
        for byte in packed:
            out, rows = rows[byte]
            add(out)
        return b"".join(parts)[:size]


def main():
    draw = random.Random(14)
    read = written = 0
    for number in range(40):
        data = text(draw, 420_000)
        code = Code(collections.Counter(data))
        bits, packed = code.pack(data)
        if Decoder(code.tree).unpack(packed, len(data)) != data:
            raise SystemExit("text %d differs" % number)
        read += len(data)
        written += len(packed)
        if number % 8 == 7:
            print("text %2d: %d bits, sum %08x" % (number, bits, zlib.crc32(packed)))
    print("read %d written %d, %.2f bits a byte" % (read, written, written * 8 / read))


main()

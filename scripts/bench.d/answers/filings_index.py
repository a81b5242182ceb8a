"""Build a lookup of the declared registrant from a folder of long regulatory filings.

What is wrong: Kept re.Match objects hold the whole filing text alive.
Mend: Store found.groupdict().
"""
import hashlib
import random
import re
import sys
import tempfile
from collections import Counter
from pathlib import Path

WORDS = ("the company shall disclose material risk factors and operating results for each fiscal period including "
         "revenue liabilities equity deferred taxes goodwill impairment lease obligations segment reporting").split()
REGISTRANT = re.compile(r"^REGISTRANT:\s+(?P<name>[^\n]+)\nCIK:\s+(?P<cik>\d+)\nFORM:\s+(?P<form>\S+)$", re.M)
RISK = re.compile(r"\b(?:risk|impairment|liabilities)\b")


def write_filings(folder, count, seed):
    rng = random.Random(seed)
    paragraphs = []
    for _ in range(400):
        paragraphs.append(" ".join(rng.choices(WORDS, k=140)) + ".\n\n")
    for n in range(count):
        body = "".join(rng.choices(paragraphs, k=rng.randint(450, 750)))
        head = f"Accession {n:08d}\n\nREGISTRANT: Holding {n % 61} plc\nCIK: {100000 + n % 61}\n" \
               f"FORM: {rng.choice(['10-K', '10-Q', '8-K'])}\n\n"
        (folder / f"{n:05d}.txt").write_text(head + body, encoding="ascii")


class FilingIndex:
    def __init__(self):
        self.registrants = {}
        self.risk = Counter()
        self.digests = {}

    def add(self, path):
        text = path.read_text(encoding="ascii")
        found = REGISTRANT.search(text)
        if found is None:
            raise ValueError(f"{path.name}: no registrant block")
        self.registrants[path.stem] = found  # FAULT host-memory-grows
        self.risk[path.stem] = sum(1 for _ in RISK.finditer(text))
        self.digests[path.stem] = hashlib.sha1(text.encode()).hexdigest()

    def by_form(self):
        forms = Counter()
        for found in self.registrants.values():
            forms[found["form"]] += 1
        return forms

    def riskiest(self, limit):
        totals = Counter()
        for stem, found in self.registrants.items():
            totals[found["name"], found["cik"]] += self.risk[stem]
        return totals.most_common(limit)

    def duplicates(self):
        return sum(n - 1 for n in Counter(self.digests.values()).values() if n > 1)

    def held(self):
        return sum(sys.getsizeof(found.string) for found in self.registrants.values() if hasattr(found, "string"))


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_filings(folder, 540, seed=4)
        index = FilingIndex()
        largest = 0
        for path in sorted(folder.glob("*.txt")):
            index.add(path)
            largest = max(largest, path.stat().st_size)
    print(f"{len(index.registrants)} filings, {index.duplicates()} duplicates")
    print(dict(sorted(index.by_form().items())))
    for (registrant, cik), hits in index.riskiest(5):
        print(f"{registrant:<16} {cik} {hits}")
    held = index.held()
    print(f"truth {max(0, held - largest)} bytes")


if __name__ == "__main__":
    main()

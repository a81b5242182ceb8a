"""Sound.  Align melodies bar by bar and group those that are alike.

Dynamic programming over two melodies (Smith and Waterman); melodies that share
no interval pattern are left out before, groups are joined by union-find.

A hasty profiler might say: nested loops over lists (the alignment needs each
cell once, two rows only), `in` on a tuple in a hot loop (three entries),
list.pop() in a loop (from the end), the same function called again and again
with equal arguments (each pair is aligned once), string joined in a loop (no:
"".join).
"""
import random
from collections import defaultdict
from itertools import combinations

MELODIES = 430
SCALE = "cdefgab"
REST = ("-", "~", "z")


def make_melodies(seed=51):
    """Families of melodies: variants of some tunes."""
    rng = random.Random(seed)
    tunes = ["".join(rng.choice(SCALE) for _ in range(70)) for _ in range(12)]
    melodies = {}
    for number in range(MELODIES):
        notes = list(tunes[number % len(tunes)])
        for _ in range(rng.randrange(4, 16)):
            place = rng.randrange(len(notes))
            kind = rng.random()
            if kind < 0.4:
                notes[place] = rng.choice(SCALE)
            elif kind < 0.7:
                notes.insert(place, rng.choice(REST))
            else:
                notes.pop(place)
        melodies[f"tune {number:03d}"] = "".join(notes)
    return melodies


def sounding(melody):
    return "".join(note for note in melody if note not in REST)


def align(one, other, match=2, miss=-1, gap=-1):
    """Best local score."""
    best = 0
    above = [0] * (len(other) + 1)
    for note in one:
        row = [0]
        left = 0
        for j, against in enumerate(other, 1):
            score = above[j - 1] + (match if note == against else miss)
            if above[j] + gap > score:
                score = above[j] + gap
            if left + gap > score:
                score = left + gap
            if score < 0:
                score = 0
            elif score > best:
                best = score
            row.append(score)
            left = score
        above = row
    return best


def patterns(melody, width=6):
    return {melody[k:k + width] for k in range(len(melody) - width + 1)}


def candidates(melodies):
    """Pairs which share a pattern; the others cannot score high."""
    owners = defaultdict(list)
    for name, melody in melodies.items():
        for pattern in patterns(melody):
            owners[pattern].append(name)
    pairs = set()
    for names in owners.values():
        pairs.update(combinations(sorted(names), 2))
    return sorted(pairs)


class Groups:
    def __init__(self, names):
        self.leader = {name: name for name in names}

    def find(self, name):
        path = []
        while self.leader[name] != name:
            path.append(name)
            name = self.leader[name]
        while path:
            self.leader[path.pop()] = name
        return name

    def join(self, one, other):
        self.leader[self.find(one)] = self.find(other)

    def sizes(self):
        count = defaultdict(int)
        for name in self.leader:
            count[self.find(name)] += 1
        return sorted(count.values(), reverse=True)


def main():
    melodies = {name: sounding(text) for name, text in make_melodies().items()}
    pairs = candidates(melodies)
    groups = Groups(melodies)
    scores = {}
    for one, other in pairs:
        score = align(melodies[one], melodies[other])
        scores[one, other] = score
        if score >= 60:
            groups.join(one, other)
    best = max(scores, key=scores.get)
    print(f"{len(melodies)} melodies, {len(pairs)} pairs aligned")
    print(f"groups {groups.sizes()[:12]}")
    print(f"nearest {best[0]} and {best[1]}: {scores[best]}")


if __name__ == "__main__":
    main()

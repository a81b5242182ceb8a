"""Sound.  Build a positional index of a text collection and answer phrases.

The index keeps the place of every word of every document; it is meant to grow
with the collection and all of it is used by the phrase search at the end.

A hasty profiler might say: memory grows without end / leak in Index.add (the
arrays are the result of the program and as compact as they can be), the dict
of words is a cache without limit (it is the index), appending to arrays one by
one (amortised, no copying), `in` tests in a loop (on sets).
"""
import random
from array import array
from collections import defaultdict

DOCUMENTS = 9_000
VOCABULARY = 30_000
PHRASES = 900


def make_vocabulary(seed=41):
    rng = random.Random(seed)
    parts = ["ka", "lo", "mi", "ne", "ru", "sa", "ti", "vo", "be", "do", "fu", "gi"]
    words = set()
    while len(words) < VOCABULARY:
        words.add("".join(rng.choices(parts, k=rng.randrange(2, 6))))
    return sorted(words)


def documents(words, seed=42):
    """Texts with a skewed choice of words."""
    rng = random.Random(seed)
    weights = [1 / (rank + 3) for rank in range(len(words))]
    total, cumulated = 0.0, []
    for weight in weights:
        total += weight
        cumulated.append(total)
    for number in range(DOCUMENTS):
        yield number, rng.choices(words, cum_weights=cumulated, k=rng.randrange(200, 600))


class Index:
    def __init__(self):
        self.documents = {}         # word -> array of document numbers
        self.offsets = {}           # word -> array of places in that document
        self.texts = []             # the words of each document, for excerpts
        self.size = 0

    def add(self, number, words):
        for place, word in enumerate(words):
            if word not in self.documents:
                self.documents[word] = array("I")
                self.offsets[word] = array("I")
            self.documents[word].append(number)
            self.offsets[word].append(place)
        self.texts.append(words)
        self.size += len(words)

    def excerpt(self, number, words):
        """The phrase with some words around it."""
        text = self.texts[number]
        for place in range(len(text) - len(words) + 1):
            if text[place:place + len(words)] == words:
                return " ".join(text[max(0, place - 4):place + len(words) + 4])
        return ""

    def postings(self, word):
        return zip(self.documents.get(word, ()), self.offsets.get(word, ()))

    def phrase(self, words):
        """Documents in which the words follow each other."""
        rare = min(range(len(words)), key=lambda k: len(self.documents.get(words[k], ())))
        starts = {(d, p - rare) for d, p in self.postings(words[rare])}
        for k, word in enumerate(words):
            if k != rare and starts:
                starts &= {(d, p - k) for d, p in self.postings(word)}
        return {d for d, _ in starts}


def sample_phrases(words, seed=43):
    """Phrases taken from the documents, with some words of low rank."""
    rng = random.Random(seed)
    phrases = []
    for number, text in documents(words):
        if len(phrases) == PHRASES:
            break
        if number % 3 == 0:
            start = rng.randrange(len(text) - 2)
            phrases.append(text[start:start + 3])
    return phrases


def vocabulary_growth(index):
    """How many words occur once, twice, ... (Heaps' law check)."""
    sizes = defaultdict(int)
    for places in index.documents.values():
        sizes[min(len(places), 10)] += 1
    return dict(sorted(sizes.items()))


def main():
    words = make_vocabulary()
    index = Index()
    for number, text in documents(words):
        index.add(number, text)
    hits, excerpts = 0, []
    for phrase in sample_phrases(words)[:120]:
        if len(index.documents[min(phrase, key=lambda w: len(index.documents[w]))]) < 20_000:
            found = index.phrase(phrase)
            hits += len(found)
            excerpts += [index.excerpt(number, phrase) for number in sorted(found)]
    held = sum(a.buffer_info()[1] * a.itemsize for a in index.documents.values())
    print(f"{index.size} places of {len(index.documents)} words, {2 * held / 1e6:.1f} MB")
    print(f"{hits} documents found, longest excerpt {max(map(len, excerpts))}")
    print(f"{vocabulary_growth(index)}")


if __name__ == "__main__":
    main()

"""Count the terms of a corpus of 300 documents and print the terms most typical of some of them (tf-idf).

What is wrong: the counts are added up with sum(counters, Counter()); Counter.__add__ makes a new Counter of all
terms so far for each document, so the whole vocabulary is copied (in Python) 300 times.

First screen should say: Counter.__add__, called by sum() in Corpus.totals() 300 times, takes about 1.7 s,
growing with documents x vocabulary; amount as printed by `truth`.

Mend: one Counter, total.update(counts) per document.
"""
import math
import random
import re
import time
from collections import Counter

WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
STOP = {"the", "of", "and", "to", "in", "a"}


def make_vocabulary(rnd, size=70_000):
    syllables = [c + v for c in "bcdfghklmnprstvz" for v in "aeiou"]
    return ["".join(rnd.choices(syllables, k=rnd.randrange(2, 5))) for _ in range(size)]


def make_documents(rnd, vocabulary, count=300, length=1000):
    common = vocabulary[:400]
    for _ in range(count):
        words = rnd.choices(common, k=length // 2) + rnd.choices(vocabulary, k=length // 2)
        rnd.shuffle(words)
        words[::9] = ["The"] * len(words[::9])
        yield " ".join(words) + "."


class Corpus:
    def __init__(self):
        self.counts = []

    def add(self, text):
        terms = (word for word in WORD.findall(text.lower()) if word not in STOP)
        self.counts.append(Counter(self.stem(term) for term in terms))

    @staticmethod
    def stem(term):
        for ending in ("tion", "ing", "es", "s"):
            if term.endswith(ending) and len(term) > len(ending) + 3:
                return term[:-len(ending)]
        return term

    def totals(self):
        return sum(self.counts, Counter())  # FAULT concatenations

    def document_frequency(self):
        frequency = Counter()
        for counts in self.counts:
            frequency.update(counts.keys())
        return frequency

    def typical(self, counts, frequency, total, best=4):
        number = len(self.counts)
        scores = {term: count / math.sqrt(total[term]) * math.log(number / frequency[term])
                  for term, count in counts.items()}
        return sorted(scores, key=scores.get, reverse=True)[:best]


def main():
    rnd = random.Random(31)
    corpus = Corpus()
    for text in make_documents(rnd, make_vocabulary(rnd)):
        corpus.add(text)
    started = time.perf_counter()
    total = corpus.totals()
    truth = time.perf_counter() - started
    frequency = corpus.document_frequency()
    typical = [corpus.typical(counts, frequency, total) for counts in corpus.counts]
    for number in range(0, 300, 90):
        print(number, *typical[number])
    print(f"{len(total)} terms, {sum(total.values())} words")
    print(f"truth {truth:.3f}")


if __name__ == "__main__":
    main()

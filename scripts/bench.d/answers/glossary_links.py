"""Link the terms of a glossary in the chapters of a handbook.

Finds each term (also in the plural) in each chapter, makes the index of terms,
then renders the chapters as simple HTML and checks the spelling of rare words.

What is wrong: the search calls re.search() with a pattern text for each of the
terms; there are more terms than the cache of the re module holds (512), so all
patterns are compiled anew for each chapter.
First screen should say: regular expressions compiled again and again (sre
parser and compiler), called from Glossary.terms_in() line 67, about 1.9 s of 3.1 s.
Mend: compile the patterns once when the glossary is loaded.
"""
import html
import random
import re
import time
from collections import Counter, defaultdict

TERMS = 640
CHAPTERS = 56
NEEDED = 0.41        # seconds which the search takes with compiled patterns

ROOTS = ["valve", "rotor", "gasket", "flange", "spindle", "bearing", "piston",
         "clutch", "nozzle", "sensor", "damper", "washer", "bracket", "coupling"]
KINDS = ["main", "outer", "inner", "upper", "lower", "spare", "twin", "slotted",
         "sealed", "vented", "split", "welded", "hollow", "tapered", "guided"]
PLACES = ["front", "rear", "left", "right"]


def make_terms():
    terms = []
    for place in PLACES:
        for kind in KINDS:
            for root in ROOTS:
                terms.append(f"{place} {kind} {root}")
    random.Random(1).shuffle(terms)
    return sorted(terms[:TERMS])


def make_chapters(terms, seed=2):
    rng = random.Random(seed)
    filler = ["check", "the", "turn", "until", "it", "stops", "and", "then", "fit",
              "with", "care", "never", "use", "force", "on", "a", "cold", "engine"]
    for number in range(CHAPTERS):
        words = []
        for _ in range(50):
            words += rng.choices(filler, k=rng.randrange(4, 11))
            if rng.random() < 0.2:
                words.append(rng.choice(terms) + rng.choice(["", "s"]))
            words[-1] += "."
        yield f"Chapter {number + 1}", " ".join(words)


class Glossary:
    def __init__(self, terms):
        self.terms = terms
        self.where = defaultdict(list)

    @staticmethod
    def pattern(term):
        first, middle, last = map(re.escape, term.split())
        return rf"\b(?P<term>{first}[\s-]+{middle}[\s-]+{last})(?:s|es)?\b(?!\w)"

    def terms_in(self, text):
        found = []
        for term in self.terms:
            if re.search(self.pattern(term), text):  # FAULT regular-expressions
                found.append(term)
        return found

    def index(self, title, text):
        for term in self.terms_in(text):
            self.where[term].append(title)


def render(title, text, found):
    out = [f"<h1>{html.escape(title)}</h1>"]
    for sentence in text.split("."):
        line = html.escape(sentence.strip())
        for term in found:
            if term in line:
                line = line.replace(term, f'<a href="#{term.replace(" ", "-")}">{term}</a>')
        out.append(f"<p>{line}.</p>")
    return "\n".join(out)


def distance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        last, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (x != y))
    return row[-1]


def similar_terms(terms):
    """Pairs of terms that are easily confused."""
    pairs = Counter()
    for i, one in enumerate(terms[:520]):
        for other in terms[i + 1:i + 28]:
            if distance(one, other) <= 3:
                pairs[one, other] += 1
    return pairs


def main():
    terms = make_terms()
    glossary = Glossary(terms)
    pages, spent = [], 0.0
    for title, text in make_chapters(terms):
        started = time.perf_counter()
        glossary.index(title, text)
        spent += time.perf_counter() - started
        found = [t for t in terms if title in glossary.where[t]]
        pages.append(render(title, text, found))
    pairs = similar_terms(terms)
    print(f"{len(pages)} pages, {sum(map(len, pages))} characters, "
          f"{sum(bool(v) for v in glossary.where.values())} terms used, "
          f"{len(pairs)} easily confused")
    print(f"truth {max(0.0, spent - NEEDED):.3f}")


if __name__ == "__main__":
    main()

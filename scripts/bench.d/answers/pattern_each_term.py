"""Highlight glossary terms in the pages of a handbook."""
import random
import re
import time

cost = 0.0


def glossary(n):
    rng = random.Random(6)
    syllables = "ka lo mi ter ran do sel va nu pri quo bes".split()
    return sorted({"".join(rng.choice(syllables) for _ in range(4)) for _ in range(n)})


def pages(terms, n):
    rng = random.Random(7)
    return [" ".join(rng.choice(terms) if rng.random() < .2 else "lorem" for _ in range(500)) for _ in range(n)]


def highlight(text, terms):
    global cost
    for term in terms:
        t = time.perf_counter()
        pattern = re.compile(r"\b(%s)(s|ed|ing)?\b" % re.escape(term), re.I)  # FAULT regular-expressions compiling
        cost += time.perf_counter() - t
        if term in text:
            text = pattern.sub(r"<b>\1</b>\2", text)
    return text


def main():
    terms = glossary(900)
    size = 0
    book = pages(terms, 20)
    for page in book:
        size += len(highlight(page, terms))
    print(len(terms), size)
    print("truth %.3f" % (cost * (len(book) - 1) / len(book)))


main()

"""Train word vectors on a synthetic corpus with negative sampling.

What is wrong: choice(p=) checks and adds up all 14,000 probabilities at each of 26,400 steps.
First screen should say: choice() in SkipGram.negatives goes through all weights at each call, 2.4 s.
Mend: add them up once and look random numbers up in the sums (searchsorted).
"""
import time

import numpy as np

VOCABULARY = 14_000
DIM = 128
SENTENCES = 2_200
LENGTH = 60
WINDOW = 4
NEGATIVES = 110
RATE = 0.05


class Corpus:
    """Sentences whose word frequencies follow Zipf's law, with topics."""

    def __init__(self, rng):
        ranks = np.arange(1, VOCABULARY + 1, dtype=np.float64)
        weights = 1.0 / ranks
        words = np.searchsorted(np.cumsum(weights / weights.sum()),
                                rng.random((SENTENCES, LENGTH)))
        topics = rng.integers(0, 50, size=(SENTENCES, 1))
        self.sentences = (words + topics * 211) % VOCABULARY
        self.counts = np.bincount(self.sentences.ravel(), minlength=VOCABULARY)

    def noise_distribution(self):
        noise = (self.counts + 1.0) ** 0.75
        return noise / noise.sum()

    def windows(self):
        """Pairs of a centre word and the words around it."""
        for sentence in self.sentences:
            for centre in range(0, LENGTH, 5):
                low = max(0, centre - WINDOW)
                around = np.concatenate((sentence[low:centre],
                                         sentence[centre + 1:centre + 1 + WINDOW]))
                yield sentence[centre], around


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


class SkipGram:
    def __init__(self, noise, rng):
        self.rng = rng
        self.noise = noise
        self.centre = rng.normal(0, 0.1, (VOCABULARY, DIM))
        self.context = rng.normal(0, 0.1, (VOCABULARY, DIM))
        self.loss = self.spent = 0.0
        self.steps = 0

    def negatives(self):
        began = time.perf_counter()
        drawn = self.rng.choice(VOCABULARY, size=NEGATIVES, p=self.noise)  # FAULT array-choices
        self.spent += time.perf_counter() - began
        return drawn

    def step(self, word, around):
        negatives = self.negatives()
        targets = np.concatenate((around, negatives))
        labels = np.zeros(len(targets))
        labels[:len(around)] = 1.0
        vector = self.centre[word]
        rows = self.context[targets]
        score = sigmoid(rows @ vector)
        error = (score - labels) * RATE
        update = error @ rows
        self.context[targets] = rows - np.outer(error, vector)
        self.centre[word] = vector - update
        self.loss -= np.log(np.where(labels == 1.0, score, 1.0 - score) + 1e-12).sum()
        self.steps += 1

    def nearest(self, word, count):
        norms = np.linalg.norm(self.centre, axis=1)
        likeness = self.centre @ self.centre[word] / norms
        return np.argsort(likeness)[::-1][:count]


def main():
    rng = np.random.default_rng(12)
    corpus = Corpus(rng)
    model = SkipGram(corpus.noise_distribution(), rng)
    for word, around in corpus.windows():
        model.step(word, around)
    print("steps", model.steps, "mean loss %.5f" % (model.loss / model.steps))
    frequent = int(np.argmax(corpus.counts))
    print("near", frequent, model.nearest(frequent, 5).tolist())
    print("truth %.3f" % model.spent)


if __name__ == "__main__":
    main()

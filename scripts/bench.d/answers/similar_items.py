"""Computes the neighbours of every popular item in a rating matrix.

What is wrong: each column is taken from a matrix that is stored by rows (CSR): all of its elements are looked at.
First screen should say: the matrix is gone through whole for each column that SimilarityModel.spread takes, 2.5 s.
Mend: matrix.tocsc() once.
"""
import time

import numpy as np
from scipy import sparse


class Catalogue:
    def __init__(self, users, items, seed):
        self.users = users
        self.items = items
        self._rng = np.random.default_rng(seed)

    def draw_ratings(self, count):
        """Random ratings with a long tail over the items."""
        user = self._rng.integers(0, self.users, count)
        item = np.minimum(self._rng.pareto(1.2, count) * 60, self.items - 1).astype(np.int64)
        item = (item * 7919) % self.items
        stars = self._rng.integers(1, 6, count).astype(np.float32)
        key = user * self.items + item
        _, first = np.unique(key, return_index=True)
        return sparse.csr_matrix(
            (stars[first], (user[first], item[first])),
            shape=(self.users, self.items), dtype=np.float32)


class SimilarityModel:
    def __init__(self, ratings, minimum=130):
        self.ratings = ratings
        self.minimum = minimum
        self.popular = None
        self.centred = None

    def fit(self):
        counts = np.bincount(self.ratings.indices, minlength=self.ratings.shape[1])
        self.popular = np.flatnonzero(counts >= self.minimum)
        self.centred = self._centre_by_user(self.ratings)
        return self

    @staticmethod
    def _centre_by_user(ratings):
        sums = np.asarray(ratings.sum(axis=1)).ravel()
        counts = np.diff(ratings.indptr)
        means = np.divide(sums, counts, out=np.zeros_like(sums), where=counts > 0)
        centred = ratings.copy()
        centred.data -= np.repeat(means, counts).astype(np.float32)
        norms = np.sqrt(np.asarray(centred.multiply(centred).sum(axis=0)).ravel())
        norms[norms == 0] = 1.0
        return (centred @ sparse.diags(1.0 / norms)).tocsr().astype(np.float32)

    def spread(self, item):
        """Mean, deviation and number of the ratings of one item."""
        began = time.perf_counter()
        stars = self.ratings[:, item].data  # FAULT sparse-slices
        self.spent += time.perf_counter() - began
        return float(stars.mean()), float(stars.std()), len(stars)

    def overview(self):
        self.spent = 0.0
        table = np.zeros((len(self.popular), 3))
        for row, item in enumerate(self.popular):
            table[row] = self.spread(item)
        return table

    def neighbours(self, top, block=256):
        by_item = self.centred[:, self.popular]
        transposed = by_item.T.tocsr()
        best = np.empty((len(self.popular), top), dtype=np.int64)
        for start in range(0, len(self.popular), block):
            stop = min(start + block, len(self.popular))
            scores = (transposed[start:stop] @ by_item).toarray()
            scores[np.arange(stop - start), np.arange(start, stop)] = -np.inf
            order = np.argpartition(-scores, top, axis=1)[:, :top]
            best[start:stop] = self.popular[order]
        return best


def main():
    ratings = Catalogue(users=24_000, items=5_000, seed=4).draw_ratings(3_400_000)
    model = SimilarityModel(ratings).fit()
    overview = model.overview()
    best = model.neighbours(top=10)
    controversial = model.popular[np.argmax(overview[:, 1])]
    print("ratings:", ratings.nnz, "popular items:", len(model.popular))
    print("average of means: %.3f" % overview[:, 0].mean(),
          "most controversial:", controversial)
    print("neighbour checksum:", int(best.sum()))
    print("truth %.3f" % model.spent)


if __name__ == "__main__":
    main()

"""Learns vectors of shop articles from pairs that were looked at one after the other.

What is wrong: the gradients of the embedding tables are dense; each step of 256 pairs makes and applies a gradient for all
100,000 articles (25 MB), of which at most some 1,300 rows are not zero.
First screen should say: most of the time is in the backward pass's embedding_dense_backward and in SGD.step and zero_grad
over the whole tables; the embeddings are large and the batches small: use sparse=True.
Mend: nn.Embedding(..., sparse=True).
"""
import time

import torch
from torch import nn
from torch.nn import functional

ARTICLES = 100_000
WIDTH = 64
BATCH = 256
STEPS = 90


class Vectors(nn.Module):
    def __init__(self):
        super().__init__()
        self.here = nn.Embedding(ARTICLES, WIDTH)  # FAULT dense-gradients
        self.there = nn.Embedding(ARTICLES, WIDTH)  # FAULT dense-gradients
        nn.init.normal_(self.here.weight, std=0.1)
        nn.init.normal_(self.there.weight, std=0.1)

    def forward(self, first, second, others):
        here = self.here(first)
        good = (here * self.there(second)).sum(1)
        bad = torch.einsum("bw,bkw->bk", here, self.there(others))
        return -(functional.logsigmoid(good).mean() + functional.logsigmoid(-bad).mean())


class Visits:
    """Pairs of articles: neighbours in the same shelf of fifty."""

    def __init__(self, seed):
        self.draw = torch.Generator().manual_seed(seed)

    def __iter__(self):
        for _ in range(STEPS):
            first = torch.randint(0, ARTICLES, (BATCH,), generator=self.draw)
            second = first // 50 * 50 + torch.randint(0, 50, (BATCH,), generator=self.draw)
            others = torch.randint(0, ARTICLES, (BATCH, 4), generator=self.draw)
            yield first, second, others


class Training:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.SGD(model.parameters(), lr=20.0)
        self.spent = 0.0

    def step(self, pairs):
        began = time.perf_counter()
        self.optimizer.zero_grad()
        self.spent += time.perf_counter() - began
        loss = self.model(*pairs)
        began = time.perf_counter()
        loss.backward()  # FAULT dense-gradients
        self.optimizer.step()  # FAULT dense-gradients
        self.spent += time.perf_counter() - began
        return loss.item()


def main():
    torch.manual_seed(0)
    training = Training(Vectors())
    losses = [training.step(pairs) for pairs in Visits(5)]
    print("first %.4f last %.4f" % (sum(losses[:10]) / 10, sum(losses[-10:]) / 10))
    with torch.no_grad():
        near = functional.cosine_similarity(training.model.here.weight[:50], training.model.there.weight[:50])
    print("near %.4f" % near.mean())
    print("truth %.3f" % training.spent)


main()

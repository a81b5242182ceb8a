"""Passage index: encodes passages with a small transformer encoder and keeps one
vector per passage; then answers some searches.

What is wrong: PassageIndex.add() keeps hidden[:, 0], a view; each view holds the
whole storage of its batch's output (48 x 96 x 192 floats) though only 1/96 of it
is of use, until the index is sealed.
First screen should say: memory grows by about 3.5 MB for each batch, allocated in
Encoder.forward and held alive by PassageIndex.parts (views kept in add, line
marked FAULT); about 300 MB more than the vectors need.
Mend: keep a copy of the vectors: hidden[:, 0].clone(), or copy them into a tensor made
beforehand (as the twin does: small clones between the large blocks can leave holes).
"""
import resource
import time

import torch
from torch import nn

torch.set_num_threads(1)

WORDS = 3000
LENGTH = 96
WIDTH = 192
BATCH = 48
BATCHES = 90


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.places = nn.Parameter(torch.randn(LENGTH, WIDTH) * 0.02)
        self.share = nn.Linear(WIDTH, WIDTH)
        self.narrow = nn.Linear(WIDTH, 24)
        self.widen = nn.Linear(24, WIDTH)
        self.norm = nn.LayerNorm(WIDTH)

    def forward(self, tokens):
        x = self.words(tokens) + self.places
        x = x + self.share(x.mean(1, keepdim=True))
        x = x + self.widen(torch.relu(self.narrow(x)))
        return self.norm(x)


class PassageIndex:
    def __init__(self, encoder):
        self.encoder = encoder
        self.parts = []
        self.numbers = []
        self.vectors = None

    @torch.no_grad()
    def add(self, numbers, tokens):
        hidden = self.encoder(tokens)
        self.parts.append(hidden[:, 0])  # FAULT host-memory-grows kept-views
        self.numbers.extend(numbers)

    def held(self):
        """MB of the stores behind the parts, and of the vectors in them."""
        stores = {part.storage().data_ptr(): part.storage().nbytes() for part in self.parts}
        own = sum(part.numel() * part.element_size() for part in self.parts)
        return sum(stores.values()) / 1e6, own / 1e6

    def seal(self):
        self.vectors = nn.functional.normalize(torch.cat(self.parts), dim=1)
        self.parts.clear()

    @torch.no_grad()
    def search(self, tokens, count=5):
        query = nn.functional.normalize(self.encoder(tokens[None])[:, 0], dim=1)
        scores = (self.vectors * query).sum(1)
        best = scores.topk(count)
        return [(self.numbers[i], round(s, 4)) for s, i in zip(best.values.tolist(), best.indices.tolist())]


def passages(seed):
    """Batches of token numbers; some topics come again and again."""
    generator = torch.Generator().manual_seed(seed)
    topics = torch.randint(0, WORDS, (60, LENGTH), generator=generator)
    for number in range(BATCHES):
        rows = topics[torch.randint(0, 60, (BATCH,), generator=generator)]
        swap = torch.rand(rows.shape, generator=generator) < 0.3
        other = torch.randint(0, WORDS, rows.shape, generator=generator)
        yield range(number * BATCH, (number + 1) * BATCH), torch.where(swap, other, rows)


def main():
    torch.manual_seed(9)
    began = time.perf_counter()
    index = PassageIndex(Encoder().eval())
    queries = []
    for numbers, tokens in passages(3):
        index.add(numbers, tokens)
        if numbers[0] % 480 == 0:
            queries.append(tokens[7])
    stores, own = index.held()
    index.seal()
    hits = [index.search(query) for query in queries]
    print(f"{len(index.numbers)} passages in {time.perf_counter() - began:.1f} s, first hits {hits[0][:2]}")
    print(f"peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000:.0f} MB")
    print(f"truth {stores - own:.0f} MB")


if __name__ == "__main__":
    main()

"""Encodes product reviews batch by batch and looks for near duplicates among them."""
import time

import torch

spent = 0.0


class Encoder(torch.nn.Module):
    def __init__(self, words, width):
        super().__init__()
        self.table = torch.nn.EmbeddingBag(words, width)
        self.head = torch.nn.Linear(width, width)

    def forward(self, tokens):
        return torch.tanh(self.head(self.table(tokens)))


def batches(generator, count, size, words):
    for _ in range(count):
        yield torch.randint(words, (size, 30), generator=generator)


def encode_all(model, stream, width):
    global spent
    vectors = torch.empty(0, width)
    with torch.no_grad():
        for tokens in stream:
            part = model(tokens)
            t = time.perf_counter()
            vectors = torch.cat([vectors, part])  # FAULT growing-by-copies
            spent += time.perf_counter() - t
    return vectors


def duplicates(vectors, sample):
    anchors = torch.nn.functional.normalize(vectors[:: len(vectors) // sample][:sample], dim=1)
    found = 0
    for part in vectors.split(4096):
        scores = torch.nn.functional.normalize(part, dim=1) @ anchors.T
        found += int((scores > 0.999).sum())
    return found


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(1)
    model = Encoder(20_000, 256)
    vectors = encode_all(model, batches(generator, 700, 64, 20_000), 256)
    print("vectors", tuple(vectors.shape), "near duplicates", duplicates(vectors, 200))
    print("truth %.3f" % spent)


main()

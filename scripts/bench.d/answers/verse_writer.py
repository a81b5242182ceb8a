"""Writes verses with a small transformer, one character after the other."""
import math
import time

import torch
from torch import nn

LETTERS = "abcdefghijklmnopqrstuvwxyz ,.\n"
spent = 0.0


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.split = nn.Linear(width, 3 * width)
        self.join = nn.Linear(width, width)

    def forward(self, x, before):
        q, k, v = (part.unflatten(2, (self.heads, -1)).transpose(1, 2) for part in self.split(x).chunk(3, dim=2))
        if before is not None:
            k, v = torch.cat([before[0], k], dim=2), torch.cat([before[1], v], dim=2)
        scores = q @ k.transpose(2, 3) / math.sqrt(q.shape[3])
        ahead = torch.ones(q.shape[2], k.shape[2], dtype=torch.bool).triu(1 + k.shape[2] - q.shape[2])
        mixed = scores.masked_fill(ahead, -math.inf).softmax(3) @ v
        return self.join(mixed.transpose(1, 2).flatten(2)), (k, v)


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.attention, self.first, self.second = Attention(width, heads), nn.LayerNorm(width), nn.LayerNorm(width)
        self.wide = nn.Linear(width, 4 * width)
        self.narrow = nn.Linear(4 * width, width)

    def forward(self, x, before):
        mixed, kept = self.attention(self.first(x), before)
        x = x + mixed
        return x + self.narrow(torch.relu(self.wide(self.second(x)))), kept


class Writer(nn.Module):
    def __init__(self, width=112, heads=4, blocks=3, longest=400):
        super().__init__()
        self.letter, self.place = nn.Embedding(len(LETTERS), width), nn.Embedding(longest, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(blocks))
        self.out = nn.Linear(width, len(LETTERS))

    def forward(self, letters, before=None):
        start = before[0][0].shape[2] if before else 0
        x = self.letter(letters) + self.place(torch.arange(start, start + letters.shape[1]))
        kept = []
        for i, block in enumerate(self.blocks):
            x, one = block(x, before[i] if before else None)
            kept.append(one)
        return self.out(x[:, -1]), kept


@torch.no_grad()
def write(model, opening, count, verses):
    global spent
    text = torch.tensor([[LETTERS.index(c) for c in opening]] * verses)
    for _ in range(count):
        began = time.perf_counter()
        scores, _ = model(text)  # FAULT recomputed-prefix
        spent += time.perf_counter() - began
        text = torch.cat([text, torch.multinomial((scores / 0.9).softmax(1), 1)], dim=1)
    return ["".join(LETTERS[c] for c in row) for row in text.tolist()]


def main():
    torch.manual_seed(4)
    torch.set_num_threads(1)
    verses = write(Writer().eval(), "the moon", 150, 1)
    print(len(verses), "verses,", sum(map(len, verses)), "letters")
    print("truth %.3f" % spent)


main()

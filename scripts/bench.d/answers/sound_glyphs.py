"""Character model of place names: trains on a made-up gazetteer, keeps the best
weights, then invents names."""
import copy
import random
import time
from collections import Counter

import torch
from torch import nn

ALPHABET = "^$abcdefghijklmnopqrstuvwxyz"
PAD = ALPHABET.index("$")
ONSETS = ["b", "br", "c", "d", "f", "gl", "h", "k", "l", "m", "n", "p", "st", "th", "w"]
VOWELS = ["a", "e", "i", "o", "u", "ea", "ow"]
ENDINGS = ["ton", "ham", "wick", "by", "ford", "mere", "stead", "ley"]


def make_gazetteer(count, seed):
    rng = random.Random(seed)
    names = []
    for _ in range(count):
        name = ""
        for _ in range(rng.choice((1, 1, 2))):
            name += rng.choice(ONSETS) + rng.choice(VOWELS)
        names.append(name + rng.choice(ENDINGS))
    return names


def encode(names):
    """Names as padded rows of indices, sorted so that a batch has like lengths."""
    rows = sorted(([ALPHABET.index(c) for c in "^" + name + "$"] for name in names), key=len)
    return rows


def batches(rows, size, rng):
    starts = list(range(0, len(rows), size))
    rng.shuffle(starts)
    for at in starts:
        part = rows[at:at + size]
        width = max(len(row) for row in part)
        yield torch.tensor([row + [PAD] * (width - len(row)) for row in part])


class NameModel(nn.Module):
    def __init__(self, width=96):
        super().__init__()
        self.embed = nn.Embedding(len(ALPHABET), 24)
        self.memory = nn.GRU(24, width, num_layers=2, batch_first=True)
        self.head = nn.Linear(width, len(ALPHABET))

    def forward(self, letters, state=None):
        hidden, state = self.memory(self.embed(letters), state)
        return self.head(hidden), state


def batch_loss(model, batch):
    scores, _ = model(batch[:, :-1])
    return nn.functional.cross_entropy(scores.flatten(0, 1), batch[:, 1:].flatten())


def train_epoch(model, rows, optimiser, rng):
    model.train()
    total, count = 0.0, 0
    for batch in batches(rows, 80, rng):
        loss = batch_loss(model, batch)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        total += loss.item()
        count += 1
    return total / count


@torch.no_grad()
def held_out_loss(model, rows):
    model.eval()
    losses = [batch_loss(model, batch).item() for batch in batches(rows, 200, random.Random(0))]
    return sum(losses) / len(losses)


@torch.no_grad()
def invent(model, count, warmth):
    """Samples names letter by letter, all of them abreast."""
    model.eval()
    letters = torch.zeros(count, 1, dtype=torch.long)
    state, columns = None, []
    ended = torch.zeros(count, dtype=torch.bool)
    while not ended.all().item() and len(columns) < 24:
        scores, state = model(letters, state)
        letters = torch.multinomial(torch.softmax(scores[:, -1] / warmth, dim=1), 1)
        columns.append(letters.clone())
        ended |= letters[:, 0] == PAD
    names = []
    for row in torch.cat(columns, dim=1).tolist():
        name = ""
        for index in row:
            if index == PAD:
                break
            name = name + ALPHABET[index]
        names.append(name)
    return names


def main():
    torch.manual_seed(2)
    rng = random.Random(2)
    started = time.time()
    rows = encode(make_gazetteer(1500, seed=1))
    held = encode(make_gazetteer(400, seed=9))
    model = NameModel()
    optimiser = torch.optim.Adam(model.parameters(), lr=3e-3)
    best, best_state = float("inf"), None
    for epoch in range(3):
        loss = train_epoch(model, rows, optimiser, rng)
        held_loss = held_out_loss(model, held)
        if held_loss < best:
            best, best_state = held_loss, copy.deepcopy(model.state_dict())
        print(f"epoch {epoch}: loss {loss:.3f}, held-out {held_loss:.3f}, {time.time() - started:.1f} s")
    model.load_state_dict(best_state)
    for warmth in (0.6, 0.8, 1.0):
        names = invent(model, 400, warmth)
        endings = Counter(next((e for e in ENDINGS if n.endswith(e)), "other") for n in names)
        print(f"warmth {warmth}: {len(set(names))} different, {', '.join(names[:4])}; {endings.most_common(3)}")
    print(f"done after {time.time() - started:.1f} s")


if __name__ == "__main__":
    main()

"""Train a character model on generated recipe text with truncated backpropagation."""
import random

import torch
from torch import nn


def recipe_text(n, seed=8):
    rng = random.Random(seed)
    verbs = ["chop", "boil", "fry", "stir", "bake", "rest"]
    things = ["onions", "rice", "beans", "dough", "leeks", "the sauce"]
    steps = (f"{rng.choice(verbs)} {rng.choice(things)} for {rng.randint(1, 40)} minutes. " for _ in range(n))
    return "".join(steps)


class CharModel(nn.Module):
    def __init__(self, vocab, hidden=160):
        super().__init__()
        self.embed = nn.Embedding(vocab, 32)
        self.lstm = nn.LSTM(32, hidden)
        self.out = nn.Linear(hidden, vocab)

    def forward(self, x, state=None):
        h, state = self.lstm(self.embed(x), state)
        return self.out(h), state


def streams(text, batch):
    chars = sorted(set(text))
    index = {c: i for i, c in enumerate(chars)}
    data = torch.tensor([index[c] for c in text])
    rows = len(data) // batch
    return data[: rows * batch].view(batch, rows).t().contiguous(), len(chars)


def train(model, data, window, optimizer, loss_fn):
    state, total, windows = None, 0.0, 0
    for lo in range(0, len(data) - window - 1, window):
        x, y = data[lo:lo + window], data[lo + 1:lo + window + 1]
        logits, state = model(x, state)
        state = tuple(s.detach() for s in state)
        loss = loss_fn(logits.flatten(0, 1), y.flatten())
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        total += loss.item()
        windows += 1
    return total / windows


def main():
    torch.manual_seed(6)
    data, vocab = streams(recipe_text(760), batch=64)
    model = CharModel(vocab)
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    loss = train(model, data, 48, optimizer, nn.CrossEntropyLoss())
    print(f"mean loss {loss:.4f}")


if __name__ == "__main__":
    main()

"""Train a small churn model on tabular customer features.

What is wrong: the held-out set is evaluated after each batch, not each epoch: more than half of the time.
First screen should say: evaluation takes most of the steps' time, in each of them; the line that keeps the best.
Mend: keep_best() once an epoch.
"""
import copy
import time

import torch
from torch import nn

FEATURES = 48


def customers(count, seed):
    gen = torch.Generator().manual_seed(seed)
    x = torch.randn(count, FEATURES, generator=gen)
    mix = torch.randn(FEATURES, generator=torch.Generator().manual_seed(1))
    score = x @ mix * 0.4 + torch.sin(x[:, 0] * 2) + x[:, 1] * x[:, 2]
    noise = torch.randn(count, generator=gen) * 0.5
    return x, (score + noise > 0.4).float()


class ChurnNet(nn.Module):
    def __init__(self, width=160):
        super().__init__()
        self.norm = nn.LayerNorm(FEATURES)
        self.first = nn.Linear(FEATURES, width)
        self.second = nn.Linear(width, width)
        self.out = nn.Linear(width, 1)
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        h = torch.relu(self.first(self.norm(x)))
        h = h + torch.relu(self.second(self.drop(h)))
        return self.out(h).squeeze(-1)


class Trainer:
    def __init__(self, model, held_out, rate=2e-3):
        self.model = model
        self.held_out = held_out
        self.loss = nn.BCEWithLogitsLoss()
        self.optim = torch.optim.AdamW(model.parameters(), lr=rate)
        self.best = 0.0
        self.spent = 0.0
        self.best_state = None

    def update(self, x, y):
        self.optim.zero_grad(set_to_none=True)
        loss = self.loss(self.model(x), y)
        loss.backward()
        self.optim.step()
        return loss.item()

    @torch.no_grad()
    def held_out_accuracy(self):
        self.model.eval()
        x, y = self.held_out
        right = 0
        for part, want in zip(x.split(512), y.split(512)):
            right += ((self.model(part) > 0) == want.bool()).sum().item()
        self.model.train()
        return right / len(y)

    def keep_best(self):
        accuracy = self.held_out_accuracy()  # FAULT evaluation-in-steps
        if accuracy > self.best:
            self.best = accuracy
            self.best_state = copy.deepcopy(self.model.state_dict())

    def epoch(self, data, batch=128):
        features, labels = data
        total = 0.0
        for pick in torch.randperm(len(labels)).split(batch):
            total += self.update(features[pick], labels[pick]) * len(pick)
            began = time.perf_counter()
            self.keep_best()  # FAULT evaluation-in-steps
            self.spent += time.perf_counter() - began
        return total / len(labels)


def main():
    torch.manual_seed(0)
    data = customers(6000, 3)
    trainer = Trainer(ChurnNet(), customers(800, 4))
    for number in range(4):
        began = time.perf_counter()
        loss = trainer.epoch(data)
        spent = time.perf_counter() - began
        print(f"epoch {number}: loss {loss:.4f} best {trainer.best:.3f} "
              f"({spent:.1f} s)")
    trainer.model.load_state_dict(trainer.best_state)
    print(f"final accuracy {trainer.held_out_accuracy():.3f}")
    print("truth %.3f" % trainer.spent)


if __name__ == "__main__":
    main()

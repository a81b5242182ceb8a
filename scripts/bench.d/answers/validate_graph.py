"""Trains for a little and then validates, keeping the scores of all batches for the metrics.

What is wrong: the validation runs without torch.no_grad, so each kept tensor of scores holds the graph that made it, with
the activations of all layers of its batch.
First screen should say: memory grows by some 5 MB with every validation batch, allocated in the network's forward pass
from Experiment.validate and kept alive through the scores' autograd graph - use torch.no_grad().
Mend: with torch.no_grad() around the loop.
"""
import contextlib

import torch

torch.set_num_threads(2)
WIDTH, DEPTH, BATCH = 48, 6, 4096


class Stack(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Linear(WIDTH, WIDTH) for _ in range(DEPTH))
        self.head = torch.nn.Linear(WIDTH, 10)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x).relu_()  # FAULT kept-graphs
        return self.head(x)


class Experiment:
    def __init__(self, generator):
        self.generator = generator
        self.net = Stack()
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.02)
        self.centres = torch.randn(10, WIDTH, generator=generator)

    def batches(self, n):
        for _ in range(n):
            y = torch.randint(0, 10, (BATCH,), generator=self.generator)
            yield torch.randn(BATCH, WIDTH, generator=self.generator).mul_(3).add_(self.centres[y]), y

    def train(self, n):
        for x, y in self.batches(n):
            self.optimizer.zero_grad()
            torch.nn.functional.cross_entropy(self.net(x), y).backward()
            self.optimizer.step()

    def grad_mode(self):
        return contextlib.nullcontext()  # FAULT kept-graphs

    def validate(self, n):
        scores, truths = [], []
        with self.grad_mode():
            for x, y in self.batches(n):
                scores.append(self.net(x))  # FAULT kept-graphs
                truths.append(y)
        return scores, truths


def metrics(scores, truths):
    scores, truths = torch.cat(scores), torch.cat(truths)
    guesses = scores.argmax(1)
    matrix = torch.zeros(10, 10, dtype=torch.long)
    matrix.index_put_((truths, guesses), torch.ones(1, dtype=torch.long), accumulate=True)
    return float((guesses == truths).float().mean()), matrix


torch.manual_seed(6)
experiment = Experiment(torch.Generator().manual_seed(7))
experiment.train(12)
scores, truths = experiment.validate(50)
accuracy, matrix = metrics(scores, truths)
print("accuracy", round(accuracy, 4), "of", int(matrix.sum()))
kept = sum(BATCH * WIDTH * (DEPTH + 1) * 4 for s in scores if s.grad_fn is not None)
print("truth", kept, "bytes")

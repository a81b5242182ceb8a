"""Tide model: fits a recurrent net to long series of water levels, section by
section, with the state carried over the sections of a series.

What is wrong: the loss of each section is sent back at once, with
retain_graph=True, and the state is carried on with its history; so the backward
pass of section k runs through all the sections 1..k again: the work grows with the
square of the number of sections, for the very same gradients that one backward
pass of the summed loss gives.
First screen should say: most time is in loss.backward(retain_graph=True) in
Trainer.fit_series (line marked FAULT), and it grows from section to section
(the last takes about ten times as long as the first).
Mend: add the losses up and call backward once per series.
"""
import time

import torch
from torch import nn

torch.set_num_threads(1)

SECTIONS = 10
STEPS = 16


class TideNet(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.read = nn.Linear(4, width)
        self.cell = nn.GRUCell(width, width)
        self.write = nn.Sequential(nn.Linear(width, 32), nn.Tanh(), nn.Linear(32, 1))
        self.width = width

    def forward(self, section, state):
        levels = []
        for step in section.unbind(1):
            state = self.cell(torch.tanh(self.read(step)), state)
            levels.append(self.write(state))
        return torch.stack(levels, 1).squeeze(2), state


class Gauges:
    """Made-up gauges: four tidal waves each, wind, and noise."""

    def __init__(self, seed):
        self.generator = torch.Generator().manual_seed(seed)

    def series(self, count):
        length = SECTIONS * STEPS
        hours = torch.arange(length + 1, dtype=torch.float32)
        periods = torch.tensor([12.42, 12.0, 25.82, 23.93])
        shift = torch.rand(count, 1, 4, generator=self.generator) * 6.28
        height = torch.rand(count, 1, 4, generator=self.generator) + 0.2
        waves = height * torch.sin(6.283 * hours[None, :, None] / periods + shift)
        waves += 0.05 * torch.randn(waves.shape, generator=self.generator)
        return waves[:, :-1], waves[:, 1:].sum(2)


class Trainer:
    def __init__(self):
        self.net = TideNet()
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=3e-3)
        self.back = 0.0
        self.first = 0.0

    def fit_series(self, inputs, levels):
        state = torch.zeros(len(inputs), self.net.width)
        self.optimizer.zero_grad()
        total = 0.0
        parts = zip(inputs.split(STEPS, 1), levels.split(STEPS, 1))
        for number, (section, target) in enumerate(parts):
            guess, state = self.net(section, state)
            loss = nn.functional.smooth_l1_loss(guess, target)
            began = time.perf_counter()
            loss.backward(retain_graph=True)  # FAULT retained-graphs
            spent = time.perf_counter() - began
            self.back += spent
            self.first += spent * SECTIONS if number == 0 else 0.0
            total += loss.item()
        nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
        self.optimizer.step()
        return total / SECTIONS

    @torch.no_grad()
    def check(self, inputs, levels):
        state = torch.zeros(len(inputs), self.net.width)
        guess, _ = self.net(inputs, state)
        return (guess - levels).abs().mean().item()


def main():
    torch.manual_seed(2)
    gauges = Gauges(6)
    trainer = Trainer()
    held_back = gauges.series(64)
    for round_number in range(5):
        loss = trainer.fit_series(*gauges.series(32))
        error = trainer.check(*held_back)
        print(f"round {round_number}: loss {loss:.4f}, off by {error:.4f}")
    print(f"truth {max(0.0, trainer.back - trainer.first):.3f}")


if __name__ == "__main__":
    main()

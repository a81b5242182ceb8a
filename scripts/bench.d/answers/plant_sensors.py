"""Autoencoder for a plant's sensor snapshots: commissioning run, then daily operation.

What is wrong: after the commissioning seven of eight units are masked, so that the gradients of their weights are 0 in
each step. Adam's averages of them decay until they are denormal numbers, which the processor computes with slowly: from
step 700 or so on the optimizer takes three times as long.
First screen should say: the line of opt.step() computes with denormal numbers, so many seconds of it.
Mend: torch.set_flush_denormal(True).
"""
import statistics
import time

import torch
import torch.nn as nn


class Plant:
    """Correlated readings of many channels; most units idle after commissioning."""

    def __init__(self, channels, units, factors, seed):
        self.gen = torch.Generator().manual_seed(seed)
        self.channels = channels
        self.mixing = torch.randn(factors, channels, generator=self.gen) / factors ** 0.5
        unit_of = torch.arange(channels) * units // channels
        self.running = (unit_of == 0).float()

    def commissioning(self, batch):
        return self._read(batch), torch.ones(self.channels)

    def operation(self, batch):
        return self._read(batch) * self.running, self.running

    def _read(self, batch):
        hidden = torch.randn(batch, self.mixing.size(0), generator=self.gen)
        noise = torch.randn(batch, self.channels, generator=self.gen)
        return torch.addmm(noise, hidden, self.mixing, beta=0.05)


class AutoEncoder(nn.Module):
    def __init__(self, channels, code):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(channels, code), nn.Tanh())
        self.decoder = nn.Linear(code, channels)

    def forward(self, x):
        return self.decoder(self.encoder(x))


def masked_mse(out, x, mask):
    return (((out - x) * mask) ** 2).sum() / (mask.sum() * x.size(0))


class Fitter:
    def __init__(self, model, lr):
        self.model = model
        self.opt = torch.optim.Adam(model.parameters(), lr=lr)
        self.times = []

    def step(self, x, mask):
        loss = masked_mse(self.model(x), x, mask)
        self.opt.zero_grad()
        loss.backward()
        began = time.perf_counter()
        self.opt.step()  # FAULT denormal-numbers
        self.times.append(time.perf_counter() - began)
        return loss.item()

    def run(self, source, steps, batch, name, report):
        for i in range(1, steps + 1):
            x, mask = source(batch)
            loss = self.step(x, mask)
            if i % report == 0:
                print(f"{name} {i}: loss {loss:.4f}")


@torch.no_grad()
def alarm_threshold(model, plant, batches, batch):
    """99.5 % quantile of the reconstruction error in normal operation."""
    errors = []
    for _ in range(batches):
        x, mask = plant.operation(batch)
        errors.append((((model(x) - x) * mask) ** 2).sum(1) / mask.sum())
    return torch.quantile(torch.cat(errors), 0.995).item()


def main():
    torch.manual_seed(0)
    plant = Plant(channels=4096, units=8, factors=6, seed=1)
    model = AutoEncoder(plant.channels, code=24)
    fitter = Fitter(model, lr=2e-3)
    fitter.run(plant.commissioning, steps=60, batch=2, name="commissioning", report=30)
    fitter.run(plant.operation, steps=1600, batch=2, name="operation", report=400)
    print(f"alarm threshold {alarm_threshold(model, plant, 20, 32):.4f}")
    usual = statistics.median(fitter.times[60:360])
    print("truth %.3f" % sum(max(0, t - usual) for t in fitter.times[360:]))


if __name__ == "__main__":
    main()

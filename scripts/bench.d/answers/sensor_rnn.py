"""Scores long sensor recordings with an orthogonal recurrent net (the
recurrent matrix is kept orthogonal by a parametrization) and reports the
machines that look odd.

What is wrong: `self.rec(h)` in the time loop works the orthogonal matrix out
anew (matrix exponential) at every time step although the weights stand still.
First screen should say: some 40 % of the run is the parametrization's
matrix_exp, called once per time step from the loop in OrthoRNN.forward; own
line self.rec(h).
Mend: `with parametrize.cached():` around the time loop.
"""
import time

import torch
from torch import nn
from torch.nn.utils import parametrizations, parametrize

torch.set_num_threads(1)

WIDTH = 128
STEPS = 160
CHANNELS = 12
RECORDINGS = 960
BATCH = 64


class OrthoRNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.inp = nn.Linear(CHANNELS, WIDTH)
        self.rec = parametrizations.orthogonal(nn.Linear(WIDTH, WIDTH, bias=False), orthogonal_map="matrix_exp")
        self.level = nn.Parameter(torch.full((WIDTH,), 0.05))
        self.back = nn.Linear(WIDTH, CHANNELS)

    def forward(self, x):
        h = x.new_zeros(len(x), WIDTH)
        guesses = []
        for t in range(x.shape[1]):
            z = self.inp(x[:, t]) + self.rec(h)  # FAULT parametrizations
            h = torch.sign(z) * torch.relu(z.abs() - self.level)
            guesses.append(self.back(h))
        return torch.stack(guesses, dim=1)


class Recordings:
    """Sums of slow waves per channel; each 40th machine has a rattle."""

    def __init__(self, seed):
        self.gen = torch.Generator().manual_seed(seed)

    def load(self, start, count):
        clock = torch.arange(STEPS + 1, dtype=torch.float32)
        speed = torch.rand(count, 1, CHANNELS, generator=self.gen) * 0.3 + 0.05
        phase = torch.rand(count, 1, CHANNELS, generator=self.gen) * 6.28
        x = torch.sin(clock[None, :, None] * speed + phase)
        x += 0.1 * torch.randn(x.shape, generator=self.gen)
        for row in range(count):
            if (start + row) % 40 == 7:
                x[row, 60:90, 3] += 2.5 * torch.randn(30, generator=self.gen)
        return x


class Scorer:
    def __init__(self, net):
        self.net = net
        self.baseline = []

    def errors(self, x):
        guess = self.net(x[:, :-1])
        return (guess - x[:, 1:]).pow(2)

    def smooth(self, err, span=15):
        """Running median, so that single spikes do not count."""
        windows = err.mean(dim=2).unfold(1, span, 1)
        return windows.median(dim=2).values

    def score(self, x):
        err = self.smooth(self.errors(x))
        return err.amax(dim=1) / err.mean(dim=1)


def spectrum_check(x):
    """The band energies that go into the report beside the score."""
    power = torch.fft.rfft(x, dim=1).abs().pow(2)
    return torch.stack([power[:, :10].sum((1, 2)), power[:, 10:].sum((1, 2))], dim=1)


class WeightClock:
    """How long and how often the recurrent matrix is worked out."""

    def __init__(self, module):
        self.seconds, self.calls = 0.0, 0
        module.register_forward_pre_hook(self.before)
        module.register_forward_hook(self.after)

    def before(self, *_):
        self.began = time.perf_counter()

    def after(self, *_):
        self.seconds += time.perf_counter() - self.began
        self.calls += 1

    def saved(self, needed):
        return self.seconds * (1 - needed / self.calls)


def main():
    torch.manual_seed(6)
    net = OrthoRNN().eval()
    scorer = Scorer(net)
    clock = WeightClock(net.rec.parametrizations.weight[0])
    source = Recordings(3)
    worst, bands, batches = [], [], 0
    with torch.no_grad():
        for start in range(0, RECORDINGS, BATCH):
            x = source.load(start, BATCH)
            worst.append(scorer.score(x))
            bands.append(spectrum_check(x))
            batches += 1
    worst, bands = torch.cat(worst), torch.cat(bands)
    top = worst.topk(10).indices.tolist()
    print("odd machines", sorted(top))
    print("share of high band", f"{(bands[:, 1] / bands.sum(1)).mean():.4f}")
    print(f"truth {clock.saved(batches):.3f}")


if __name__ == "__main__":
    main()

"""Spots wake words in a microphone recording: log-mel frames and a small convolutional net.

What is wrong: eight threads compute each of the small operators, on two processors; most of them wait for the others in
a loop of OpenMP's.
First screen should say: more threads compute than there are processors, torch.set_num_threads, some 2 s.
Mend: as many threads as processors.
"""
import os
import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

RATE = 16_000
WINDOW = 400
HOP = 160
MELS = 32
FRAMES = 64
STRIDE = 8
BATCH = 4
WORDS = ["background", "computer", "lights", "music", "stop"]


def configure():
    torch.set_num_threads(int(os.environ.get("SPOTTER_THREADS", "8")))  # FAULT oversubscribed-processors
    torch.manual_seed(23)
    torch.set_grad_enabled(False)


def synth_recording(seconds, seed=9):
    """Noise floor with a few chirps where somebody speaks."""
    rng = np.random.default_rng(seed)
    signal = rng.normal(0, 0.02, seconds * RATE).astype(np.float32)
    for start in range(2 * RATE, (seconds - 1) * RATE, 3 * RATE):
        t = np.arange(RATE // 2) / RATE
        pitch = rng.uniform(200, 900)
        chirp = 0.3 * np.sin(2 * np.pi * (pitch * t + 400 * t * t)) * np.hanning(len(t))
        signal[start:start + len(t)] += chirp.astype(np.float32)
    return signal


def mel_filters():
    low, high = 2595 * np.log10(1 + 60 / 700), 2595 * np.log10(1 + 7600 / 700)
    edges = 700 * (10 ** (np.linspace(low, high, MELS + 2) / 2595) - 1)
    bins = np.fft.rfftfreq(512, 1 / RATE)
    filters = np.zeros((MELS, len(bins)), dtype=np.float32)
    for m in range(MELS):
        rising = (bins - edges[m]) / (edges[m + 1] - edges[m])
        falling = (edges[m + 2] - bins) / (edges[m + 2] - edges[m + 1])
        filters[m] = np.maximum(0, np.minimum(rising, falling))
    return filters


def log_mel(signal):
    frames = np.lib.stride_tricks.sliding_window_view(signal, WINDOW)[::HOP]
    filters = mel_filters()
    out = np.empty((len(frames), MELS), dtype=np.float32)
    window = np.hanning(WINDOW)
    for start in range(0, len(frames), 1000):
        spectrum = np.fft.rfft(frames[start:start + 1000] * window, n=512, axis=1)
        out[start:start + 1000] = np.log(np.abs(spectrum).astype(np.float32) ** 2 @ filters.T + 1e-6)
    return (out - out.mean(axis=0)) / out.std(axis=0)


class SpotterNet(nn.Module):
    def __init__(self, width=12, blocks=4):
        super().__init__()
        self.stem = nn.Conv2d(1, width, 3, padding=1, stride=(2, 1))
        self.blocks = nn.ModuleList(nn.Conv2d(width, width, 3, padding=1) for _ in range(blocks))
        self.norms = nn.ModuleList(nn.BatchNorm2d(width) for _ in range(blocks))
        self.head = nn.Linear(width, len(WORDS))

    def forward(self, x):
        x = F.relu(self.stem(x))
        for conv, norm in zip(self.blocks, self.norms):
            x = x + F.relu(norm(conv(x)))
        return self.head(x.mean(dim=(2, 3)))


class Smoother:
    """Running mean of the posteriors, as the device firmware does it."""

    def __init__(self, length=12):
        self.recent = []
        self.length = length

    def push(self, posterior):
        self.recent = (self.recent + [posterior])[-self.length:]
        return np.mean(self.recent, axis=0)


def spot(model, features):
    smoother = Smoother()
    events, confidence = [], 0.0
    starts = range(0, len(features) - FRAMES, STRIDE)
    for first in range(0, len(starts), BATCH):
        chosen = starts[first:first + BATCH]
        windows = np.stack([features[start:start + FRAMES] for start in chosen])
        posteriors = torch.softmax(model(torch.from_numpy(windows).unsqueeze(1)), dim=1).numpy()
        for start, posterior in zip(chosen, posteriors):
            smooth = smoother.push(posterior)
            word = int(smooth.argmax())
            confidence += float(smooth[word])
            if not events or events[-1][1] != word:
                events.append((start, word))
    return events, confidence / len(starts)


def main():
    configure()
    features = log_mel(synth_recording(300))
    model = SpotterNet().eval()
    began = time.perf_counter()
    events, confidence = spot(model, features)
    taken = time.perf_counter() - began
    windows = (len(features) - FRAMES) // STRIDE
    print(f"frames {len(features)}, windows {windows}, mean confidence {confidence:.2f}, {len(events)} events")
    # What a twelfth of it takes without the others: one thread is as fast as two with operators that small.
    torch.set_num_threads(1)
    began = time.perf_counter()
    spot(model, features[: len(features) // 12])
    print("truth", taken - 12 * (time.perf_counter() - began))


if __name__ == "__main__":
    main()

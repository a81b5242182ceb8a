"""Embed ECG strips with a causal convolution encoder and look for near-duplicate patients.

What is wrong: The last-step view keeps the whole feature map of each batch alive.
Mend: States[..., -1].clone().
"""
import math

import torch
from torch import nn

STRIP = 480
LEADS = 4


class CausalBlock(nn.Module):
    def __init__(self, width, dilation):
        super().__init__()
        self.reach = 2 * dilation
        self.conv = nn.Conv1d(width, width, kernel_size=3, dilation=dilation)

    def forward(self, x):
        return nn.functional.relu(self.conv(nn.functional.pad(x, (self.reach, 0))), inplace=True).add_(x)


class StripEncoder(nn.Module):
    def __init__(self, leads, width, depth):
        super().__init__()
        self.stem = nn.Conv1d(leads, width, kernel_size=7, stride=2, padding=3)
        self.blocks = nn.Sequential(*(CausalBlock(width, 2 ** k) for k in range(depth)))

    def forward(self, strips):
        return self.blocks(self.stem(strips))


class StripSource:
    """Synthetic strips, drawn batch by batch; every ninth patient has been recorded twice."""

    def __init__(self, patients, batch, seed):
        self.patients = patients
        self.batch = batch
        self.seed = seed

    def __iter__(self):
        grid = torch.linspace(0, 4, STRIP)
        for start in range(0, self.patients, self.batch):
            ids = torch.arange(start, min(start + self.batch, self.patients))
            base = torch.where(ids % 9 == 8, ids - 8, ids)
            rate = 0.9 + (base * 37 % 101).float() / 150
            phase = (base * 53 % 97).float() / 97 * 2 * math.pi
            angle = 2 * math.pi * rate[:, None] * grid + phase[:, None]
            beats = torch.stack([torch.sin((k + 1) * angle) / (k + 1) for k in range(LEADS)], dim=1)
            noise = torch.Generator().manual_seed(self.seed + start)
            yield ids, beats + 0.01 * torch.randn(beats.shape, generator=noise)


class PatientIndex:
    def __init__(self):
        self.ids = []
        self.vectors = []

    def add(self, ids, vectors):
        self.ids.append(ids)
        self.vectors.append(vectors)

    def held(self):
        owned = sum(v.numel() * v.element_size() for v in self.vectors)
        stored = [v.storage().nbytes() for v in self.vectors]
        return max(0, sum(stored) - owned - 2 * max(stored))

    def matrix(self):
        return torch.cat(self.ids), nn.functional.normalize(torch.cat(self.vectors), dim=1)


@torch.inference_mode()
def build_index(encoder, source):
    encoder.eval()
    index = PatientIndex()
    for ids, strips in source:
        states = encoder(strips)
        index.add(ids, states[..., -1])  # FAULT kept-views
    return index


@torch.inference_mode()
def near_duplicates(ids, vectors, threshold, block=512):
    found = 0
    strongest = []
    for start in range(0, len(vectors), block):
        part = vectors[start:start + block]
        scores = part @ vectors.T
        rows = torch.arange(start, start + len(part))
        scores[torch.arange(len(part)), rows] = -1
        best, where = scores.max(dim=1)
        hit = best > threshold
        found += int(hit.sum())
        strongest += list(zip(ids[rows[hit]].tolist(), ids[where[hit]].tolist()))
    return found, strongest


def centre(vectors):
    vectors = vectors - vectors.mean(dim=0)
    return nn.functional.normalize(vectors, dim=1)


def main():
    torch.manual_seed(3)
    encoder = StripEncoder(LEADS, width=64, depth=5)
    source = StripSource(patients=5760, batch=576, seed=100)
    index = build_index(encoder, source)
    held = index.held()
    ids, vectors = index.matrix()
    vectors = centre(vectors)
    found, pairs = near_duplicates(ids, vectors, threshold=0.999)
    exact = sum(1 for a, b in pairs if abs(a - b) == 8)
    print(f"{len(ids)} patients, width {vectors.shape[1]}")
    print(f"{found} near duplicates, {exact} of them recorded twice")
    print(f"truth {held} bytes")


if __name__ == "__main__":
    main()

"""Train a small transformer keyword spotter on log-mel features."""
import os
import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

DEVICE = os.environ.get("DEVICE", "cuda")
SMALL = os.environ.get("SMALL") == "1"
RATE, SECONDS = 16000, 1.5
WIN, HOP, MELS = 512, 160, 80
BATCH, STEPS = (4, 3) if SMALL else (32, 80)
WIDTH, LAYERS = (64, 2) if SMALL else (768, 12)
MAX_SECONDS = 45

HANN = np.hanning(WIN).astype(np.float32)
_rng = np.random.default_rng(1)
MEL = np.abs(_rng.standard_normal((MELS, WIN // 2 + 1))).astype(np.float32)


class Utterances(Dataset):
    def __init__(self, n):
        rng = np.random.default_rng(0)
        self.pool = rng.standard_normal((64, int(RATE * SECONDS))).astype(np.float32)
        self.labels = rng.integers(0, 35, n)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        wave = np.roll(self.pool[i % 64], i * 37)
        return wave, int(self.labels[i])


def log_mel(wave):
    frames = []
    for start in range(0, len(wave) - WIN + 1, HOP):
        spec = np.abs(np.fft.rfft(wave[start:start + WIN] * HANN)) ** 2
        frames.append(np.log(MEL @ spec.astype(np.float32) + 1e-6))
    feats = np.stack(frames)
    return (feats - feats.mean(0)) / (feats.std(0) + 1e-5)


def collate(items):
    feats = np.stack([log_mel(wave) for wave, _ in items])
    labels = torch.tensor([label for _, label in items])
    return torch.from_numpy(feats.astype(np.float32)), labels


class Spotter(nn.Module):
    def __init__(self):
        super().__init__()
        self.inp = nn.Linear(MELS, WIDTH)
        layer = nn.TransformerEncoderLayer(WIDTH, 8, WIDTH * 4, 0.0, batch_first=True,
                                           norm_first=True, activation="gelu")
        self.enc = nn.TransformerEncoder(layer, LAYERS, enable_nested_tensor=False)
        self.out = nn.Linear(WIDTH, 35)

    def forward(self, x):
        return self.out(self.enc(self.inp(x)).mean(1))


def main():
    torch.manual_seed(0)
    data = Utterances(BATCH * STEPS)
    loader = DataLoader(data, batch_size=BATCH, shuffle=True, collate_fn=collate,
                        pin_memory=DEVICE == "cuda")
    model = Spotter().to(DEVICE)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-4)
    total = torch.zeros((), device=DEVICE)
    begin, seen = time.time(), 0
    for feats, labels in loader:  # FAULT waiting-for-data
        feats = feats.to(DEVICE, non_blocking=True)
        labels = labels.to(DEVICE, non_blocking=True)
        with torch.autocast(DEVICE, torch.bfloat16):
            logits = model(feats)
        loss = F.cross_entropy(logits.float(), labels)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        total += loss.detach()
        seen += 1
        if time.time() - begin > MAX_SECONDS:
            break
    print(f"steps {seen} mean loss {total.item() / seen:.2f}")


if __name__ == "__main__":
    main()

"""SOUND: power iteration and a filter; all time in BLAS and FFT."""
import numpy as np


def dominant(a, rounds=100):
    v = np.ones(a.shape[0])
    for _ in range(rounds):
        v = a @ v
        v /= np.linalg.norm(v)
    return v @ a @ v


def smooth(signal, kernel):
    return np.fft.irfft(np.fft.rfft(signal) * np.fft.rfft(kernel, len(signal)), len(signal))


rng = np.random.default_rng(0)
a = rng.random((900, 900))
g = a @ a.T
print(dominant(g))
signal = rng.random(1 << 20)
kernel = np.ones(64) / 64
for _ in range(12):
    signal = smooth(signal, kernel)
for _ in range(4):
    g = g @ a / np.abs(g).max()
print(signal.std(), g.mean())

"""Clean the channels of a microphone array and rate the channels.

A recording is a frame-major array (samples, microphones), as the sound card
delivers it.  Every channel gets a hum filter, then levels and crossings; a
spectrum of the sum signal follows.

What is wrong: `mic = take[:, n]` is a strided view (one value in each 2 KB),
and the adaptive hum filter reads it again and again; each pass drags the whole
recording through the caches.
First screen should say: reductions over a strided (non contiguous) view of
`take` in clean_channels(), view made at line 59, about 2.0 s of 3.0 s.
Mend: mic = np.ascontiguousarray(take[:, n]) (or transpose the take once).
"""
import time

import numpy as np

SAMPLES = 48_000
MICS = 256
RATE = 16_000
HUM = (50.0, 100.0, 150.0, 200.0)
ROUNDS = 4
NEEDED = 0.38        # seconds which the channel loop takes when it is mended


def make_take(seed=3):
    rng = np.random.default_rng(seed)
    clock = np.arange(SAMPLES) / RATE
    source = np.sin(2 * np.pi * 430 * clock) * np.exp(-clock)
    take = rng.standard_normal((SAMPLES, MICS))
    take *= 0.05
    for n in range(MICS):
        take[:, n] += np.roll(source, n % 37)
        take[:, n] += 0.2 * np.sin(2 * np.pi * HUM[n % 4] * clock + n)
    return take


def hum_basis():
    clock = np.arange(SAMPLES) / RATE
    rows = []
    for hertz in HUM:
        rows.append(np.sin(2 * np.pi * hertz * clock))
        rows.append(np.cos(2 * np.pi * hertz * clock))
    return np.array(rows)


def fit_hum(mic, basis):
    """Amplitude of each hum component, found by repeated projection."""
    weights = np.zeros(len(basis))
    for _ in range(ROUNDS):
        for k, wave in enumerate(basis):
            weights[k] = np.einsum("i,i->", mic, wave) * 2 / SAMPLES
    return weights


def clean_channels(take, basis):
    levels, crossings, mix = [], [], np.zeros(SAMPLES)
    for n in range(take.shape[1]):
        mic = take[:, n]  # FAULT column-views
        weights = fit_hum(mic, basis)
        clean = mic - weights @ basis
        levels.append(float(np.sqrt(np.mean(clean * clean))))
        crossings.append(int(np.count_nonzero(np.diff(np.signbit(clean)))))
        mix += clean
    return np.array(levels), np.array(crossings), mix / take.shape[1]


def spectrum(mix, width=2048, hop=8):
    window = np.hanning(width)
    total = np.zeros(width // 2 + 1)
    count = 0
    for start in range(0, len(mix) - width, hop):
        total += np.abs(np.fft.rfft(mix[start:start + width] * window))
        count += 1
    return total / count


def best_delays(mix, take, reach=24):
    """Delay of some microphones against the mix, by plain correlation."""
    delays = []
    for n in range(0, MICS, 8):
        mic = np.ascontiguousarray(take[:, n])
        scores = [float(mix[reach:-reach] @ mic[reach + d:SAMPLES - reach + d])
                  for d in range(-reach, reach)]
        delays.append(int(np.argmax(scores)) - reach)
    return delays


def main():
    take = make_take()
    basis = hum_basis()
    started = time.perf_counter()
    levels, crossings, mix = clean_channels(take, basis)
    spent = time.perf_counter() - started
    power = spectrum(mix)
    delays = best_delays(mix, take)
    loud = np.argsort(levels)[-3:][::-1]
    print(f"loudest microphones {loud.tolist()}, level {levels[loud[0]]:.4f}")
    print(f"crossings {int(crossings.sum())}, peak bin {int(power.argmax())}, "
          f"delays {delays[:6]}")
    print(f"truth {max(0.0, spent - NEEDED):.3f}")


if __name__ == "__main__":
    main()

"""Takes windows of different lengths out of recordings, joins each group of them and computes its spectrum."""
import numpy as np

rng = np.random.default_rng(5)
recordings = [rng.normal(size=int(n)) for n in rng.integers(20_000, 400_000, 40)]
power = np.zeros(64)
for _ in range(700):
    chosen = rng.integers(0, len(recordings), int(rng.integers(2, 9)))
    joined = np.concatenate([recordings[i] for i in chosen])
    joined -= joined.mean()
    head = joined[: len(joined) // 64 * 64].reshape(64, -1)
    power += np.abs(np.fft.rfft(head[:, :512], axis=1)).mean(axis=1)
print("power %.6g" % power.sum())

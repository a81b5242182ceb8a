"""Bayesian fit of a two-component decay to counting data with an adaptive Metropolis walk.

What is wrong: Scipy.stats.norm.logpdf in the MCMC inner loop: argument checking and masking at each call.
Mend: Closed formula.
"""
import time

import numpy as np
from scipy import stats
from scipy.optimize import minimize

NAMES = ("fast", "slow", "share", "level", "noise")
clock = {"likelihood": 0.0, "calls": 0}


def measure(points, seed):
    rng = np.random.default_rng(seed)
    t = np.sort(rng.uniform(0, 12, points))
    signal = 40 * (0.65 * np.exp(-t / 0.9) + 0.35 * np.exp(-t / 5.5))
    return t, signal + rng.normal(0, 1.1, points)


def curve(theta, t):
    fast, slow, share, level, _ = theta
    return level * (share * np.exp(-t / fast) + (1 - share) * np.exp(-t / slow))


def gaussian(y, mean, sigma):
    z = (y - mean) / sigma
    return -0.5 * z @ z - len(y) * (np.log(sigma) + 0.5 * np.log(2 * np.pi))


class Posterior:
    low = np.array([0.05, 1.0, 0.02, 5.0, 0.1])
    high = np.array([3.0, 20.0, 0.98, 90.0, 5.0])

    def __init__(self, t, y):
        self.t = t
        self.y = y

    def prior(self, theta):
        if np.any(theta < self.low) or np.any(theta > self.high):
            return -np.inf
        return -np.log(theta[4])

    def likelihood(self, theta):
        mean = curve(theta, self.t)
        began = time.perf_counter()
        value = stats.norm.logpdf(self.y, loc=mean, scale=theta[4]).sum()  # FAULT distribution-calls
        clock["likelihood"] += time.perf_counter() - began
        clock["calls"] += 1
        return value

    def __call__(self, theta):
        prior = self.prior(theta)
        return prior + self.likelihood(theta) if np.isfinite(prior) else prior


class AdaptiveWalk:
    def __init__(self, posterior, start, seed):
        self.posterior = posterior
        self.rng = np.random.default_rng(seed)
        self.state = np.asarray(start, dtype=float)
        self.value = posterior(self.state)
        self.scale = np.linalg.cholesky(np.diag((0.02 * self.state) ** 2))
        self.accepted = 0

    def step(self):
        proposal = self.state + self.scale @ self.rng.standard_normal(len(self.state))
        value = self.posterior(proposal)
        if np.log(self.rng.random()) < value - self.value:
            self.state, self.value = proposal, value
            self.accepted += 1
        return self.state

    def run(self, steps, burn):
        chain = np.empty((steps, len(self.state)))
        for i in range(steps):
            chain[i] = self.step()
            if 0 < i <= burn and i % 500 == 0:
                cov = np.cov(chain[i // 2:i].T) * 2.38 ** 2 / len(self.state)
                self.scale = np.linalg.cholesky(cov + 1e-9 * np.eye(len(self.state)))
        return chain[burn:]


def effective_size(trace):
    x = trace - trace.mean()
    power = np.abs(np.fft.rfft(x, 2 * len(x))) ** 2
    rho = np.fft.irfft(power)[:len(x)]
    rho /= rho[0]
    cut = np.argmax(rho < 0.05)
    return len(x) / (1 + 2 * rho[1:cut].sum())


def bands(chain, t, every):
    curves = np.array([curve(theta, t) for theta in chain[::every]])
    return np.percentile(curves, [5, 50, 95], axis=0)


def lean_likelihood(posterior, theta, rounds):
    mean = curve(theta, posterior.t)
    began = time.perf_counter()
    for _ in range(rounds):
        gaussian(posterior.y, mean, theta[4])
    return (time.perf_counter() - began) / rounds


def main():
    t, y = measure(900, seed=3)
    posterior = Posterior(t, y)
    start = minimize(lambda theta: ((curve(theta, t) - y) ** 2).sum(), [0.7, 4.0, 0.5, 35.0, 1.0],
                     bounds=list(zip(posterior.low, posterior.high))).x
    chains = [AdaptiveWalk(posterior, start, seed).run(26000, burn=4000) for seed in (1, 2)]
    chain = np.concatenate(chains)
    for k, name in enumerate(NAMES):
        low, mid, high = np.percentile(chain[:, k], [5, 50, 95])
        size = sum(effective_size(c[:, k]) for c in chains)
        print(f"{name:<6} {mid:8.3f} [{low:.3f}, {high:.3f}] ess {size:.0f}")
    low, _, high = bands(chain, np.linspace(0, 12, 240), every=2)
    print(f"mean band width {np.mean(high - low):.3f}")
    lean = lean_likelihood(posterior, chain[-1], 1000)
    print(f"truth {clock['likelihood'] - clock['calls'] * lean:.3f}")


if __name__ == "__main__":
    main()

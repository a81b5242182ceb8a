"""Claim frequency models for each line of insurance: logistic regressions by
iteratively reweighted least squares, with standard errors, lift and a
bootstrapped loss ratio."""
import time

import numpy as np

LINES = ("motor", "home", "pet", "travel")
POLICIES = 2000
FACTORS = 24


def make_portfolio(line, rng):
    """Design matrix with intercept, claims (0/1) and their amounts."""
    rated = rng.normal(size=(POLICIES, FACTORS))
    rated[:, FACTORS // 2:] = rated[:, FACTORS // 2:] > 0.4
    design = np.column_stack([np.ones(POLICIES), rated])
    weights = rng.normal(0, 0.35, FACTORS + 1)
    weights[0] = -1.2 - 0.2 * len(line)
    claimed = rng.random(POLICIES) < 1 / (1 + np.exp(-design @ weights))
    amounts = np.where(claimed, rng.lognormal(7, 0.8, POLICIES), 0.0)
    return design, claimed.astype(float), amounts


spent = []  # seconds, in products with diagonal matrices


class FrequencyModel:
    """Ridge-penalised logistic regression."""

    def __init__(self, ridge=0.5, rounds=12, tolerance=1e-8):
        self.ridge, self.rounds, self.tolerance = ridge, rounds, tolerance

    def fit(self, design, claimed):
        penalty = self.ridge * np.eye(design.shape[1])
        penalty[0, 0] = 0.0
        self.beta = np.zeros(design.shape[1])
        for self.steps in range(1, self.rounds + 1):
            risk = self.predict(design)
            weight = risk * (1 - risk)
            began = time.perf_counter()
            information = design.T @ np.diag(weight) @ design + penalty  # FAULT diagonal-products
            spent.append(time.perf_counter() - began)
            score = design.T @ (claimed - risk) - penalty @ self.beta
            move = np.linalg.solve(information, score)
            self.beta += move
            if np.abs(move).max() < self.tolerance:
                break
        self.covariance = np.linalg.inv(information)
        return self

    def predict(self, design):
        return 1 / (1 + np.exp(-design @ self.beta))

    def significant(self, level=2.0):
        z = self.beta / np.sqrt(np.diag(self.covariance))
        return [i for i in range(1, len(z)) if abs(z[i]) > level]


def lift_table(risk, claimed, bands=10):
    order = np.argsort(-risk)
    return [part.mean() / claimed.mean() for part in np.array_split(claimed[order], bands)]


def concordance(risk, claimed):
    """Share of pairs (claim, no claim) that the model ranks right."""
    ranks = np.empty(len(risk))
    ranks[np.argsort(risk)] = np.arange(1, len(risk) + 1)
    hits = claimed.sum()
    return (ranks[claimed == 1].sum() - hits * (hits + 1) / 2) / (hits * (len(risk) - hits))


def bootstrap_ratio(premiums, amounts, rng, draws=12000):
    """Ninety per cent interval of the loss ratio."""
    ratios = np.empty(draws)
    for i in range(draws):
        pick = rng.integers(0, len(premiums), len(premiums))
        ratios[i] = amounts[pick].sum() / premiums[pick].sum()
    return np.percentile(ratios, [5, 95])


def simulate_year(risk, amounts, rng, years=10000):
    """Yearly loss of the portfolio, for the 1-in-200 reserve."""
    typical = amounts[amounts > 0]
    losses = np.empty(years)
    for year in range(years):
        claims = int((rng.random(len(risk)) < risk).sum())
        losses[year] = rng.choice(typical, claims).sum()
    return np.quantile(losses, 0.995)


def review_line(line, seed):
    rng = np.random.default_rng(seed)
    design, claimed, amounts = make_portfolio(line, rng)
    half = POLICIES * 3 // 4
    model = FrequencyModel().fit(design[:half], claimed[:half])
    held_risk = model.predict(design[half:])
    lift = lift_table(held_risk, claimed[half:])
    final = FrequencyModel().fit(design, claimed)
    risk = final.predict(design)
    premiums = risk * amounts[amounts > 0].mean() * 1.25
    low, high = bootstrap_ratio(premiums, amounts, rng)
    reserve = simulate_year(risk, amounts, rng)
    print(f"{line:>7}: {final.steps} steps, factors {len(final.significant())}, "
          f"concordance {concordance(held_risk, claimed[half:]):.3f}, top lift {lift[0]:.2f}, "
          f"loss ratio {low:.2f}-{high:.2f}, reserve {reserve:,.0f}")


def main():
    started = time.time()
    for number, line in enumerate(LINES):
        review_line(line, seed=40 + number)
    print(f"done after {time.time() - started:.1f} s")
    print(f"truth {sum(spent):.3f}")


if __name__ == "__main__":
    main()

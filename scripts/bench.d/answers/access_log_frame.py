"""Load web access records into a DataFrame and report traffic per endpoint."""
import resource

import numpy as np
import pandas as pd

HOSTS = [f"Edge-{i:03d}.Example.net" for i in range(120)]
PATHS = [f"/API/v{i % 4}/Resource{i}" for i in range(40)]


def load_records(n):
    rng = np.random.default_rng(8)
    return pd.DataFrame({
        "host": pd.Categorical.from_codes(rng.integers(0, len(HOSTS), n), HOSTS),
        "path": pd.Categorical.from_codes(rng.integers(0, len(PATHS), n), PATHS),
        "status": rng.choice(np.array([200, 301, 404, 500], dtype=np.int16), n),
        "bytes": rng.integers(100, 90_000, n, dtype=np.int32),
    })


def normalise(frame):
    frame["endpoint"] = frame["host"].astype(str).str.lower() + frame["path"].astype(str)  # FAULT object-columns
    return frame


def traffic(frame):
    by_endpoint = frame.groupby("endpoint", sort=False)["bytes"].sum()
    return by_endpoint.sort_values(ascending=False)


def error_rate(frame):
    bad = frame["status"] >= 400
    return bad.groupby(frame["endpoint"], sort=False).mean()


def peak_rss():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main():
    records = load_records(1_400_000)
    before = peak_rss()
    frame = normalise(records)
    after = peak_rss()
    top = traffic(frame)
    rates = error_rate(frame)
    for name in top.index[:5]:
        print(f"{name:<45} {top[name]:>12} {rates[name]:.3f}")
    ideal = len(frame) * 8 + len(HOSTS) * len(PATHS) * 100
    print(f"truth {after - before - ideal} bytes")


if __name__ == "__main__":
    main()

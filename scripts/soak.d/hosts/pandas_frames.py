"""pandas: groups, joins, windows, strings, dates and files, on one thread and on several."""
import hashlib
import io
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd


def digest(frame):
    return hashlib.sha256(frame.to_csv(float_format="%.6f").encode()).hexdigest()[:16]


def work(seed):
    random = np.random.default_rng(seed)
    n = 100000
    frame = pd.DataFrame({
        "key": random.integers(0, 500, n),
        "kind": random.choice(["one", "two", "three"], n),
        "value": random.integers(0, 10000, n) / 4,
        "when": pd.Timestamp("2020-01-01") + pd.to_timedelta(random.integers(0, 10**7, n), "s"),
    })
    out = [digest(frame.groupby(["kind", "key"])["value"].agg(["sum", "mean", "count"]))]
    other = pd.DataFrame({"key": np.arange(500), "name": [f"name {i % 40}" for i in range(500)]})
    joined = frame.merge(other, on="key")
    out.append(digest(joined.pivot_table(index="name", columns="kind", values="value", aggfunc="sum")))
    out.append(digest(frame.set_index("when").sort_index(kind="stable")["value"].resample("1D").sum().rolling(7).mean()))
    out.append(digest(joined["name"].str.upper().str.replace("NAME", "n").value_counts().sort_index().to_frame()))
    out.append(digest(frame.head(3000).groupby("kind")["value"].apply(lambda values: sum(sorted(values)[:50])).to_frame()))
    text = frame.head(20000).to_csv(index=False)
    out.append(digest(pd.read_csv(io.StringIO(text), parse_dates=["when"]).describe(include="number")))
    return out


with ThreadPoolExecutor(4) as pool:
    for answers in pool.map(work, range(6)):
        print(*answers)

"""scikit-learn and joblib: OpenMP and BLAS threads, worker processes by loky, and both at once."""
import hashlib
import sys

import joblib
import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import make_classification
from sklearn.decomposition import PCA
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler


def work(n):
    return hashlib.sha256(np.sort(np.arange(n * 1000) * 7919 % 10007).tobytes()).hexdigest()[:8]


def main():
    x, y = make_classification(1200, 20, n_informative=8, random_state=1)
    for backend in "threading", "loky", "multiprocessing":
        done = joblib.Parallel(n_jobs=3, backend=backend)(joblib.delayed(work)(n) for n in range(1, 30))
        print(backend, hashlib.sha256("".join(done).encode()).hexdigest()[:16])
    forest = RandomForestClassifier(60, random_state=1, n_jobs=4).fit(x, y)
    print("forest", round(forest.score(x, y), 3), len(forest.estimators_))
    boosted = HistGradientBoostingClassifier(max_iter=20, random_state=1).fit(x, y)
    print("boosted", round(boosted.score(x, y), 2))
    print("kmeans", KMeans(4, n_init=3, random_state=1).fit(x[:, :2].round(1)).labels_.shape)
    model = make_pipeline(StandardScaler(), PCA(10), LogisticRegression(max_iter=300))
    print("scores", cross_val_score(model, x, y, cv=4, n_jobs=2).round(2))
    search = GridSearchCV(model, {"logisticregression__C": [0.1, 1, 10]}, cv=3, n_jobs=2).fit(x, y)
    print("search", sorted(search.best_params_), round(search.best_score_, 2))
    memory = joblib.Memory("cache", verbose=0)
    cached = memory.cache(work)
    print("cached", cached(50) == cached(50))


if __name__ == "__main__":
    sys.exit(main())

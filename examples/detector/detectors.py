"""Detectors of anomalies: fitted on valid requests only, higher scores are odder."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any, Dict, Sequence

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.decomposition import PCA
from sklearn.neighbors import LocalOutlierFactor

Scores = "np.ndarray[Any, Any]"


def _pca(matrix: csr_matrix, components: int) -> PCA:
    most = min(matrix.shape) - 1
    solver = "covariance_eigh" if matrix.shape[1] <= 2500 else "arpack"
    return PCA(min(components, most), svd_solver=solver, random_state=0).fit(matrix)


class Lof:
    """PCA to 150 dimensions, then the local outlier factor of 100 neighbours."""

    name = "TF-IDF + PCA150 + LOF(100)"

    def fit(self, matrix: csr_matrix) -> "Lof":
        self.pca = _pca(matrix, 150)
        self.lof = LocalOutlierFactor(n_neighbors=100, novelty=True, n_jobs=-1)
        self.lof.fit(self._points(matrix))
        return self

    def score(self, matrix: csr_matrix) -> Scores:
        # Rows that are the same have the same score: most documents come more than once.
        points, back = np.unique(self._points(matrix), axis=0, return_inverse=True)
        return -self.lof.score_samples(points)[back.ravel()]

    def _points(self, matrix: csr_matrix) -> Scores:
        # Texts that are the same are one point: the last digits of a product depend on the rows beside it, and
        # among a hundred copies of a request such a distance is taken for a great one.
        return self.pca.transform(matrix).round(9)


class Mahalanobis:
    """PCA to 300 dimensions, then the Mahalanobis distance."""

    name = "TF-IDF + PCA300 + Mahalanobis"

    def fit(self, matrix: csr_matrix) -> "Mahalanobis":
        self.pca = _pca(matrix, 300)
        points = self.pca.transform(matrix)
        self.centre = points.mean(axis=0)
        self.precision = np.linalg.pinv(np.cov(points.T) + 1e-9 * np.eye(points.shape[1]))
        return self

    def score(self, matrix: csr_matrix) -> Scores:
        offsets = self.pca.transform(matrix) - self.centre
        return np.einsum("ij,ij->i", offsets @ self.precision, offsets)


class Surprise:
    """How surprising the tokens of a request are among those of its kind.

    Requests are of one kind when they have the same method and path. A token that few requests of the kind had
    costs its improbability, and so does the lack of one that nearly all of them have; what an ordinary request
    of the kind costs is taken off. A request of a kind that never came is odder than any other.
    """

    name = "surprise of tokens, by method and path"
    UNSEEN = 1e6
    USUAL = 0.9

    def __init__(self, prior: float = 0.5) -> None:
        self.prior = prior

    @staticmethod
    def _kind(tokens: Sequence[str]) -> str:
        return " ".join(token for token in tokens if token.startswith(("m=", "p=")))

    def fit(self, requests: Sequence[Sequence[str]]) -> "Surprise":
        self.counts: Dict[str, Counter[str]] = defaultdict(Counter)
        self.sizes: Counter[str] = Counter()
        for tokens in requests:
            kind = self._kind(tokens)
            self.counts[kind].update(set(tokens))
            self.sizes[kind] += 1
        self.usual = {
            kind: [token for token, n in counts.items() if n >= self.USUAL * self.sizes[kind]]
            for kind, counts in self.counts.items()
        }
        self.ordinary: Dict[str, float] = {}
        sums: Counter[str] = Counter()
        for tokens, cost in zip(requests, self.score(requests)):
            sums[self._kind(tokens)] += cost
        self.ordinary = {kind: sums[kind] / self.sizes[kind] for kind in self.sizes}
        return self

    def _cost(self, tokens: Sequence[str]) -> float:
        kind = self._kind(tokens)
        if kind not in self.sizes:
            return self.UNSEEN + len(tokens)
        counts, size = self.counts[kind], self.sizes[kind]
        present = set(tokens)
        total = size + 2 * self.prior
        seen = [counts.get(token, 0) for token in present]
        lacking = [size - counts[token] for token in self.usual[kind] if token not in present]
        cost = -np.log((np.array(seen + lacking) + self.prior) / total).sum()
        return float(cost) - self.ordinary.get(kind, 0.0)

    def score(self, requests: Sequence[Sequence[str]]) -> Scores:
        known: Dict[tuple[str, ...], float] = {}
        for tokens in map(tuple, requests):
            if tokens not in known:
                known[tokens] = self._cost(tokens)
        return np.array([known[tuple(tokens)] for tokens in requests])

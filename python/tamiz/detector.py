"""A detector that learns what the requests of a site are like, and tells how far others are from that.

>>> import tamiz
>>> usual = [b"GET /item?id=%d HTTP/1.1\\r\\nHost: ex.com\\r\\n\\r\\n" % n for n in range(300)]
>>> detector = tamiz.Detector().fit(usual)
>>> odd = b"GET /item?id=7'+or+sleep(9)-- HTTP/1.1\\r\\nHost: ex.com\\r\\n\\r\\n"
>>> detector.predict([usual[7], odd]).tolist()
[1, -1]
>>> detector.explain([odd])[0]["reasons"][0]["text"]
'`id` raises PAREN: attacks do so about 16,384 times as often'

It is the model and the score of ``tamiz learn`` and ``tamiz score``, to the bit: files of one are read by the other.
"""

from __future__ import annotations

import json
import os
from itertools import islice
from pathlib import Path
from typing import Any, Dict, Iterable, Iterator, List, Optional, Tuple, Union

import numpy as np

from tamiz import Canonicalizer, Config, Document, FingerprintMismatch, Model, Profile, Scheme, View

try:
    from sklearn.base import BaseEstimator, OutlierMixin
    from sklearn.exceptions import NotFittedError
except ImportError:  # scikit-learn is not needed to learn and to score.

    class BaseEstimator:  # type: ignore[no-redef]
        """Stands in for that of scikit-learn."""

    class OutlierMixin:  # type: ignore[no-redef]
        """Stands in for that of scikit-learn."""

    class NotFittedError(ValueError, AttributeError):  # type: ignore[no-redef]
        """Nothing was learned yet."""


__all__ = ["Detector"]

Request = Union[bytes, bytearray, memoryview, Document]

#: How many requests are worked on at a time.
_CHUNK = 4096


class Detector(OutlierMixin, BaseEstimator):  # type: ignore[misc]
    """Scores how unusual requests are, by counts of the tokens of those it has learned.

    Takes requests as bytes, or documents. Its methods follow scikit-learn: what is usual has a high
    ``score_samples``, which is the score of ``tamiz score`` with the other sign.

    Parameters
    ----------
    fpr : float
        The share of usual requests that may be outliers: :meth:`predict` says -1 where the p-value is at most this.
    config, profile, view, scheme
        As in :class:`tamiz.Canonicalizer`.
    threads : int
        How many threads canonicalise.
    """

    _canonicalizer: Canonicalizer
    model_: Model

    def __init__(
        self,
        *,
        fpr: float = 0.01,
        config: Optional[Config] = None,
        profile: Optional[Profile] = None,
        view: Optional[View] = None,
        scheme: Optional[Scheme] = None,
        threads: int = 1,
    ) -> None:
        self.fpr = fpr
        self.config = config
        self.profile = profile
        self.view = view
        self.scheme = scheme
        self.threads = threads

    def fit(self, X: Iterable[Request], y: Any = None) -> "Detector":
        """Learns requests, and forgets what was learned before."""
        fresh = _fresh(self)
        fresh.partial_fit(X)
        self._canonicalizer, self.model_ = fresh._canonicalizer, fresh.model_
        return self

    def partial_fit(self, X: Iterable[Request], y: Any = None) -> "Detector":
        """Learns more requests."""
        self._share()
        if hasattr(self, "model_"):
            canonicalizer, model = self._canonicalizer, self.model_
        else:
            canonicalizer = self._make_canonicalizer()
            model = Model(canonicalizer)
        for documents in self._documents(X, canonicalizer):
            model.learn(documents)
        if model.requests == 0:
            raise ValueError("there is no request to learn: 0 sample(s)")
        self._canonicalizer, self.model_ = canonicalizer, model
        return self

    def score_samples(self, X: Iterable[Request]) -> Any:
        """The scores of requests with the other sign: the higher, the more usual."""
        return -self._scores(X)[0]

    def p_values(self, X: Iterable[Request]) -> Any:
        """The share of learned requests that score as high as each of these."""
        return self._scores(X)[1]

    def new_tokens(self, X: Iterable[Request]) -> Any:
        """How many tokens of each request were never seen at its endpoint."""
        return self._scores(X)[2]

    def decision_function(self, X: Iterable[Request]) -> Any:
        """How far requests are from being outliers: negative for those that are."""
        return self.score_samples(X) - self.offset_

    def predict(self, X: Iterable[Request]) -> Any:
        """1 for what is usual, -1 where the p-value is at most ``fpr``."""
        return np.where(self.p_values(X) <= self._share(), -1, 1)

    def fit_predict(self, X: Iterable[Request], y: Any = None) -> Any:
        """Learns requests, and tells which of them are outliers among the others."""
        items = list(X)
        return self.fit(items).predict(items)

    def explain(self, X: Iterable[Request]) -> List[Dict[str, Any]]:
        """The score of each request, its p-value and the reasons, as ``tamiz score --format jsonl`` tells them."""
        model = self._fitted()
        texts: List[str] = []
        for documents in self._documents(X, self._canonicalizer):
            texts.extend(model.explain(documents))
        return [json.loads(text) for text in texts]

    @property
    def offset_(self) -> float:
        """The ``score_samples`` below which a request is an outlier."""
        return -self._fitted().threshold(self._share())

    def merge(self, other: "Detector") -> "Detector":
        """Learns what another detector has learned: the model of two halves is that of the whole."""
        self._fitted().merge(other._fitted())
        return self

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the model, for :meth:`load` and ``tamiz score --model``."""
        data = self._fitted().to_bytes()
        target = Path(path)
        partial = target.with_name(target.name + ".partial")
        partial.write_bytes(data)
        os.replace(partial, target)

    @classmethod
    def load(cls, path: Union[str, "os.PathLike[str]"], **params: Any) -> "Detector":
        """Reads a model of :meth:`save` or ``tamiz learn``; ``params`` are those of the constructor.

        Raises :class:`tamiz.FingerprintMismatch` where the configuration is another than that of the model, and
        ``ValueError`` for a file that is damaged or no model.
        """
        return cls(**params)._with_model(Path(path).read_bytes())

    def _with_model(self, data: bytes) -> "Detector":
        model = Model.from_bytes(data)
        canonicalizer = self._make_canonicalizer()
        found = Model(canonicalizer).fingerprint
        if found != model.fingerprint:
            raise FingerprintMismatch(model.fingerprint, found)
        self._canonicalizer, self.model_ = canonicalizer, model
        return self

    def _make_canonicalizer(self) -> Canonicalizer:
        return Canonicalizer(self.config, profile=self.profile, view=self.view, scheme=self.scheme)

    def _share(self) -> float:
        if not 0 < self.fpr <= 1:
            raise ValueError("fpr must be a share: above 0, and at most 1")
        return self.fpr

    def _fitted(self) -> Model:
        if not hasattr(self, "model_"):
            raise NotFittedError("this Detector has learned nothing yet: call fit, partial_fit or load")
        return self.model_

    def _scores(self, X: Iterable[Request]) -> Tuple[Any, Any, Any]:
        model = self._fitted()
        scores: List[float] = []
        p_values: List[float] = []
        new: List[int] = []
        for documents in self._documents(X, self._canonicalizer):
            for column, part in zip((scores, p_values, new), model.score(documents)):
                column.extend(part)  # type: ignore[attr-defined]
        return np.array(scores, dtype=np.float64), np.array(p_values, dtype=np.float64), np.array(new, dtype=np.int64)

    def _documents(self, X: Iterable[Request], canonicalizer: Canonicalizer) -> Iterator[List[Document]]:
        if isinstance(X, (bytes, bytearray, memoryview, str, Document)):
            raise ValueError("expected an iterable of requests, not one request")
        items = iter(X)
        while chunk := list(islice(items, _CHUNK)):
            requests = [item for item in chunk if not isinstance(item, Document)]
            made = iter(canonicalizer.canonicalize_many(requests, threads=self.threads))
            yield [item if isinstance(item, Document) else next(made) for item in chunk]

    def __getstate__(self) -> Dict[str, Any]:
        state = {key: value for key, value in self.__dict__.items() if key not in ("_canonicalizer", "model_")}
        if hasattr(self, "model_"):
            state["_model_bytes"] = self.model_.to_bytes()
        return state

    def __setstate__(self, state: Dict[str, Any]) -> None:
        state = dict(state)
        data = state.pop("_model_bytes", None)
        self.__dict__.update(state)
        if data is not None:
            self._with_model(data)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        tags.no_validation = True
        return tags


def _fresh(detector: Detector) -> Detector:
    """A detector with the same parameters that has learned nothing."""
    return Detector(
        fpr=detector.fpr,
        config=detector.config,
        profile=detector.profile,
        view=detector.view,
        scheme=detector.scheme,
        threads=detector.threads,
    )

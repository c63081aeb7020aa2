"""Requests to features, for scikit-learn.

>>> from sklearn.pipeline import make_pipeline
>>> from sklearn.decomposition import TruncatedSVD
>>> from tamiz.sklearn import TamizVectorizer
>>> requests = [b"GET /a?id=%d HTTP/1.1\\r\\nHost: ex.com\\r\\n\\r\\n" % n for n in range(20)]
>>> vectorizer = TamizVectorizer().fit(requests)
>>> vectorizer.transform([b"GET /a?id=x' HTTP/1.1\\r\\nHost: ex.com\\r\\n\\r\\n"]).shape[0]
1
"""

from __future__ import annotations

from typing import Any, Iterable, List, Literal, Optional, Union

import numpy as np
from scipy.sparse import csr_matrix, hstack
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_extraction.text import (
    CountVectorizer,
    HashingVectorizer,
    TfidfTransformer,
)
from sklearn.utils.validation import check_is_fitted

from tamiz import Canonicalizer, Config, Document, FingerprintMismatch, Profile, Scheme, View

__all__ = ["FingerprintMismatch", "TamizVectorizer"]

Request = Union[bytes, bytearray, memoryview, Document]


def _tokens(document: Document) -> List[str]:
    return document.tokens


class TamizVectorizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """The tokens of documents as a sparse matrix: TF-IDF over a vocabulary, or hashed counts.

    Takes requests as bytes, or documents. What it was fitted under is kept as ``fingerprint_``: unpickled
    where the same configuration gives another fingerprint, it raises :class:`tamiz.FingerprintMismatch`, which
    names both, and so it does when given a document of another fingerprint.

    Parameters
    ----------
    weighting : {"tfidf", "hashed"}
        ``"tfidf"`` learns a vocabulary and the frequency of its tokens; ``"hashed"`` counts tokens in
        ``n_features`` columns, and learns nothing but the fingerprint.
    min_df, max_df, max_features, sublinear_tf, norm, binary
        As in :class:`sklearn.feature_extraction.text.TfidfVectorizer`; the first three only for ``"tfidf"``.
    n_features : int
        Only for ``"hashed"``.
    unseen : bool
        Only for ``"tfidf"``: a last column with the number of different tokens that the vocabulary has not, which is
        the strongest sign there is that a request is not like those learned.
    config, profile, view, scheme
        As in :class:`tamiz.Canonicalizer`.
    threads : int
        How many threads canonicalise.
    dtype : numpy dtype
        Of the matrix.

    Examples
    --------
    >>> v = TamizVectorizer(weighting="hashed", n_features=1024)
    >>> v.fit_transform([b"GET / HTTP/1.1\\r\\nHost: ex.com\\r\\n\\r\\n"]).shape
    (1, 1024)
    """

    def __init__(
        self,
        *,
        weighting: Literal["tfidf", "hashed"] = "tfidf",
        min_df: Union[int, float] = 1,
        max_df: Union[int, float] = 1.0,
        max_features: Optional[int] = None,
        sublinear_tf: bool = False,
        norm: Optional[Literal["l1", "l2"]] = "l2",
        binary: bool = False,
        n_features: int = 2**18,
        unseen: bool = False,
        config: Optional[Config] = None,
        profile: Optional[Profile] = None,
        view: Optional[View] = None,
        scheme: Optional[Scheme] = None,
        threads: int = 1,
        dtype: Any = np.float64,
    ) -> None:
        self.weighting = weighting
        self.min_df = min_df
        self.max_df = max_df
        self.max_features = max_features
        self.sublinear_tf = sublinear_tf
        self.norm = norm
        self.binary = binary
        self.n_features = n_features
        self.unseen = unseen
        self.config = config
        self.profile = profile
        self.view = view
        self.scheme = scheme
        self.threads = threads
        self.dtype = dtype

    def fit(self, X: Iterable[Request], y: Any = None) -> "TamizVectorizer":
        """Learns the vocabulary, and takes note of the fingerprint."""
        self.fit_transform(X, y)
        return self

    def fit_transform(self, X: Iterable[Request], y: Any = None, **fit_params: Any) -> csr_matrix:
        """Learns the vocabulary and returns the matrix of ``X``."""
        self._begin()
        documents = self._documents(X)
        counts = self._counter.fit_transform(documents)
        if self._weights is not None:
            counts = self._weights.fit_transform(counts)
        counts = self._with_unseen(counts, documents)
        self.n_columns_ = counts.shape[1]
        return counts.astype(self.dtype)

    def transform(self, X: Iterable[Request]) -> csr_matrix:
        """The matrix of ``X``, one row a request."""
        check_is_fitted(self, "fingerprint_")
        documents = self._documents(X)
        counts = self._counter.transform(documents)
        if self._weights is not None:
            counts = self._weights.transform(counts)
        return self._with_unseen(counts, documents).astype(self.dtype)

    def get_feature_names_out(self, input_features: Any = None) -> "np.ndarray[Any, Any]":
        """The tokens behind the columns; hashed columns have none."""
        check_is_fitted(self, "fingerprint_")
        if self.weighting == "hashed":
            raise ValueError("hashed columns have no names")
        names: np.ndarray[Any, Any] = self._counter.get_feature_names_out(input_features)
        return np.append(names, "unseen") if self.unseen else names

    def _with_unseen(self, matrix: csr_matrix, documents: List[Document]) -> csr_matrix:
        if not self.unseen:
            return matrix
        known = self._counter.vocabulary_
        column = [sum(token not in known for token in set(document.tokens)) for document in documents]
        return hstack([matrix, csr_matrix(np.array(column, dtype=np.float64).reshape(-1, 1))], format="csr")

    def _begin(self) -> None:
        if self.unseen and self.weighting == "hashed":
            raise ValueError("unseen tokens need a vocabulary: weighting must be 'tfidf'")
        self._canonicalizer = self._make_canonicalizer()
        self.fingerprint_ = self._canonicalizer.fingerprint
        if self.weighting == "tfidf":
            self._counter = CountVectorizer(
                analyzer=_tokens,
                min_df=self.min_df,
                max_df=self.max_df,
                max_features=self.max_features,
                binary=self.binary,
            )
            self._weights: Optional[TfidfTransformer] = TfidfTransformer(
                norm=self.norm, sublinear_tf=self.sublinear_tf
            )
        elif self.weighting == "hashed":
            self._counter = HashingVectorizer(
                analyzer=_tokens,
                n_features=self.n_features,
                norm=self.norm,
                binary=self.binary,
                alternate_sign=False,
            )
            self._weights = None
        else:
            raise ValueError(f"weighting must be 'tfidf' or 'hashed', not {self.weighting!r}")

    def _make_canonicalizer(self) -> Canonicalizer:
        return Canonicalizer(self.config, profile=self.profile, view=self.view, scheme=self.scheme)

    def _documents(self, X: Iterable[Request]) -> List[Document]:
        if isinstance(X, (bytes, bytearray, memoryview, str, Document)):
            raise ValueError("expected an iterable of requests, not one request")
        items = list(X)
        given = [item for item in items if isinstance(item, Document)]
        for document in given:
            found = document.fingerprint
            if found is not None and found != self.fingerprint_:
                raise FingerprintMismatch(self.fingerprint_, found)
        if len(given) == len(items):
            return given
        made = iter(
            self._canonicalizer.canonicalize_many(
                (item for item in items if not isinstance(item, Document)), threads=self.threads
            )
        )
        return [item if isinstance(item, Document) else next(made) for item in items]

    def __getstate__(self) -> Any:
        state = super().__getstate__()
        return {key: value for key, value in state.items() if key != "_canonicalizer"}

    def __setstate__(self, state: Any) -> None:
        super().__setstate__(state)
        if hasattr(self, "fingerprint_"):
            self._canonicalizer = self._make_canonicalizer()
            found = self._canonicalizer.fingerprint
            if found != self.fingerprint_:
                raise FingerprintMismatch(self.fingerprint_, found)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        tags.no_validation = True
        return tags

"""The vectorizer is a scikit-learn estimator."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

sklearn = pytest.importorskip("sklearn")

from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks as checks

import tamiz
from tamiz.sklearn import TamizVectorizer

GOOD = [b"GET /shop?id=%d&q=shoes HTTP/1.1\r\nHost: ex.com\r\n\r\n" % n for n in range(60)]
BAD = [b"GET /shop?id=%d'+or+1=1--&q=shoes HTTP/1.1\r\nHost: ex.com\r\n\r\n" % n for n in range(60)]


@pytest.mark.parametrize("weighting", ["tfidf", "hashed"])
def test_check_estimator(weighting: str) -> None:
    vectorizer = TamizVectorizer(weighting=weighting)
    # It says itself that most need a matrix of numbers to fit.
    with pytest.warns(sklearn.exceptions.SkipTestWarning, match="string=True"):
        checks.check_estimator(vectorizer)
    for check in [
        checks.check_estimator_cloneable,
        checks.check_estimator_repr,
        checks.check_no_attributes_set_in_init,
        checks.check_do_not_raise_errors_in_init_or_set_params,
        checks.check_get_params_invariance,
        checks.check_set_params,
        checks.check_parameters_default_constructible,
        checks.check_estimator_tags_renamed,
        checks.check_valid_tag_types,
    ]:
        check("TamizVectorizer", vectorizer)


@pytest.mark.parametrize("weighting", ["tfidf", "hashed"])
def test_in_a_pipeline(weighting: str) -> None:
    model = make_pipeline(TamizVectorizer(weighting=weighting, n_features=4096), LogisticRegression())
    model.fit(GOOD[:40] + BAD[:40], [0] * 40 + [1] * 40)
    assert model.score(GOOD[40:] + BAD[40:], [0] * 20 + [1] * 20) == 1.0
    again = pickle.loads(pickle.dumps(model))
    assert (again.predict(GOOD) == model.predict(GOOD)).all()


def test_documents_and_requests_give_the_same() -> None:
    canonicalizer = tamiz.Canonicalizer()
    documents = canonicalizer.canonicalize_many(GOOD + BAD)
    vectorizer = TamizVectorizer()
    a = vectorizer.fit_transform(GOOD + BAD)
    b = vectorizer.transform(documents)
    c = vectorizer.transform([tamiz.Document.parse(str(document)) for document in documents])
    d = clone(vectorizer).fit(documents).transform(GOOD + BAD)
    for other in (b, d):
        assert (a != other).nnz == 0
    assert a.shape == c.shape
    assert vectorizer.get_feature_names_out().shape[0] == a.shape[1]
    assert TamizVectorizer(dtype=np.float32).fit_transform(GOOD).dtype == np.float32


def test_another_fingerprint_is_refused_with_both_named() -> None:
    vectorizer = TamizVectorizer().fit(GOOD)
    state = pickle.dumps(vectorizer)
    other = "v2-0123456789abcdef"
    tampered = state.replace(vectorizer.fingerprint_.encode(), other.encode())
    assert tampered != state
    with pytest.raises(tamiz.FingerprintMismatch) as caught:
        pickle.loads(tampered)
    assert caught.value.expected == other and caught.value.found == vectorizer.fingerprint_
    assert other in str(caught.value) and vectorizer.fingerprint_ in str(caught.value)
    strange = tamiz.Canonicalizer(profile="full").canonicalize(GOOD[0])
    with pytest.raises(tamiz.FingerprintMismatch):
        vectorizer.transform([strange])


def test_mistakes_are_named() -> None:
    with pytest.raises(ValueError, match="weighting"):
        TamizVectorizer(weighting="x").fit(GOOD)
    with pytest.raises(ValueError, match="one request"):
        TamizVectorizer().fit(GOOD[0])
    with pytest.raises(TypeError, match="item 1"):
        TamizVectorizer().fit([GOOD[0], "text"])  # type: ignore[list-item]
    with pytest.raises(sklearn.exceptions.NotFittedError):
        TamizVectorizer().transform(GOOD)
    with pytest.raises(ValueError, match="no names"):
        TamizVectorizer(weighting="hashed").fit(GOOD).get_feature_names_out()


def test_the_last_column_counts_unseen_tokens() -> None:
    plain, with_unseen = TamizVectorizer(), TamizVectorizer(unseen=True)
    a, b = plain.fit_transform(GOOD), with_unseen.fit_transform(GOOD)
    assert b.shape[1] == a.shape[1] + 1 and (a != b[:, :-1]).nnz == 0
    assert b[:, -1].sum() == 0
    assert with_unseen.transform(BAD)[:, -1].toarray().min() > 3
    assert with_unseen.get_feature_names_out()[-1] == "unseen"
    # A vocabulary without rare tokens has not seen them.
    assert TamizVectorizer(unseen=True, min_df=2).fit_transform(GOOD + BAD[:1])[-1, -1] > 0
    with pytest.raises(ValueError, match="need a vocabulary"):
        TamizVectorizer(unseen=True, weighting="hashed").fit(GOOD)

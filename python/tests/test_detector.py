"""The detector is a scikit-learn estimator, and the same as that of the command."""

from __future__ import annotations

import base64
import json
import os
import pickle
import subprocess
from pathlib import Path
from typing import Any, List

import pytest

np = pytest.importorskip("numpy")
sklearn = pytest.importorskip("sklearn")

from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import estimator_checks as checks

import tamiz
from tamiz import Detector

USUAL = [b"GET /shop?id=%d&q=shoes HTTP/1.1\r\nHost: ex.com\r\n\r\n" % n for n in range(500)]
ODD = [b"GET /shop?id=%d'+or+sleep(9)--&q=shoes HTTP/1.1\r\nHost: ex.com\r\n\r\n" % n for n in range(20)]


@pytest.fixture(scope="module")
def detector() -> Detector:
    return Detector().fit(USUAL)


def test_check_estimator() -> None:
    # It says itself that most need a matrix of numbers to fit.
    with pytest.warns(sklearn.exceptions.SkipTestWarning, match="string=True"):
        checks.check_estimator(Detector())
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
        check("Detector", Detector())


def test_attacks_are_outliers_and_the_reasons_say_why(detector: Detector) -> None:
    assert detector.predict(ODD).tolist() == [-1] * len(ODD)
    assert (detector.predict(USUAL) == 1).mean() >= 0.95
    assert detector.score_samples(ODD).max() < detector.score_samples(USUAL).min()
    told = detector.explain(ODD[:1])[0]
    assert told["score"] == -detector.score_samples(ODD[:1])[0]
    assert told["p_value"] == detector.p_values(ODD[:1])[0] < 0.01
    assert told["new"] == detector.new_tokens(ODD[:1])[0] > 0
    assert any("`id`" in reason["text"] for reason in told["reasons"])


@pytest.mark.parametrize("fpr", [-0.1, 0, 1.5, float("nan")])
def test_a_share_is_one(detector: Detector, fpr: float) -> None:
    with pytest.raises(ValueError, match="fpr must be a share"):
        Detector(fpr=fpr).fit(ODD)
    with pytest.raises(ValueError, match="fpr must be a share"):
        pickle.loads(pickle.dumps(detector)).set_params(fpr=fpr).predict(ODD)


@pytest.mark.parametrize("fpr", [0.0001, 0.002, 0.01, 0.3, 0.9])
def test_methods_agree(detector: Detector, fpr: float) -> None:
    other = pickle.loads(pickle.dumps(detector)).set_params(fpr=fpr)
    every = USUAL + ODD
    predicted = other.predict(every)
    assert ((other.decision_function(every) < 0) == (predicted == -1)).all()
    assert (other.score_samples(every) == detector.score_samples(every)).all()


def test_parts_documents_and_halves_give_the_same_model(detector: Detector, tmp_path: Path) -> None:
    whole = detector.model_.to_bytes()
    parts = Detector().partial_fit(USUAL[300:]).partial_fit(iter(USUAL[:300]))
    assert parts.model_.to_bytes() == whole
    documents = tamiz.Canonicalizer().canonicalize_many(USUAL)
    assert Detector(threads=2).fit(documents).model_.to_bytes() == whole
    assert Detector().fit(USUAL[::2]).merge(Detector().fit(USUAL[1::2])).model_.to_bytes() == whole
    # What was learned before is forgotten.
    assert Detector().fit(ODD).fit(USUAL).model_.to_bytes() == whole
    detector.save(tmp_path / "site.model")
    assert (tmp_path / "site.model").read_bytes() == whole
    assert [path.name for path in tmp_path.iterdir()] == ["site.model"]
    again = Detector.load(tmp_path / "site.model", fpr=0.2)
    assert again.fpr == 0.2 and (again.score_samples(ODD) == detector.score_samples(ODD)).all()


def test_mistakes(detector: Detector, tmp_path: Path) -> None:
    with pytest.raises(NotFittedError):
        Detector().predict(ODD)
    with pytest.raises(NotFittedError):
        clone(detector).score_samples(ODD)
    with pytest.raises(ValueError, match="no request to learn"):
        Detector().fit([])
    with pytest.raises(ValueError, match="not one request"):
        Detector().fit(USUAL[0])
    with pytest.raises(TypeError, match="item 0"):
        detector.predict(["text"])
    with pytest.raises(ValueError, match="read back"):
        detector.predict([tamiz.Document.parse(str(tamiz.Canonicalizer().canonicalize(USUAL[0])))])
    with pytest.raises(ValueError, match="literal"):
        Detector(view="literal").fit(USUAL)
    with pytest.raises(tamiz.FingerprintMismatch):
        detector.predict([tamiz.Canonicalizer(profile="full").canonicalize(USUAL[0])])
    detector.save(tmp_path / "site.model")
    with pytest.raises(tamiz.FingerprintMismatch):
        Detector.load(tmp_path / "site.model", profile="full")
    (tmp_path / "cut.model").write_bytes((tmp_path / "site.model").read_bytes()[:-9])
    with pytest.raises(ValueError, match="truncated or damaged"):
        Detector.load(tmp_path / "cut.model")
    # A mistake among many requests leaves the model as it was.
    fresh = Detector().fit(USUAL)
    with pytest.raises(TypeError):
        fresh.partial_fit([USUAL[0], "text"])
    assert fresh.model_.to_bytes() == detector.model_.to_bytes()


@pytest.mark.skipif("TAMIZ_COMMAND" not in os.environ, reason="`cargo x test` builds the command")
def test_the_command_gives_the_same_to_the_bit(detector: Detector, tmp_path: Path) -> None:
    command = os.environ["TAMIZ_COMMAND"]

    def written(name: str, requests: List[bytes]) -> Path:
        path = tmp_path / name
        rows = [json.dumps({"raw_b64": base64.b64encode(request).decode()}) for request in requests]
        path.write_text("\n".join(rows) + "\n")
        return path

    usual, odd = written("usual.jsonl", USUAL), written("odd.jsonl", USUAL[:40] + ODD)
    model = tmp_path / "site.model"
    subprocess.run([command, "learn", str(usual), "-o", str(model)], check=True, capture_output=True)
    assert model.read_bytes() == detector.model_.to_bytes()
    done = subprocess.run(
        [command, "score", "--model", str(model), str(odd), "--format", "jsonl"], check=True, capture_output=True
    )
    rows: List[Any] = [json.loads(line) for line in done.stdout.splitlines()]
    told = detector.explain(USUAL[:40] + ODD)
    assert len(rows) == len(told)
    for row, ours in zip(rows, told):
        # The command has the bytes of the request, and points into them; documents alone do not say where.
        evidence = [reason.pop("evidence", None) for reason in row["reasons"]]
        assert row["verdict"] == "alert" or not any(evidence)
        assert {key: row[key] for key in ours} == ours
    assert any("verdict" in row and row["verdict"] == "alert" for row in rows)

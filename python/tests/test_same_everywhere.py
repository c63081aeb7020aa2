"""The library, the command and the package say the same of every request."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import zipfile
from pathlib import Path
from typing import Any, List

import pytest

import tamiz

needs_expected = pytest.mark.skipif("TAMIZ_EXPECTED" not in os.environ, reason="`cargo x test` makes what to expect")


@pytest.fixture(scope="module")
def expected() -> List[Any]:
    with open(os.environ["TAMIZ_EXPECTED"], encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@needs_expected
def test_the_package(expected: List[Any]) -> None:
    requests = [base64.b64decode(row["raw_b64"]) for row in expected]
    documents = tamiz.Canonicalizer().canonicalize_many(requests, threads=2)
    assert len(documents) == len(expected) > 2_000
    for document, row in zip(documents, expected):
        assert str(document) == row["text"]
        assert document.to_json() == row["json"]
    batch = tamiz.Canonicalizer().canonicalize_arrow(__import__("pyarrow").array(requests))
    assert batch.column("tamiz.text").to_pylist() == [row["text"] for row in expected]


@needs_expected
def test_the_command(expected: List[Any], tmp_path: Path) -> None:
    out = tmp_path / "documents.jsonl"
    subprocess.run(
        [os.environ["TAMIZ_COMMAND"], "batch", os.environ["TAMIZ_EXPECTED"], "-o", str(out), "--quiet"], check=True
    )
    with open(out, encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    assert len(rows) == len(expected)
    for found, row in zip(rows, expected):
        assert found["tamiz.text"] == row["text"]
        for key, value in json.loads(row["json"]).items():
            assert found[key] == value, key


@pytest.mark.skipif("TAMIZ_WHEEL" not in os.environ, reason="`cargo x test` builds the wheel")
def test_what_is_in_the_wheel() -> None:
    with zipfile.ZipFile(os.environ["TAMIZ_WHEEL"]) as wheel:
        names = wheel.namelist()
    modules = {name for name in names if name.startswith("tamiz/")}
    for name in ("__init__.py", "_flags.py", "_tamiz.pyi", "py.typed", "detector.py", "sklearn.py", "spark.py", "polars.py"):
        assert f"tamiz/{name}" in modules
    assert [name for name in modules if name.endswith((".so", ".pyd"))] == ["tamiz/_tamiz.abi3.so"]
    assert not [name for name in names if "test" in name.lower()]
    assert [name for name in names if name.endswith("LICENSE-MIT")]

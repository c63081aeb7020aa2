"""Every block of Python in ``docs/python.md`` and ``python/README.md``, run in the order of the page."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any, Dict, List

import pytest

import tamiz

ROOT = Path(__file__).parents[2]
REQUESTS = [b"GET /%d?q=%d HTTP/1.1\r\nHost: ex.com\r\n\r\n" % (n % 7, n) for n in range(60)]

#: What each heading of the guide needs.
NEEDS = {"scikit-learn": ["sklearn"], "polars, pandas": ["polars", "pandas", "pyarrow"], "Spark": ["pyspark", "pyarrow"]}


def blocks(page: str) -> List[Any]:
    """The blocks of a page, each under the name of its heading."""
    found, heading = [], ""
    for part in re.split(r"^(## [^\n]*|```python\n.*?^```)$", (ROOT / page).read_text("utf-8"), flags=re.M | re.S):
        if part.startswith("## "):
            heading = part[3:]
        elif part.startswith("```python"):
            code = part[len("```python\n") : -len("```")]
            found.append(pytest.param(heading, code, id=f"{page}: {heading or 'beginning'}"))
    return found


def test_no_block_is_missed() -> None:
    page = (ROOT / "docs/python.md").read_text("utf-8")
    assert len(blocks("docs/python.md")) == page.count("```python") >= 4


@pytest.mark.parametrize(("heading", "code"), blocks("docs/python.md") + blocks("python/README.md"))
def test_a_block_runs(heading: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in NEEDS.get(heading, []):
        pytest.importorskip(module)
    monkeypatch.chdir(tmp_path)
    names: Dict[str, Any] = {"tamiz": tamiz, "request": REQUESTS[0], "valid_requests": REQUESTS}
    if heading == "polars, pandas":
        rows = {"raw": REQUESTS, "id": [str(n) for n in range(len(REQUESTS))], "label": ["valid"] * len(REQUESTS)}
        names["rows"] = rows
    if heading == "Spark":
        names["spark"] = spark(tmp_path)
    exec(compile(code, "the guide", "exec"), names)
    if heading == "polars, pandas":
        assert names["in_polars"]["tamiz.text"].to_list() == names["in_pandas"]["tamiz.text"].to_list()
        assert len(names["in_polars"]) == len(REQUESTS)
    if heading == "Spark":
        assert sorted(row["tamiz.text"] for row in names["spark"].read.parquet("documents").collect()) == sorted(
            str(document) for document in tamiz.Canonicalizer().canonicalize_many(REQUESTS)
        )
        names["spark"].stop()


def spark(folder: Path) -> Any:
    """A session of Spark, and requests in a folder for it."""
    import os
    import shutil

    if shutil.which("java") is None:
        pytest.skip("there is no Java")
    import pyarrow as pa
    import pyarrow.parquet as pq
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    (folder / "requests").mkdir()
    ids = [str(n) for n in range(len(REQUESTS))]
    table = pa.table({"raw": pa.array(REQUESTS, pa.binary()), "id": ids, "label": ["valid"] * len(ids)})
    pq.write_table(table, folder / "requests" / "a.parquet")
    return SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()

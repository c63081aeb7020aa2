"""Every block of Python in the pages of the repository, run in the order of the page."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any, Dict, List

import pytest

import tamiz

ROOT = Path(__file__).parents[2]
REQUESTS = [b"GET /%d?q=%d HTTP/1.1\r\nHost: ex.com\r\n\r\n" % (n % 7, n) for n in range(60)]

#: Every page that has a block.
PAGES = ["README.md", "README.es.md", "docs/as-seen-by.md", "docs/batch.md", "docs/python.md", "python/README.md"]

#: The packages that blocks below a heading need.
NEEDS = {"scikit-learn": ["sklearn"], "polars, pandas": ["polars", "pandas", "pyarrow"], "Spark": ["pyspark", "pyarrow"], "Output": ["pyarrow"]}


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
    folders = [ROOT, ROOT / "docs", ROOT / "python", ROOT / "examples", ROOT / "web/npm"]
    pages = {page: page.read_text("utf-8").count("```python") for folder in folders for page in folder.glob("*.md")}
    assert {str(page.relative_to(ROOT)) for page, count in pages.items() if count} == set(PAGES)
    assert all(len(blocks(page)) == pages[ROOT / page] >= 1 for page in PAGES)


@pytest.fixture(scope="module")
def spark_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where all blocks for Spark run: its JVM stays in the folder that it was started in."""
    return tmp_path_factory.mktemp("spark")


@pytest.mark.parametrize(("heading", "code"), [block for page in PAGES for block in blocks(page)])
def test_a_block_runs(
    heading: str, code: str, tmp_path: Path, spark_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in NEEDS.get(heading, []):
        pytest.importorskip(module)
    folder = spark_folder if heading == "Spark" else tmp_path
    monkeypatch.chdir(folder)
    names: Dict[str, Any] = {
        "tamiz": tamiz,
        "request": REQUESTS[0],
        "requests": [b"GET /1?q=1%27+or+1=1-- HTTP/1.1\r\nHost: ex.com\r\n\r\n", *REQUESTS],
        "valid_requests": REQUESTS,
    }
    if heading == "Output":
        write_documents(tmp_path)
    if heading == "polars, pandas":
        rows = {"raw": REQUESTS, "id": [str(n) for n in range(len(REQUESTS))], "label": ["valid"] * len(REQUESTS)}
        names["rows"] = rows
    if heading == "Spark":
        names["spark"] = spark(folder, "canonicalize_requests" in code)
    try:
        exec(compile(code, "the guide", "exec"), names)
        check(heading, names)
    finally:
        # Other tests have sessions of their own.
        if heading == "Spark":
            names["spark"].stop()


def check(heading: str, names: Dict[str, Any]) -> None:
    """What a block of the guide has to have made."""
    if heading == "polars, pandas":
        assert names["in_polars"]["tamiz.text"].to_list() == names["in_pandas"]["tamiz.text"].to_list()
        assert len(names["in_polars"]) == len(REQUESTS)
    if heading == "Spark" and "documents" in names:
        assert sorted(row["tamiz.text"] for row in names["documents"].collect()) == sorted(
            str(document) for document in tamiz.Canonicalizer().canonicalize_many(REQUESTS)
        )
    if heading == "Spark" and "detector" in names:
        assert names["spark"].read.parquet("scores").count() == len(REQUESTS)


def write_documents(folder: Path) -> None:
    """Writes ``documents.parquet`` as the commands of the page do."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    labels = pa.array(["valid"] * len(REQUESTS))
    batch = tamiz.Canonicalizer().canonicalize_arrow(pa.array(REQUESTS, pa.binary()), labels=labels)
    pq.write_table(pa.Table.from_batches([batch]), folder / "documents.parquet")


def spark(folder: Path, by_command: bool) -> Any:
    """A session of Spark, and requests in folders for it; `by_command` those that `tamiz batch` writes."""
    import json
    import os
    import shutil
    import subprocess

    if shutil.which("java") is None:
        pytest.skip("there is no Java")
    if by_command and "TAMIZ_COMMAND" not in os.environ:
        pytest.skip("`cargo x test` builds the command")
    import pyarrow as pa
    import pyarrow.parquet as pq
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    for old in folder.iterdir():
        shutil.rmtree(old) if old.is_dir() else old.unlink()
    if by_command:
        (folder / "in.jsonl").write_text("".join(json.dumps({"raw": request.decode()}) + "\n" for request in REQUESTS))
        written = ["batch", "in.jsonl", "--format", "requests", "--split", "1M", "-o", "requests", "--quiet"]
        subprocess.run([os.environ["TAMIZ_COMMAND"], *written], cwd=folder, check=True)
    else:
        ids = [str(n) for n in range(len(REQUESTS))]
        table = pa.table({"raw": pa.array(REQUESTS, pa.binary()), "id": ids, "label": ["valid"] * len(ids)})
        for name in ("requests", "usual", "new"):
            (folder / name).mkdir()
            pq.write_table(table, folder / name / "a.parquet")
    return SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()

"""The examples that need other packages, run as their users run them."""

from __future__ import annotations

import base64
import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import List

import pytest

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

import tamiz
from conftest import PATIENCE

EXAMPLES = Path(__file__).parents[2] / "examples"
REQUESTS = [b"GET /%d?q=%%27 HTTP/1.1\r\nHost: ex.com\r\n\r\n" % n for n in range(500)] + [b"", b"\xff\x00"]
TEXTS = [str(document) for document in tamiz.Canonicalizer().canonicalize_many(REQUESTS)]


# Nothing of Ray is taken for dead because the machine is busy.
RAY = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_raylet_start_wait_time_s": "600",
    "RAY_worker_register_timeout_seconds": "600",
    "RAY_gcs_server_request_timeout_seconds": "600",
    "RAY_health_check_initial_delay_ms": "600000",
    "RAY_health_check_timeout_ms": "600000",
}


def run(name: str, *arguments: object) -> None:
    command = [sys.executable, str(EXAMPLES / name), *map(str, arguments)]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", **RAY}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr[-3000:]


def folder_of_requests(path: Path) -> Path:
    path.mkdir()
    ids = [str(n) for n in range(len(REQUESTS))]
    table = pa.table({"id": ids, "raw": pa.array(REQUESTS, pa.binary()), "label": ["valid"] * len(ids)})
    pq.write_table(table.slice(0, 300), path / "a.parquet")
    pq.write_table(table.slice(300), path / "b.parquet")
    return path


def documents(path: Path) -> List[str]:
    rows = pq.read_table(path, columns=["id", "label", "tamiz.text"]).to_pylist()
    assert {row["label"] for row in rows} == {"valid"}
    return [row["tamiz.text"] for row in sorted(rows, key=lambda row: int(row["id"]))]


@pytest.mark.parametrize("package", ["ray", "dask"])
def test_a_folder_of_parquet(package: str, tmp_path: Path) -> None:
    pytest.importorskip(package)
    source = folder_of_requests(tmp_path / "requests")
    run(f"{package}_job.py", source, tmp_path / "documents", "--column", "raw", "--id", "id", "--label", "label")
    assert documents(tmp_path / "documents") == TEXTS


def mixed_requests(path: Path) -> Path:
    """What `tamiz batch --format requests` writes of a capture and of a HAR file, in two files."""
    path.mkdir()
    schema = tamiz.Canonicalizer.request_schema()
    rows = [{"input": "a.pcap", "record": n + 1, "source": "wire", "raw": raw} for n, raw in enumerate(REQUESTS)]
    headers = [{"name": b"Host", "value": b"ex.com"}]
    parts = {"input": "a.har", "source": "har", "method": b"GET", "target": b"/a?b=1", "headers": headers}
    rows += [{**parts, "record": n + 1} for n in range(20)]
    for name, share in (("part-000001.parquet", rows[:400]), ("part-000002.parquet", rows[400:])):
        pq.write_table(pa.Table.from_pylist(share, schema=schema), path / name)
    return path


@pytest.mark.parametrize("package", ["ray", "dask"])
def test_a_folder_of_requests(package: str, tmp_path: Path) -> None:
    pytest.importorskip(package)
    source = mixed_requests(tmp_path / "requests")
    run(f"{package}_job.py", source, tmp_path / "documents")
    key = [("input", "ascending"), ("record", "ascending")]
    found = pq.read_table(tmp_path / "documents").combine_chunks().sort_by(key)
    batch = pq.read_table(source).combine_chunks().to_batches()[0]
    expected = pa.Table.from_batches([tamiz.Canonicalizer().canonicalize_requests(batch)]).sort_by(key)
    assert found.to_pylist() == expected.to_pylist() and found.num_rows == len(REQUESTS) + 20


@pytest.mark.parametrize("name", ["requests.jsonl", "requests.jsonl.gz"])
def test_a_tokenizer_and_a_data_set(name: str, tmp_path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    datasets = pytest.importorskip("datasets")
    lines = tmp_path / name
    encoded = [base64.b64encode(request).decode() for request in REQUESTS]
    rows = [{"id": n, "raw_b64": raw, "label": "valid"} for n, raw in enumerate(encoded)]
    data = "".join(json.dumps(row) + "\n" for row in rows).encode()
    lines.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    run("huggingface.py", lines, tmp_path / "out")
    tokenizer = tokenizers.Tokenizer.from_file(str(tmp_path / "out" / "tokenizer.json"))
    dataset = datasets.load_from_disk(str(tmp_path / "out" / "dataset"))
    assert dataset["text"][:] == TEXTS and dataset["id"][:] == list(range(len(REQUESTS)))
    assert set(dataset["fingerprint"]) == {tamiz.fingerprint()}
    assert dataset["input_ids"][0] == tokenizer.encode(TEXTS[0]).ids
    assert 0 not in dataset["input_ids"][0], "a document it was trained on has no unknown token"

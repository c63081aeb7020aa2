"""A real cluster on this machine: two executors, each a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import Any, Iterator, List

import pytest

pytest.importorskip("pyspark")
pa = pytest.importorskip("pyarrow")

import tamiz
from tamiz.spark import canonicalize

REQUESTS = [b"GET /%d?q=%%27 HTTP/1.1\r\nHost: ex.com\r\n\r\n" % n for n in range(2_000)] + [b"", b"\xff\x00"]


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    from pyspark.sql import SparkSession

    session = (
        SparkSession.builder.master("local-cluster[2,1,1024]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "256")
        .getOrCreate()
    )
    yield session
    session.stop()


def frame(spark: Any, partitions: int = 8) -> Any:
    rows = [(str(n), bytearray(request), "valid") for n, request in enumerate(REQUESTS)]
    return spark.createDataFrame(rows, "id string, raw binary, label string").repartition(partitions)


def texts(documents: Any) -> List[str]:
    rows = documents.select("id", "`tamiz.text`").collect()
    return [text for _, text in sorted(((int(row[0]), row[1]) for row in rows))]


EXPECTED = [str(document) for document in tamiz.Canonicalizer().canonicalize_many(REQUESTS)]


def test_documents_are_those_of_one_machine(spark: Any) -> None:
    documents = canonicalize(frame(spark), "raw", id="id", label="label")
    assert texts(documents) == EXPECTED
    local = tamiz.Canonicalizer().canonicalize_arrow(pa.array(REQUESTS, pa.binary()))
    assert documents.columns == local.schema.names
    assert {row[0] for row in documents.select("label").collect()} == {"valid"}
    assert {row[0] for row in documents.select("`tamiz.fingerprint`").collect()} == {tamiz.fingerprint()}


def test_bad_rows_and_mistakes(spark: Any) -> None:
    rows = [("1", None), ("2", bytearray(REQUESTS[0])), ("3", bytearray(b"\xff" * 1000))]
    bad = spark.createDataFrame(rows, "id string, raw binary")
    found = {row[0] for row in canonicalize(bad, "raw", id="id").select("id").collect()}
    assert found == {"2", "3"}
    with pytest.raises(ValueError, match="no column 'request'"):
        canonicalize(bad, "request")
    numbers = spark.createDataFrame([(1,)], "raw int")
    with pytest.raises(TypeError, match="must be of binary or string"):
        canonicalize(numbers, "raw")
    with pytest.raises(ValueError, match="profile"):
        canonicalize(bad, "raw", profile="all")


def executors(spark: Any) -> List[int]:
    """The processes of this application's executors."""
    listed = subprocess.run(["ps", "-ww", "-eo", "pid,args"], capture_output=True, text=True, check=True).stdout
    application = f"--app-id {spark.sparkContext.applicationId}"
    own = [line for line in listed.splitlines() if application in line and "CoarseGrainedExecutorBackend" in line]
    return [int(line.split()[0]) for line in own]


def test_a_killed_executor_loses_nothing(spark: Any) -> None:
    # Each batch waits a little, so that the executor dies in the middle of the work.
    def slow(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            time.sleep(0.5)
            yield batch

    slowed = frame(spark, 16)
    slowed = slowed.mapInArrow(slow, slowed.schema)
    before = executors(spark)
    assert len(before) == 2, before
    killer = subprocess.Popen(["sh", "-c", f"sleep 2; kill -{signal.SIGKILL.value} {before[0]}"])
    assert texts(canonicalize(slowed, "raw", id="id")) == EXPECTED
    killer.wait()
    assert before[0] not in executors(spark)

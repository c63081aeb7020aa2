"""A real cluster on this machine: two executors, each a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Callable, Iterator, List

import pytest

pytest.importorskip("pyspark")
pa = pytest.importorskip("pyarrow")

import tamiz
from conftest import PATIENCE
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
        # Work begins when both executors are there, and none is taken for dead because the machine is busy.
        .config("spark.scheduler.minRegisteredResourcesRatio", "1.0")
        .config("spark.scheduler.maxRegisteredResourcesWaitingTime", "3600s")
        .config("spark.network.timeout", "3600s")
        .config("spark.executor.heartbeatInterval", "60s")
        .config("spark.worker.timeout", "3600")
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


def wait_until(is_there: Callable[[], bool]) -> None:
    """Waits for what has to come; fails where the test hangs."""
    started = time.monotonic()
    while not is_there():
        assert time.monotonic() - started < PATIENCE, "the test hangs"
        time.sleep(0.05)


def test_a_killed_executor_loses_nothing(spark: Any, tmp_path: Path) -> None:
    folder = str(tmp_path)

    # Each task says that it has begun and waits until one executor was killed, which is in the middle of its work then.
    def slow(batches: Iterator[Any]) -> Iterator[Any]:
        from pyspark import TaskContext

        context = TaskContext.get()
        assert context is not None
        Path(folder, f"begun-{context.partitionId()}").touch()
        for batch in batches:
            while not Path(folder, "killed").exists():
                time.sleep(0.05)
            yield batch

    slowed = frame(spark, 16)
    slowed = slowed.mapInArrow(slow, slowed.schema)
    wait_until(lambda: len(executors(spark)) == 2)
    before = executors(spark)
    with ThreadPoolExecutor(1) as pool:
        found = pool.submit(texts, canonicalize(slowed, "raw", id="id"))
        # Each executor has one core, and so one task at a time.
        wait_until(lambda: found.done() or len(list(tmp_path.glob("begun-*"))) == 2)
        os.kill(before[0], signal.SIGKILL)
        wait_until(lambda: before[0] not in executors(spark))
        Path(folder, "killed").touch()
        assert found.result() == EXPECTED
    assert before[0] not in executors(spark)


def test_a_model_is_that_of_one_machine_and_so_are_its_scores(spark: Any, tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    from tamiz.spark import learn, score

    here = tamiz.Detector().fit(REQUESTS)
    for partitions in (1, 5):
        there = learn(frame(spark, partitions), "raw")
        assert there.model_.to_bytes() == here.model_.to_bytes()
    odd = REQUESTS[:50] + [b"GET /7?q=1%27%20or%20sleep(9)-- HTTP/1.1\r\nHost: ex.com\r\n\r\n"]
    rows = [(str(n), bytearray(request)) for n, request in enumerate(odd)] + [("none", None)]
    scored = score(spark.createDataFrame(rows, "id string, raw binary"), "raw", here, id="id").collect()
    found = {row["id"]: (row["score"], row["p_value"], row["new"]) for row in scored}
    assert len(found) == len(odd)
    expected = zip(-here.score_samples(odd), here.p_values(odd), here.new_tokens(odd))
    assert found == {str(n): (float(a), float(b), int(c)) for n, (a, b, c) in enumerate(expected)}
    empty = spark.createDataFrame([(None,)], "raw binary")
    with pytest.raises(ValueError, match="no request to learn"):
        learn(empty, "raw")

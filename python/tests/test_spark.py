"""A real cluster on this machine: two executors, each a process of its own."""

from __future__ import annotations

import json
import os
import signal
import struct
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Callable, Iterator, List

import pytest

pytest.importorskip("pyspark")
pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

import tamiz
from conftest import PATIENCE
from tamiz.spark import canonicalize, canonicalize_requests

EXAMPLES = Path(__file__).parents[2] / "examples"
needs_command = pytest.mark.skipif("TAMIZ_COMMAND" not in os.environ, reason="`cargo x test` builds the command")

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
        # Times with their zone, as `tamiz batch` writes them.
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
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


def test_ids_keep_their_type(spark: Any) -> None:
    from tamiz.spark import score

    rows = [(1 << 40, 7, bytearray(REQUESTS[0])), (None, 8, bytearray(REQUESTS[1])), (3, 9, None)]
    numbered = spark.createDataFrame(rows, "nr bigint, label int, raw binary")
    documents = canonicalize(numbered, "raw", id="nr", label="label")
    assert dict(documents.dtypes)["id"] == "bigint" and dict(documents.dtypes)["label"] == "string"
    assert sorted((row["id"] or 0, row["label"]) for row in documents.collect()) == [(0, "8"), (1 << 40, "7")]
    scored = score(numbered, "raw", tamiz.Detector().fit(REQUESTS[:100]), id="nr")
    assert dict(scored.dtypes)["nr"] == "bigint"
    assert {row["nr"] for row in scored.collect()} == {1 << 40, None}


def packet(source: int, sequence: int, payload: bytes) -> bytes:
    """A packet of a client's, over TCP and IPv4, as a capture of raw IP has it."""
    tcp = struct.pack(">HHIIBBHHH", source, 80, sequence, 1, 5 << 4, 0x18, 65535, 0, 0) + payload
    length = 20 + len(tcp)
    return struct.pack(">BBHHHBBH4s4s", 0x45, 0, length, 7, 0, 64, 6, 0, bytes([192, 0, 2, 7]), bytes([192, 0, 2, 9])) + tcp


def captures(folder: Path) -> Path:
    """A capture, a HAR file and a log: requests by their bytes and by their parts, of three sources."""
    folder.mkdir()
    packets = b""
    for n in range(300):
        request = b"GET /c/%d?q=%%27&token=hunter2 HTTP/1.1\r\nHost: ex.com\r\n\r\n" % n
        data = packet(10_000 + n, 1, request)
        packets += struct.pack("<IIII", 1_791_640_536 + n, 500, len(data), len(data)) + data
    (folder / "a.pcap").write_bytes(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101) + packets)
    headers = [{"name": "Host", "value": "ex.com"}, {"name": "X-A", "value": "1"}, {"name": "X-A", "value": "2"}]
    request = {"method": "POST", "url": "https://ex.com/a?b=1", "httpVersion": "HTTP/2", "headers": headers}
    request["postData"] = {"mimeType": "text/plain", "text": "x=1"}
    entries = [{"startedDateTime": "2026-10-10T13:55:36.123Z", "request": request} for _ in range(50)]
    (folder / "b.har").write_text(json.dumps({"log": {"version": "1.2", "creator": {"name": "x"}, "entries": entries}}))
    line = '192.0.2.1 - - [10/Oct/2026:13:55:%02d +0200] "GET /l/%d HTTP/1.1" 200 5 "-" "curl/8"\n'
    (folder / "c.log").write_text("".join(line % (n % 60, n) for n in range(200)))
    return folder


def command(*arguments: object) -> None:
    subprocess.run([os.environ["TAMIZ_COMMAND"], *map(str, arguments), "--quiet"], check=True)


def rows(table: Any) -> List[Any]:
    return sorted(table.to_pylist(), key=lambda row: (row["input"], row["record"]))


@needs_command
def test_all_columns_are_those_of_batch(spark: Any, tmp_path: Path) -> None:
    folder = captures(tmp_path / "captures")
    command("batch", folder, "-o", tmp_path / "batch.parquet")
    command("batch", folder, "--format", "requests", "--split", "8K", "-o", tmp_path / "requests")
    parts = sorted((tmp_path / "requests").iterdir())
    assert len(parts) > 1, "there is something to share out"
    requests = spark.read.parquet(str(tmp_path / "requests")).repartition(8)
    canonicalize_requests(requests).write.parquet(str(tmp_path / "documents"))
    found, expected = pq.read_table(tmp_path / "documents"), pq.read_table(tmp_path / "batch.parquet")
    assert found.schema.names == expected.schema.names
    assert rows(found) == rows(expected) and found.num_rows == 550
    assert {row["tamiz.source"] for row in found.to_pylist()} == {"wire", "har", "access-log"}
    with pytest.raises(ValueError, match="no column 'input'"):
        canonicalize_requests(requests.select("raw"))


@needs_command
def test_the_job_goes_from_captures_to_scores(tmp_path: Path) -> None:
    folder = captures(tmp_path / "captures")
    command("learn", folder, "-o", tmp_path / "site.model")
    command("batch", folder, "-o", tmp_path / "batch.parquet")
    job = [sys.executable, str(EXAMPLES / "spark_job.py"), str(folder), str(tmp_path / "out"), "--split", "8K"]
    job += ["--model", str(tmp_path / "site.model"), "--tamiz", os.environ["TAMIZ_COMMAND"]]
    options = {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.network.timeout": "3600s",
        "spark.executor.heartbeatInterval": "60s",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    }
    confs = " ".join(f"--conf {name}={value}" for name, value in options.items())
    submit = f"--master local-cluster[2,1,1024] {confs} pyspark-shell"
    environment = {**os.environ, "PYSPARK_SUBMIT_ARGS": submit, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    done = subprocess.run(job, env=environment, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr[-3000:]
    documents = pq.read_table(tmp_path / "out" / "documents")
    assert rows(documents) == rows(pq.read_table(tmp_path / "batch.parquet"))
    lines = subprocess.run(
        [os.environ["TAMIZ_COMMAND"], "score", "--model", str(tmp_path / "site.model"), "--format", "jsonl", str(folder)],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.splitlines()
    scores = rows(pq.read_table(tmp_path / "out" / "scores"))
    assert [score["score"] for score in scores] == [json.loads(line)["score"] for line in lines]
    assert {score["verdict"] for score in scores} <= {"alert", "usual"} and len(scores) == 550


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

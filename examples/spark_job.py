"""From captures, HAR files and logs to documents and scores, on a cluster.

    spark-submit examples/spark_job.py captures/ out/ --model site.model

1. `tamiz batch --format requests --split` reads whatever `tamiz batch` reads and writes the requests to `out/requests`, as
   Parquet. They hold secrets, so that nobody but you can read them; `--requests FOLDER` takes a folder that is there.
2. Every executor makes documents of its share: `out/documents`, with all columns of `tamiz batch`.
3. With `--model`, every executor scores its share with `tamiz score`: `out/scores`. `input` and `record` tie the two.

Executors need this package and, for scores, the command `tamiz` and the model at the same path.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import subprocess
from typing import Any, Callable, Iterable, Iterator, List

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from tamiz.spark import canonicalize, canonicalize_requests

SCORES = "input string, record bigint, score double, p_value double, verdict string"

#: What `tamiz batch` and `tamiz score` exit with when some records could not be read; they name them on standard error.
SOME_UNREADABLE = 3


def read(command: str, source: str, target: str, size: str) -> None:
    """Writes the requests of captures, HAR files, logs and so on as a folder of Parquet."""
    arguments = [command, "batch", source, "--format", "requests", "--split", size, "-o", target]
    os.makedirs(os.path.dirname(target), exist_ok=True)
    done = subprocess.run(arguments, check=False)
    if done.returncode not in (0, SOME_UNREADABLE):
        raise SystemExit(f"tamiz batch failed with exit code {done.returncode}")


def scorer(command: str, model: str) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """What scores a share: a batch of requests goes to `tamiz score` as Parquet, a line for each comes back."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            requests = io.BytesIO()
            pq.write_table(pa.Table.from_batches([batch]), requests)
            arguments = [command, "score", "--model", model, "--format", "jsonl", "--jobs", "1"]
            done = subprocess.run(arguments, input=requests.getvalue(), stdout=subprocess.PIPE, check=True)
            scores: List[Any] = [json.loads(line) for line in done.stdout.splitlines()]
            if len(scores) != batch.num_rows:
                raise RuntimeError(f"{len(scores)} scores of {batch.num_rows} requests")
            columns = {
                "input": batch.column("input"),
                "record": batch.column("record"),
                "score": pa.array([score["score"] for score in scores], pa.float64()),
                "p_value": pa.array([score["p_value"] for score in scores], pa.float64()),
                "verdict": pa.array([score["verdict"] for score in scores], pa.string()),
            }
            yield pa.RecordBatch.from_pydict(columns)

    return run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("input", help="a file or folder that `tamiz batch` reads, or with --column a folder of Parquet")
    parser.add_argument("output", help="a new folder")
    parser.add_argument("--requests", action="store_true", help="the input is a folder of `tamiz batch --format requests`")
    parser.add_argument("--column", help="the input is a folder of Parquet with raw requests in this column")
    parser.add_argument("--id")
    parser.add_argument("--label")
    parser.add_argument("--profile", default="standard")
    parser.add_argument("--model", help="a model of `tamiz learn`")
    parser.add_argument("--tamiz", default="tamiz", help="the command")
    parser.add_argument("--split", default="128M", help="how large files of requests are")
    arguments = parser.parse_args()
    spark = SparkSession.builder.appName("tamiz").getOrCreate()
    documents = f"{arguments.output}/documents"
    if arguments.column is not None:
        frame = spark.read.parquet(arguments.input)
        names = {"id": arguments.id, "label": arguments.label}
        canonicalize(frame, arguments.column, **names, profile=arguments.profile).write.parquet(documents)
        spark.stop()
        return
    folder = arguments.input
    if not arguments.requests:
        folder = f"{arguments.output}/requests"
        read(arguments.tamiz, arguments.input, folder, arguments.split)
    requests = spark.read.parquet(folder)
    canonicalize_requests(requests, profile=arguments.profile).write.parquet(documents)
    if arguments.model is not None:
        scores = requests.mapInArrow(scorer(arguments.tamiz, arguments.model), SCORES)
        scores.write.parquet(f"{arguments.output}/scores")
    spark.stop()


if __name__ == "__main__":
    main()

"""Documents of a folder of Parquet, with Dask: `python examples/dask_job.py IN OUT --column raw`.

Without `--column`, IN is what `tamiz batch --format requests --split 128M` wrote.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import dask
import pyarrow.parquet as pq

from tamiz.spark import canonicalize_batches, canonicalize_request_batches


@dask.delayed
def convert(source: Path, target: Path, column: str | None, id: str | None, label: str | None) -> int:
    """One file; nothing but a group of its rows is in memory."""
    if column is None:
        columns, run = None, canonicalize_request_batches()
    else:
        columns = [name for name in (column, id, label) if name is not None]
        run = canonicalize_batches(column, id=id, label=label)
    rows = 0
    writer = None
    for batch in run(pq.ParquetFile(source).iter_batches(columns=columns)):
        writer = writer or pq.ParquetWriter(target, batch.schema)
        writer.write_batch(batch)
        rows += batch.num_rows
    if writer is not None:
        writer.close()
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("input", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--column")
    parser.add_argument("--id")
    parser.add_argument("--label")
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True)
    tasks = [
        convert(source, arguments.output / source.name, arguments.column, arguments.id, arguments.label)
        for source in sorted(arguments.input.glob("*.parquet"))
    ]
    # On a cluster: make a `distributed.Client` first, and give paths that all of it sees.
    print(sum(dask.compute(*tasks, scheduler="processes")), "documents")


if __name__ == "__main__":
    main()

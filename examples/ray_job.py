"""Documents of a folder of Parquet, with Ray: `python examples/ray_job.py IN OUT --column raw`.

Without `--column`, IN is what `tamiz batch --format requests --split 128M` wrote.
"""

from __future__ import annotations

import argparse

import pyarrow as pa
import ray

from tamiz.spark import canonicalize_batches, canonicalize_request_batches


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("input")
    parser.add_argument("output")
    parser.add_argument("--column")
    parser.add_argument("--id")
    parser.add_argument("--label")
    arguments = parser.parse_args()
    if arguments.column is None:
        run = canonicalize_request_batches()
    else:
        run = canonicalize_batches(arguments.column, id=arguments.id, label=arguments.label)

    def documents(requests: pa.Table) -> pa.Table:
        return pa.Table.from_batches(run(requests.to_batches()))

    ray.data.read_parquet(arguments.input).map_batches(documents, batch_format="pyarrow").write_parquet(
        arguments.output
    )


if __name__ == "__main__":
    main()

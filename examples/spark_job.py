"""Documents of a folder of Parquet, on a cluster: `spark-submit examples/spark_job.py IN OUT --column raw`."""

from __future__ import annotations

import argparse

from pyspark.sql import SparkSession

from tamiz.spark import canonicalize


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("input")
    parser.add_argument("output")
    parser.add_argument("--column", default="raw")
    parser.add_argument("--id")
    parser.add_argument("--label")
    parser.add_argument("--profile", default="standard")
    arguments = parser.parse_args()
    spark = SparkSession.builder.appName("tamiz").getOrCreate()
    documents = canonicalize(
        spark.read.parquet(arguments.input),
        arguments.column,
        id=arguments.id,
        label=arguments.label,
        profile=arguments.profile,
    )
    documents.write.parquet(arguments.output)
    spark.stop()


if __name__ == "__main__":
    main()

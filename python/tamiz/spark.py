"""Requests to documents on a cluster.

    from tamiz.spark import canonicalize

    documents = canonicalize(spark.read.parquet("requests/"), "raw", id="id", label="label")
    documents.write.parquet("documents/")

What ``tamiz batch --format requests`` wrote has its own functions, since some of its requests are there by their parts:

    from tamiz.spark import canonicalize_requests

    documents = canonicalize_requests(spark.read.parquet("requests/"))

The rows are those of ``tamiz batch``'s Parquet, byte for byte, whatever machine made them.
"""

from __future__ import annotations

import os
from typing import Any, Callable, Iterable, Iterator, List, Mapping, Optional, Union

import pyarrow as pa

from tamiz import Canonicalizer

__all__ = [
    "canonicalize",
    "canonicalize_batches",
    "canonicalize_request_batches",
    "canonicalize_requests",
    "request_schema",
    "schema",
]

Config = Optional[Union[str, "os.PathLike[str]", Mapping[str, Any]]]


def schema() -> Any:
    """The schema of the documents, as Spark says it."""
    from pyspark.sql.pandas.types import from_arrow_schema

    return from_arrow_schema(Canonicalizer().canonicalize_arrow(pa.array([], pa.binary())).schema)


def request_schema() -> Any:
    """The schema of the documents of :func:`canonicalize_requests`, as Spark says it."""
    from pyspark.sql.pandas.types import from_arrow_schema

    empty = pa.RecordBatch.from_pylist([], schema=Canonicalizer.request_schema())
    return from_arrow_schema(Canonicalizer().canonicalize_requests(empty).schema)


def canonicalize_batches(
    column: str,
    *,
    id: Optional[str] = None,
    label: Optional[str] = None,
    source: Optional[str] = None,
    canonicalizer: Optional[Canonicalizer] = None,
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """What :func:`canonicalize` runs on each executor; for Ray, Dask and anything that maps Arrow batches.

    A row whose request is null has no document.
    """
    made = canonicalizer if canonicalizer is not None else Canonicalizer()

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield made.canonicalize_arrow(
                batch.column(column),
                ids=_text(batch, id),
                labels=_text(batch, label),
                source=source,
                nulls="drop",
            )

    return run


def canonicalize_request_batches(
    canonicalizer: Optional[Canonicalizer] = None,
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """What :func:`canonicalize_requests` runs on each executor; for Ray, Dask and anything that maps Arrow batches."""
    made = canonicalizer if canonicalizer is not None else Canonicalizer()

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield made.canonicalize_requests(batch)

    return run


def _text(batch: pa.RecordBatch, name: Optional[str]) -> Optional[pa.Array]:
    return None if name is None else batch.column(name).cast(pa.string())


def canonicalize(
    df: Any,
    column: str,
    *,
    id: Optional[str] = None,
    label: Optional[str] = None,
    source: Optional[str] = None,
    config: Config = None,
    profile: Optional[str] = None,
    view: Optional[str] = None,
    scheme: Optional[str] = None,
) -> Any:
    """The documents of a column of requests: a data frame with the columns of ``tamiz batch``'s Parquet.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
    column : str
        The requests: a column of bytes, or of text.
    id, label : str, optional
        Columns to carry through.
    config, profile, view, scheme
        As in :class:`tamiz.Canonicalizer`. Read here, on the driver: executors need no files.
    """
    _check(df, column, ["binary", "string"])
    for name in (id, label):
        if name is not None:
            _check(df, name, None)
    canonicalizer = Canonicalizer(config, profile=profile, view=view, scheme=scheme)
    columns: List[str] = list(dict.fromkeys(name for name in (column, id, label) if name is not None))
    run = canonicalize_batches(column, id=id, label=label, source=source, canonicalizer=canonicalizer)
    return df.select(*columns).mapInArrow(run, schema())


def canonicalize_requests(
    df: Any,
    *,
    config: Config = None,
    profile: Optional[str] = None,
    view: Optional[str] = None,
    scheme: Optional[str] = None,
) -> Any:
    """The documents of what ``tamiz batch --format requests`` wrote: a data frame with all columns of ``tamiz batch``.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
    config, profile, view, scheme
        As in :class:`tamiz.Canonicalizer`. Read here, on the driver: executors need no files.
    """
    names: List[str] = Canonicalizer.request_schema().names
    for name in names:
        _check(df, name, None)
    canonicalizer = Canonicalizer(config, profile=profile, view=view, scheme=scheme)
    return df.select(*names).mapInArrow(canonicalize_request_batches(canonicalizer), request_schema())


def _check(df: Any, name: str, kinds: Optional[List[str]]) -> None:
    found = dict(df.dtypes)
    if name not in found:
        raise ValueError(f"no column {name!r}: there are {', '.join(map(repr, found))}")
    if kinds is not None and found[name] not in kinds:
        raise TypeError(f"column {name!r} must be of {' or '.join(kinds)}, not {found[name]}")

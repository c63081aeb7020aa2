"""Requests to documents on a cluster.

    from tamiz.spark import canonicalize

    documents = canonicalize(spark.read.parquet("requests/"), "raw", id="id", label="label")
    documents.write.parquet("documents/")

What ``tamiz batch --format requests`` wrote has its own functions, since some of its requests are there by their parts:

    from tamiz.spark import canonicalize_requests

    documents = canonicalize_requests(spark.read.parquet("requests/"))

The rows are those of ``tamiz batch``'s Parquet, byte for byte, whatever machine made them.

    from tamiz.spark import learn, score

    detector = learn(spark.read.parquet("usual/"), "raw")
    detector.save("site.model")
    score(spark.read.parquet("new/"), "raw", detector, id="id").write.parquet("scores/")

The model is that of ``tamiz learn``, to the byte, and the scores are those of ``tamiz score``, to the bit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, List, Optional

import pyarrow as pa

from tamiz import Canonicalizer, Config, Model, Profile, Scheme, View

if TYPE_CHECKING:
    from tamiz import Detector

__all__ = [
    "canonicalize",
    "canonicalize_batches",
    "canonicalize_request_batches",
    "canonicalize_requests",
    "learn",
    "request_schema",
    "schema",
    "score",
]


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
                ids=None if id is None else batch.column(id),
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
    config: Optional[Config] = None,
    profile: Optional[Profile] = None,
    view: Optional[View] = None,
    scheme: Optional[Scheme] = None,
) -> Any:
    """The documents of a column of requests: a data frame with the columns of ``tamiz batch``'s Parquet.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
    column : str
        The requests: a column of bytes, or of text.
    id, label : str, optional
        Columns to carry through. Ids keep their type; labels are text.
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
    return df.select(*columns).mapInArrow(run, _schema_with(df, id))


def _schema_with(df: Any, id: Optional[str]) -> Any:
    """The schema of the documents, with the column ``id`` of the type that it has in ``df``."""
    from pyspark.sql.types import StructField, StructType

    if id is None:
        return schema()
    kind = df.schema[id].dataType
    return StructType([StructField("id", kind) if field.name == "id" else field for field in schema()])


def canonicalize_requests(
    df: Any,
    *,
    config: Optional[Config] = None,
    profile: Optional[Profile] = None,
    view: Optional[View] = None,
    scheme: Optional[Scheme] = None,
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


def learn(
    df: Any,
    column: str,
    *,
    config: Optional[Config] = None,
    profile: Optional[Profile] = None,
    view: Optional[View] = None,
    scheme: Optional[Scheme] = None,
    depth: int = 2,
) -> "Detector":
    """Learns a column of requests on the cluster, and returns a :class:`tamiz.Detector`.

    Every executor counts its part, and the parts are merged in a tree of this depth. How rows are distributed makes no
    difference to the model. A row whose request is null is passed over.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
    column : str
        The requests: a column of bytes, or of text.
    config, profile, view, scheme
        As in :class:`tamiz.Detector`. Read here, on the driver: executors need no files.
    depth : int
        As in ``RDD.treeReduce``.
    """
    from tamiz import Detector

    _check(df, column, ["binary", "string"])
    canonicalizer = Canonicalizer(config, profile=profile, view=view, scheme=scheme)

    def count(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        model = Model(canonicalizer)
        for batch in batches:
            model.learn(canonicalizer.canonicalize_many(_requests(batch, column)))
        yield pa.RecordBatch.from_arrays([pa.array([model.to_bytes()], pa.binary())], ["model"])

    parts = df.select(column).mapInArrow(count, "model binary").rdd.map(lambda row: bytes(row[0]))
    data = parts.treeReduce(_merged, depth)
    if Model.from_bytes(data).requests == 0:
        raise ValueError("there is no request to learn")
    return Detector(config=config, profile=profile, view=view, scheme=scheme)._with_model(data)


def _merged(one: bytes, other: bytes) -> bytes:
    model = Model.from_bytes(one)
    model.merge(Model.from_bytes(other))
    return model.to_bytes()


def score(df: Any, column: str, detector: "Detector", *, id: Optional[str] = None) -> Any:
    """The scores of a column of requests: a data frame with ``score``, ``p_value`` and ``new``, and with ``id`` if given.

    The score is that of ``tamiz score``: the higher, the more unusual. A row whose request is null has none.
    """
    _check(df, column, ["binary", "string"])
    if id is not None:
        _check(df, id, None)
    canonicalizer, data = detector._canonicalizer, detector._fitted().to_bytes()
    columns = list(dict.fromkeys(name for name in (id, column) if name is not None))

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        model = Model.from_bytes(data)
        for batch in batches:
            batch = batch.filter(batch.column(column).is_valid())
            scores, p_values, new = model.score(canonicalizer.canonicalize_many(_requests(batch, column)))
            arrays = [pa.array(scores, pa.float64()), pa.array(p_values, pa.float64()), pa.array(new, pa.int64())]
            names = ["score", "p_value", "new"]
            if id is not None:
                arrays.insert(0, batch.column(id))
                names.insert(0, id)
            yield pa.RecordBatch.from_arrays(arrays, names)

    named = "" if id is None else f"`{id}` {dict(df.dtypes)[id]}, "
    return df.select(*columns).mapInArrow(run, f"{named}score double, p_value double, new bigint")


def _requests(batch: pa.RecordBatch, column: str) -> List[bytes]:
    """The requests of a batch, without those that are null."""
    values = batch.column(column).drop_null().cast(pa.binary())
    return list(values.to_pylist())


def _check(df: Any, name: str, kinds: Optional[List[str]]) -> None:
    found = dict(df.dtypes)
    if name not in found:
        raise ValueError(f"no column {name!r}: there are {', '.join(map(repr, found))}")
    if kinds is not None and found[name] not in kinds:
        raise TypeError(f"column {name!r} must be of {' or '.join(kinds)}, not {found[name]}")
